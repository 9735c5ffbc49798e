// SPDX-License-Identifier: BSD-3-Clause
// Builds arenas by hand, as docs/formats.md describes their bytes, so that tests of readers need no process.
#ifndef EPIK_ARCHIVE_IMAGE_TEST_ARENA_H_
#define EPIK_ARCHIVE_IMAGE_TEST_ARENA_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/event/layout.h"

namespace epik::archive {

class TestArena {
 public:
  TestArena();

  event::ProcessHeader& header() { return *At<event::ProcessHeader>(0); }
  event::Location& location(uint32_t line) { return *At<event::Location>(line); }
  event::Node& node(uint32_t line) { return *At<event::Node>(line); }
  base::ChunkHeader& chunk(uint32_t line) { return *At<base::ChunkHeader>(line); }

  // These functions return and take lines, as names of objects. A location comes with its sink and an empty stack.
  uint32_t AddLocation(uint32_t number, uint32_t frames_lines = base::kChunkLines);
  uint32_t AddNode(uint32_t location, uint32_t parent, event::Key key, uint64_t visits = 0, uint64_t ticks = 0);
  void Push(uint32_t location, uint32_t node, uint64_t entered);
  uint32_t AddTrace(uint32_t location, uint32_t order, uint32_t words);

  void Define(event::RecordType type, std::string_view payload);
  void DefineRegion(uint32_t region, const std::string& name, event::Role role = event::Role::kUser,
                    const std::string& file = "", int line = -1);
  void DefineCounter(uint32_t number, event::CounterKind kind, double scale, const std::string& name,
                     const std::string& text);
  void DefineModule(const std::string& path, uint64_t begin, uint64_t end);

  std::string& bytes() { return bytes_; }
  const std::vector<uint32_t>& chunks() const { return chunks_; }  // lines

 private:
  template <class T>
  T* At(uint32_t line) {
    return reinterpret_cast<T*>(bytes_.data() + size_t{line} * base::kLineBytes);
  }
  uint32_t AddChunk(base::ChunkKind kind, uint32_t owner, uint32_t lines = base::kChunkLines);

  std::string bytes_;
  std::vector<uint32_t> chunks_;
  uint32_t locations_chunk_ = 0;
  uint32_t definitions_chunk_ = 0;
};

// An arena with one object of each kind: two threads with open frames, a stack that is being moved, all kinds of
// records, modules that do not exist.
TestArena SampleArena();

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_IMAGE_TEST_ARENA_H_
