// SPDX-License-Identifier: BSD-3-Clause
// Takes any bytes as the bytes of a connection or of a frame: reading must end, refuse frames without a right tag, and
// keep no more than was sent. The first byte tells the kind of the others.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/scopes/batch.h"
#include "tools/scopes/remote.h"
#include "tools/scopes/wire.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace epik::scopes;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Tagger tagger(Side::kClient, "secret", "client", "server");
  Frame frame;
  FrameReader reader(4096, tagger);
  if (data[0] % 4 == 0) {
    reader.Add(bytes);
    while (reader.Next(&frame) == FrameState::kDone) __builtin_trap();  // nobody can guess a tag
  } else if (data[0] % 4 == 1) {
    // A frame that was tagged, in two pieces.
    Tagger own = tagger;
    const std::string packed = PackFrame(Kind::kPull, bytes, &own);
    reader.Add(std::string_view(packed).substr(0, packed.size() / 2));
    if (reader.Next(&frame) == FrameState::kDone) __builtin_trap();
    reader.Add(std::string_view(packed).substr(packed.size() / 2));
    const FrameState state = reader.Next(&frame);
    if (state != (bytes.size() + 1 <= 4096 ? FrameState::kDone : FrameState::kBad)) __builtin_trap();
  } else if (data[0] % 4 == 2) {
    Batch batch;
    if (UnpackBatch(bytes, 2, &batch)) {
      for (Rows& rows : batch.scopes) {
        ForEachPath(&rows, [](uint32_t* path) { return *path < 1000; });
        MoveTimes(&rows, 1);
      }
    }
  } else {
    Opening opening;
    if (UnpackOpening(bytes, &opening) && PackOpening(opening).size() != bytes.size()) __builtin_trap();
  }
  return 0;
}
