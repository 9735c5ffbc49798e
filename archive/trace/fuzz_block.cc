// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer entry for the decoder of blocks: ./dev fuzz. An input is a block. Checksums are made right, so that the
// decoder reaches the damage.
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "archive/trace/block_decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace epik::epilog;
  static epik::archive::BlockDecoder decoder;  // readers, too, use one decoder for many blocks
  BlockHeader header;
  if (size < sizeof header) return 0;
  std::memcpy(&header, data, sizeof header);
  // A copy of exactly its size, so that reads beyond its end are found.
  const std::vector<uint8_t> payload(data + sizeof header, data + size);
  header.magic = kBlockMagic;
  header.header_bytes = sizeof header;
  header.payload_bytes = static_cast<uint32_t>(payload.size());
  header.payload_crc = static_cast<uint32_t>(crc32(0, payload.data(), header.payload_bytes));
  header.method %= kMethods;
  if ((header.method & kDeflate) == 0) {
    uint32_t left = header.payload_bytes;
    for (unsigned i = 0; i + 1 < kColumns; ++i) {
      header.column_bytes[i] = std::min(header.column_bytes[i], left);
      left -= header.column_bytes[i];
    }
    header.column_bytes[kColumns - 1] = left;
  }
  header.header_crc = 0;
  header.header_crc = static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(&header), sizeof header));
  BlockHeader checked;
  std::string error;
  if (epik::archive::CheckBlockHeader(&header, &checked) != nullptr || !decoder.Open(checked, payload.data(), &error))
    return 0;
  epik::archive::Event event;
  uint64_t last = 0;
  uint32_t events = 0;
  int64_t depth = checked.depth;
  while (decoder.Next(&event)) {
    if (event.time < last || event.time > checked.last_time) __builtin_trap();
    last = event.time;
    depth += event.kind == epik::event::RecordKind::kEnter ? 1 : event.kind == epik::event::RecordKind::kExit ? -1 : 0;
    if (depth != decoder.depth() || depth < 0) __builtin_trap();
    ++events;
  }
  if (events > checked.events || (events < checked.events && decoder.error().empty())) __builtin_trap();
  if (decoder.OpenNodes().size() > kMostSlots) __builtin_trap();
  return 0;
}
