// SPDX-License-Identifier: BSD-3-Clause
// The reader on whole, cut and damaged arenas: it always answers, in memory bounded by the input, and what it answers
// can be walked without another check.
#include "archive/image/process_image.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "archive/image/test_arena.h"

namespace {

size_t live_bytes = 0;
size_t peak_bytes = 0;

void* Take(size_t bytes) {
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  live_bytes += malloc_usable_size(memory);
  if (live_bytes > peak_bytes) peak_bytes = live_bytes;
  return memory;
}

void Give(void* memory) noexcept {
  if (memory != nullptr) live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(size_t bytes) { return Take(bytes); }
// std::stable_sort calls this. A sanitizer has its own, which would not fit our delete.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return Take(bytes); }
void operator delete(void* memory) noexcept { Give(memory); }
void operator delete(void* memory, size_t) noexcept { Give(memory); }

namespace epik::archive {
namespace {

using event::RecordType;

constexpr int kRounds = 60'000;

// Enough for the smallest record that becomes the largest object: a command of empty words, 32 bytes for each.
constexpr size_t kBytesForEach = 48;
constexpr size_t kBytesBesides = 16384;

void ExpectConsistent(const ProcessImage& image) {
  for (const LocationImage& location : image.locations) {
    for (size_t i = 0; i < location.nodes.size(); ++i) {
      const uint32_t parent = location.nodes[i].parent;
      ASSERT_TRUE(parent == kNoNode || parent < i);
    }
    uint64_t entered = 0;
    for (const OpenFrame& frame : location.frames) {
      ASSERT_LT(frame.node, location.nodes.size());
      ASSERT_EQ(frame.key, location.nodes[frame.node].key);
      ASSERT_GE(frame.entered, entered);
      entered = frame.entered;
    }
  }
  ASSERT_EQ(std::memchr(image.header.host, '\0', sizeof image.header.host) == nullptr, false);
}

// Reads from memory of exactly that size, so that a sanitizer sees a byte too far.
bool Read(const std::string& bytes, size_t size, ProcessImage* image) {
  std::string error;
  const size_t before = live_bytes;
  peak_bytes = before;
  const bool ok = ReadProcessImage(bytes.data(), size, image, &error);
  EXPECT_LE(peak_bytes - before, size * kBytesForEach + kBytesBesides);
  EXPECT_EQ(ok, error.empty());
  if (ok) ExpectConsistent(*image);
  return ok;
}

bool Read(const std::string& bytes, ProcessImage* image) { return Read(bytes, bytes.size(), image); }

TEST(ProcessImage, SaysWhatTheArenaSays) {
  ProcessImage image;
  ASSERT_TRUE(Read(SampleArena().bytes(), &image));
  EXPECT_EQ(image.skipped, 0u);
  EXPECT_EQ(image.program, "/nowhere/program");
  EXPECT_EQ(image.command, (std::vector<std::string>{"program", "-n", ""}));
  EXPECT_EQ(image.title, "x");
  EXPECT_EQ(image.notes, (std::vector<std::string>{"a sentence"}));
  ASSERT_EQ(image.modules.size(), 2u);
  EXPECT_EQ(image.modules[1].path, "/nowhere/library.so");
  EXPECT_EQ(image.modules[1].build_id, "0123abcd");
  ASSERT_EQ(image.regions.size(), 3u);
  EXPECT_EQ(image.regions[16].name, "phase");
  EXPECT_EQ(image.regions[16].file, "file.cc");
  EXPECT_EQ(image.regions[16].line, 12);
  ASSERT_EQ(image.locations.size(), 2u);
  EXPECT_EQ(image.locations[0].nodes.size(), 9u);
  EXPECT_EQ(image.locations[1].nodes.size(), 10u);
  ASSERT_EQ(image.locations[0].frames.size(), 4u);
  EXPECT_EQ(image.locations[0].frames[1].key, 0x401000u);
  EXPECT_EQ(image.locations[1].frames.size(), 4u);
  EXPECT_DOUBLE_EQ(image.SecondsPerTick(), 1e-9);
}

TEST(ProcessImage, AParentInAnotherLocationIsDamage) {
  TestArena arena;
  const uint32_t first = arena.AddLocation(0);
  const uint32_t foreign = arena.AddNode(first, 0, 0x1000);
  const uint32_t second = arena.AddLocation(1);
  arena.AddNode(second, 0, 0x2000);
  arena.AddNode(second, foreign, 0x3000);
  ProcessImage image;
  ASSERT_TRUE(Read(arena.bytes(), &image));
  EXPECT_EQ(image.skipped, 1u);
  EXPECT_EQ(image.locations.at(1).nodes.at(1).parent, kNoNode);
}

TEST(ProcessImage, AFrameThatIsReservedButNotFilledIsNotOpen) {
  TestArena arena = SampleArena();
  const uint32_t line = arena.chunks()[1] + 1;
  arena.location(line).top += 1;
  ProcessImage image;
  ASSERT_TRUE(Read(arena.bytes(), &image));
  for (const LocationImage& location : image.locations) EXPECT_LE(location.frames.size(), 4u);
}

TEST(ProcessImage, TruncatedAnywhereItReadsWhatIsThere) {
  TestArena arena = SampleArena();
  const std::string whole = arena.bytes();
  ProcessImage image;
  EXPECT_FALSE(Read("", &image));
  std::vector<size_t> ends = {0, 1, 8, sizeof(event::ProcessHeader) - 1, sizeof(event::ProcessHeader), whole.size()};
  for (const uint32_t line : arena.chunks()) {
    for (const int delta : {-64, -1, 0, 1, 63, 64, 65, 4096}) ends.push_back(line * base::kLineBytes + delta);
  }
  for (const size_t end : ends) {
    const std::string bytes = whole.substr(0, end);
    const std::vector<char> exact(bytes.begin(), bytes.end());
    std::string error;
    const bool ok = ReadProcessImage(exact.data(), exact.size(), &image, &error);
    EXPECT_EQ(ok, end >= sizeof(event::ProcessHeader)) << end;
    if (ok) ExpectConsistent(image);
  }
}

// In place, and taken back afterwards: a copy of all bytes for each round would take longer than the reader.
class Mutator {
 public:
  explicit Mutator(std::string* bytes) : bytes_(bytes) {
    for (size_t line = 0; line < bytes->size() / base::kLineBytes; ++line) {
      const size_t begin = line * base::kLineBytes;
      if (bytes->find_first_not_of('\0', begin) < begin + base::kLineBytes) used_lines_.push_back(begin);
    }
  }

  void Change() {
    for (uint64_t n = random_() % 4 + 1; n > 0; --n) {
      const size_t begin = used_lines_[random_() % used_lines_.size()];
      if (random_() % 3 == 0) {
        Put(begin + random_() % base::kLineBytes, 1, random_());
      } else {
        Put(begin + random_() % (base::kLineBytes / 4) * 4, 4, Telling());
      }
    }
  }

  void Restore() {
    for (; !old_.empty(); old_.pop_back()) (*bytes_)[old_.back().first] = old_.back().second;
  }

 private:
  uint64_t Telling() {
    switch (random_() % 6) {
      case 0: return 0;
      case 1: return ~uint64_t{0};
      case 2: return random_() % (bytes_->size() / base::kLineBytes + 2);      // a line
      case 3: return random_() % (bytes_->size() / sizeof(event::Frame) + 2);  // a frame
      case 4: return uint64_t{1} << random_() % 32;
      default: return random_() % 64;
    }
  }

  void Put(size_t at, size_t count, uint64_t value) {
    for (size_t i = 0; i < count; ++i) {
      old_.emplace_back(at + i, (*bytes_)[at + i]);
      (*bytes_)[at + i] = static_cast<char>(value >> 8 * i);
    }
  }

  std::string* bytes_;
  std::vector<size_t> used_lines_;
  std::vector<std::pair<size_t, char>> old_;
  std::mt19937_64 random_{20250117};
};

TEST(ProcessImage, DamagedBytesAreSurvived) {
  TestArena arena = SampleArena();
  Mutator mutator(&arena.bytes());
  ProcessImage image;
  int accepted = 0;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    mutator.Change();
    accepted += Read(arena.bytes(), &image);
    mutator.Restore();
  }
  EXPECT_GT(accepted, kRounds / 2);
}

TEST(ProcessImage, RecordsOfNothingTakeBoundedMemory) {
  TestArena arena;
  arena.Define(RecordType::kCommand, std::string(1 << 20, '\0'));
  for (int i = 0; i < 10'000; ++i) arena.Define(RecordType::kNote, "");
  for (int i = 0; i < 10'000; ++i) arena.DefineRegion(static_cast<uint32_t>(i), "");
  ProcessImage image;
  ASSERT_TRUE(Read(arena.bytes(), &image));
  EXPECT_EQ(image.command.size(), size_t{1} << 20);
}

template <class... Parts>
std::string Bytes(const Parts&... parts) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&parts), sizeof parts), ...);
  return bytes;
}

TEST(ProcessImage, TopologiesAndClocks) {
  using event::TopologyDimension;
  using event::TopologyRecord;
  using namespace std::string_literals;
  TestArena arena;
  arena.Define(RecordType::kTopology,
               Bytes(TopologyRecord{7, 2, 0}, TopologyDimension{4, 1, 3}, TopologyDimension{2, 0, 0}) + "old\0"s);
  arena.Define(RecordType::kTopology, Bytes(TopologyRecord{8, 1, 0}, TopologyDimension{1, 0, 0}) + "line\0x\0"s);
  arena.Define(RecordType::kTopology,
               Bytes(TopologyRecord{7, 2, 0}, TopologyDimension{4, 1, 3}, TopologyDimension{2, 0, 1}) + "new\0"s);
  // A place outside, no dimension, more dimensions than there are bytes, half a record.
  arena.Define(RecordType::kTopology, Bytes(TopologyRecord{1, 1, 0}, TopologyDimension{4, 0, 4}) + "\0"s);
  arena.Define(RecordType::kTopology, Bytes(TopologyRecord{2, 0, 0}) + "\0"s);
  arena.Define(RecordType::kTopology, Bytes(TopologyRecord{3, 9, 0}, TopologyDimension{4, 0, 1}) + "\0"s);
  arena.Define(RecordType::kTopology, "1234");
  arena.Define(RecordType::kClock, Bytes(event::ClockOffset{10, 20, 30}));
  arena.Define(RecordType::kClock, "1234");
  ProcessImage image;
  ASSERT_TRUE(Read(arena.bytes(), &image));
  EXPECT_EQ(image.skipped, 5u);
  ASSERT_EQ(image.topologies.size(), 2u);
  EXPECT_EQ(image.topologies[0].name, "new");
  EXPECT_EQ(image.topologies[0].dimensions[1].coordinate, 1);
  EXPECT_TRUE(image.topologies[0].dimension_names.empty());
  EXPECT_EQ(image.topologies[1].name, "line");
  EXPECT_EQ(image.topologies[1].dimension_names, std::vector<std::string>{"x"});
  ASSERT_EQ(image.clock_offsets.size(), 1u);
  EXPECT_EQ(image.clock_offsets[0].offset_ns, 20);
}

TEST(ProcessImage, PendingVisitsAreAddedToTheirNodes) {
  TestArena arena;
  const uint32_t at = arena.AddLocation(0);
  const uint32_t root = arena.AddNode(at, 0, event::RegionKey(event::kProgramRegion));
  const uint32_t leaf = arena.AddNode(at, root, 0x401000, 2, 20);
  const uint32_t gone = arena.AddNode(at, root, event::RetiredKey(0, 0x10, event::Construct::kNone), 1, 5);
  event::PendingVisit* pending = arena.location(at).pending;
  pending[0] = {0x401000, 30, leaf};
  pending[1] = {0x401000, 3, leaf};
  pending[2] = {0x7f0000000010, 6, gone};  // ended before its module was unmapped
  pending[3] = {0x402000, 9, arena.location(at).sink};
  pending[4] = {0x402000, 40, leaf};  // its thread has stopped before it wrote the key
  pending[5] = {0x401000, 1000, uint64_t{1} << 40};
  pending[7] = {0x401000, 1000, at};
  ProcessImage image;
  ASSERT_TRUE(Read(arena.bytes(), &image));
  const LocationImage& location = image.locations.at(0);
  ASSERT_EQ(location.nodes.size(), 3u);
  EXPECT_EQ(location.nodes[0].visits, 0u);
  EXPECT_EQ(location.nodes[1].visits, 5u);
  EXPECT_EQ(location.nodes[1].ticks, 93u);
  EXPECT_EQ(location.nodes[1].min, 3u);
  EXPECT_EQ(location.nodes[1].max, 40u);
  EXPECT_EQ(location.nodes[2].visits, 2u);
  EXPECT_EQ(location.nodes[2].ticks, 11u);
  EXPECT_EQ(location.folded_visits, 1u);
}

// An arena whose process goes on with it as soon as the reader comes to a page of it.
struct LiveArena {
  char* bytes = nullptr;
  char* page = nullptr;
  std::string later;
};
LiveArena live_arena;

void GoOn(int) {
  mprotect(live_arena.page, static_cast<size_t>(getpagesize()), PROT_READ | PROT_WRITE);
  std::memcpy(live_arena.bytes, live_arena.later.data(), live_arena.later.size());
}

// The reader took the inside of such a chunk for damage, and left the chunk out.
TEST(ProcessImage, AChunkThatIsMadeWhileTheReaderIsInItIsReadWhole) {
  constexpr uint32_t kLines = 3 * base::kChunkLines;
  TestArena arena;
  const uint32_t location = arena.AddLocation(0, kLines);
  const uint32_t node = arena.AddNode(location, 0, event::RegionKey(event::kFirstDefinedRegion));
  for (uint32_t i = 0; i < kLines; ++i) arena.Push(location, node, i);
  const size_t frames = size_t{arena.chunks()[1]} * base::kLineBytes;
  const size_t inside = frames + size_t{base::kChunkLines} * base::kLineBytes;
  if (inside % static_cast<size_t>(getpagesize()) != 0) GTEST_SKIP() << "pages are larger than chunks";
  live_arena.later = arena.bytes();
  void* mapped = mmap(nullptr, arena.bytes().size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  live_arena.bytes = static_cast<char*>(mapped);
  std::memcpy(live_arena.bytes, arena.bytes().data(), arena.bytes().size());
  std::memset(live_arena.bytes + frames, 0, size_t{kLines} * base::kLineBytes);
  live_arena.page = live_arena.bytes + inside;
  ASSERT_EQ(mprotect(live_arena.page, static_cast<size_t>(getpagesize()), PROT_NONE), 0);
  const auto before = std::signal(SIGSEGV, GoOn);
  ProcessImage image;
  std::string error;
  EXPECT_TRUE(ReadProcessImage(live_arena.bytes, arena.bytes().size(), &image, &error)) << error;
  std::signal(SIGSEGV, before);
  EXPECT_EQ(image.skipped, 0u);
  ASSERT_EQ(image.locations.size(), 1u);
  EXPECT_EQ(image.locations[0].frames.size(), size_t{kLines});
  munmap(mapped, arena.bytes().size());
}

// Time, too: neither many chunks nor many locations may multiply.
TEST(ProcessImage, ManyLocationsAndChunksAreReadInOnePass) {
  constexpr uint32_t kLocations =
      (base::kChunkLines - 1) / (sizeof(event::Location) / base::kLineBytes);  // a chunk full
  TestArena arena;
  std::vector<uint32_t> lines;
  for (uint32_t i = 0; i < kLocations; ++i) lines.push_back(arena.AddLocation(i));
  // The same chunk of frames is everybody's neighbour: a hundred thousand locations, as a hostile file may say.
  std::string bytes = arena.bytes();
  constexpr uint32_t kMany = 400;
  constexpr size_t kChunkBytes = base::kChunkLines * base::kLineBytes;
  const std::string locations = bytes.substr(base::kFirstChunkLine * base::kLineBytes, kChunkBytes);
  const std::string frames = bytes.substr(base::kFirstChunkLine * base::kLineBytes + kChunkBytes, kChunkBytes);
  for (uint32_t i = 0; i < kMany; ++i) bytes += locations + frames + frames + frames;
  reinterpret_cast<event::ProcessHeader*>(bytes.data())->arena.lines_used =
      static_cast<uint32_t>(bytes.size() / base::kLineBytes);
  const auto begin = std::chrono::steady_clock::now();
  ProcessImage image;
  ASSERT_TRUE(Read(bytes, &image));
  EXPECT_EQ(image.locations.size(), size_t{kLocations} * (kMany + 1));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

std::string NamesOf(const ProcessImage& image) {
  std::string names;
  for (const auto& [number, region] : image.regions) names += std::to_string(number) + region.name + " ";
  for (const auto& [number, communicator] : image.communicators)
    names += std::to_string(number) + communicator.name + " ";
  return names;
}

TEST(ProcessImage, ReadAgainHasWhatANewReadingHas) {
  TestArena arena = SampleArena();
  const uint32_t location = arena.AddLocation(7);
  ProcessImage image;
  std::string error;
  // Reads the arena again, and compares with a reading from nothing.
  const auto read_again = [&](uint64_t damages) {
    ProcessImage fresh;
    ASSERT_TRUE(ReadProcessImage(arena.bytes().data(), arena.bytes().size(), &fresh, &error)) << error;
    ASSERT_TRUE(ReadProcessImageAgain(arena.bytes().data(), arena.bytes().size(), &image, &error)) << error;
    EXPECT_EQ(NamesOf(image), NamesOf(fresh));
    EXPECT_EQ(image.command, fresh.command);
    EXPECT_EQ(image.modules.size(), fresh.modules.size());
    EXPECT_EQ(image.counters.size(), fresh.counters.size());
    EXPECT_EQ(image.notes, fresh.notes);
    EXPECT_EQ(image.skipped, damages);
    EXPECT_EQ(image.skipped, fresh.skipped);
    ASSERT_EQ(image.locations.size(), fresh.locations.size());
    for (size_t i = 0; i < image.locations.size(); ++i) {
      EXPECT_EQ(image.locations[i].nodes.size(), fresh.locations[i].nodes.size());
    }
    ExpectConsistent(image);
  };
  read_again(0);
  const auto* kept = image.command.data();
  arena.AddNode(location, 0, event::RegionKey(500), 3, 300);
  read_again(0);
  EXPECT_EQ(image.command.data(), kept) << "a new call path alone needs no reading of definitions";
  arena.DefineRegion(5000, "in mid-run");
  read_again(0);
  EXPECT_EQ(image.regions.at(5000).name, "in mid-run");
  event::CommunicatorRecord communicator = {};
  communicator.number = 9;
  communicator.id = 900;
  std::string payload(reinterpret_cast<const char*>(&communicator), sizeof communicator);
  arena.Define(RecordType::kCommunicator, payload + std::string("halves\0", 7));
  read_again(0);
  EXPECT_EQ(image.communicators.at(9).name, "halves");
  arena.Define(RecordType::kRegion, "short");
  read_again(1);
  read_again(1);
  arena.bytes()[0] = 'x';
  EXPECT_FALSE(ReadProcessImageAgain(arena.bytes().data(), arena.bytes().size(), &image, &error));
}

}  // namespace
}  // namespace epik::archive
