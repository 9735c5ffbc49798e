// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer entry for the .cubex reader: ./dev fuzz
#include <cstddef>
#include <cstdint>
#include <string>

#include "archive/cubex/reader.h"
#include "archive/cubex/writer.h"
#include "archive/files/from_memory.h"

using epik::archive::Anchor;
using epik::archive::CheckDefinitions;
using epik::archive::FormatAnchor;
using epik::archive::FromMemory;
using epik::archive::ParseAnchor;
using epik::archive::ReadCubex;

// The first byte chooses the kind of the rest: a whole file, or an anchor.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string error;
  if (data[0] % 2 == 0) {
    epik::archive::Profile profile;
    if (ReadCubex(FromMemory(rest), &profile, &error)) {
      for (uint32_t m = 0; m < profile.metrics.size(); ++m) profile.Inclusive(m, 0);
    }
  } else {
    Anchor anchor;
    if (ParseAnchor(rest, &anchor, &error) && CheckDefinitions(anchor.definitions, &error)) {
      // Writing these definitions and reading them again must give the same definitions.
      Anchor again;
      if (!ParseAnchor(FormatAnchor(anchor.definitions, anchor.attributes), &again, &error)) __builtin_trap();
      if (again.definitions.call_paths != anchor.definitions.call_paths) __builtin_trap();
      if (again.definitions.metrics.size() != anchor.definitions.metrics.size()) __builtin_trap();
    }
  }
  return 0;
}
