// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer entry for the reader of arenas: ./dev fuzz. Inputs are small, but arenas are not: an input says where a
// valid arena is cut, and which words are put into it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "archive/image/process_image.h"
#include "archive/image/test_arena.h"

namespace {

using epik::archive::kNoNode;
using epik::archive::LocationImage;
using epik::archive::ProcessImage;

struct Patch {
  uint32_t place;  // number of the word, among those that are not zero and a few more
  uint32_t value;
};

struct Base {
  std::string bytes = epik::archive::SampleArena().bytes();
  std::vector<uint32_t> words;

  Base() {
    for (size_t line = 0; line < bytes.size() / epik::base::kLineBytes; ++line) {
      const size_t begin = line * epik::base::kLineBytes;
      if (bytes.find_first_not_of('\0', begin) >= begin + epik::base::kLineBytes) continue;
      for (size_t at = 0; at < epik::base::kLineBytes; at += 4) words.push_back(static_cast<uint32_t>(begin + at));
    }
  }
};

void Check(const ProcessImage& image) {
  for (const LocationImage& location : image.locations) {
    for (size_t i = 0; i < location.nodes.size(); ++i) {
      if (location.nodes[i].parent != kNoNode && location.nodes[i].parent >= i) __builtin_trap();
    }
    for (const auto& frame : location.frames) {
      if (frame.node >= location.nodes.size() || frame.key != location.nodes[frame.node].key) __builtin_trap();
    }
  }
  image.LastTicks();
  image.SecondsPerTick();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Base base;
  if (size < 4) return 0;
  uint32_t cut;
  std::memcpy(&cut, data, sizeof cut);
  std::vector<char> bytes(base.bytes.begin(), base.bytes.end());
  for (size_t at = sizeof cut; at + sizeof(Patch) <= size; at += sizeof(Patch)) {
    Patch patch;
    std::memcpy(&patch, data + at, sizeof patch);
    std::memcpy(bytes.data() + base.words[patch.place % base.words.size()], &patch.value, sizeof patch.value);
  }
  if (cut % 2 != 0) bytes.resize(cut / 2 % bytes.size());
  bytes.shrink_to_fit();
  ProcessImage image;
  std::string error;
  if (epik::archive::ReadProcessImage(bytes.data(), bytes.size(), &image, &error)) Check(image);
  return 0;
}
