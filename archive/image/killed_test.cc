// SPDX-License-Identifier: BSD-3-Clause
// What the arena of a killed process leaves to its reader: calls that are open, times that were not added yet, and
// chunks of the trace that were not written to its file.
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "archive/image/process_image.h"
#include "archive/image/test_arena.h"

namespace epik::archive {
namespace {

using event::Construct;
using event::RegionKey;

LocationImage ReadOnly(TestArena* arena, uint64_t skipped = 0) {
  ProcessImage image;
  std::string error;
  EXPECT_TRUE(ReadProcessImage(arena->bytes().data(), arena->bytes().size(), &image, &error)) << error;
  EXPECT_EQ(image.locations.size(), 1u);
  EXPECT_EQ(image.skipped, skipped);
  return image.locations.empty() ? LocationImage() : image.locations[0];
}

// Readers go from a node to its parent, up to the root.
TEST(Killed, AParentComesBeforeItsChild) {
  TestArena arena;
  const uint32_t at = arena.AddLocation(0);
  const uint32_t own = arena.AddNode(at, 0, 0x1000), early = arena.AddNode(at, 0, 0x2000);
  const uint32_t late = arena.AddNode(at, own, 0x3000);
  arena.node(own).parent = own;
  arena.node(early).parent = late;
  const LocationImage image = ReadOnly(&arena, 2);
  ASSERT_EQ(image.nodes.size(), 3u);
  EXPECT_EQ(image.nodes[0].parent, kNoNode);
  EXPECT_EQ(image.nodes[1].parent, kNoNode);
  EXPECT_EQ(image.nodes[2].parent, 0u);
}

TEST(Killed, AnOpenCallWithoutRoomIsFolded) {
  TestArena arena;
  const uint32_t at = arena.AddLocation(0);
  const uint32_t main = arena.AddNode(at, 0, 0x1000);
  arena.Push(at, main, 10);
  arena.Push(at, arena.location(at).sink, 20);
  const LocationImage image = ReadOnly(&arena);
  EXPECT_EQ(image.frames.size(), 1u);
  EXPECT_EQ(image.folded_visits, 1u);
}

// A thread of an OpenMP pool in the barrier at the end of a region that its leader has left at `joined`.
class Pool {
 public:
  explicit Pool(uint64_t joined) : at_(arena.AddLocation(1)) {
    root = arena.AddNode(at_, 0, RegionKey(event::kProgramRegion), 0, 1000);
    idle = arena.AddNode(at_, root, RegionKey(event::kIdleRegion));
    region = arena.AddNode(at_, root, 0x401000);
    barrier = arena.AddNode(at_, region, event::ConstructKey(Construct::kImplicitBarrier, 0x401000), 1, 70);
    arena.Push(at_, region, 100);
    arena.Push(at_, barrier, 150);
    arena.location(at_).omp_thread = 2;
    arena.location(at_).joined = joined;
  }
  event::Location& location() { return arena.location(at_); }

  TestArena arena;
  uint32_t root, idle, region, barrier;

 private:
  uint32_t at_;
};

TEST(Killed, AThreadThatHasDoneItsPartOfARegionIsIdleSinceTheEndOfTheRegion) {
  Pool pool(180);
  const LocationImage image = ReadOnly(&pool.arena);
  ASSERT_EQ(image.nodes.size(), 4u);
  EXPECT_EQ(image.nodes[0].ticks, 1080u);
  const event::Node &region = image.nodes[2], &barrier = image.nodes[3];
  EXPECT_EQ(region.visits, 1u);
  EXPECT_EQ(region.ticks, 80u);
  EXPECT_EQ(region.min, 80u);
  EXPECT_EQ(region.max, 80u);
  EXPECT_EQ(region.squares, 6400.0);
  EXPECT_EQ(barrier.visits, 2u);
  EXPECT_EQ(barrier.ticks, 100u);
  EXPECT_EQ(barrier.min, 30u);
  EXPECT_EQ(barrier.max, 70u);
  EXPECT_EQ(barrier.squares, 900.0);
  ASSERT_EQ(image.frames.size(), 1u);
  EXPECT_EQ(image.frames[0].key, RegionKey(event::kIdleRegion));
  EXPECT_EQ(image.frames[0].entered, 180u);
  EXPECT_EQ(image.frames[0].node, 1u);
  ASSERT_EQ(image.settled.size(), 2u);
  EXPECT_EQ(image.settled[1].node, 3u);
  EXPECT_EQ(image.settled_at, 180u);
}

// Frames keep the keys by which they were entered.
TEST(Killed, AThreadHasDoneItsPartOfARegionWhoseModuleIsGone) {
  Pool pool(180);
  pool.arena.node(pool.region).key = event::RetiredKey(0, 0x1000, Construct::kNone);
  pool.arena.node(pool.barrier).key = event::RetiredKey(0, 0x1000, Construct::kImplicitBarrier);
  const LocationImage image = ReadOnly(&pool.arena);
  ASSERT_EQ(image.nodes.size(), 4u);
  EXPECT_EQ(image.nodes[2].visits, 1u);
  EXPECT_EQ(image.nodes[2].ticks, 80u);
  EXPECT_EQ(image.nodes[3].visits, 2u);
  EXPECT_EQ(image.nodes[3].ticks, 100u);
  ASSERT_EQ(image.frames.size(), 1u);
  EXPECT_EQ(image.frames[0].key, RegionKey(event::kIdleRegion));
  EXPECT_EQ(image.settled_at, 180u);
}

TEST(Killed, AFrameOfAnotherConstructThanThatWhichIsGoneIsNotOpen) {
  Pool pool(0);
  pool.arena.node(pool.barrier).key = event::RetiredKey(0, 0x1000, Construct::kTask);
  EXPECT_EQ(ReadOnly(&pool.arena).frames.size(), 1u);
}

TEST(Killed, AThreadOfARegionThatGoesOnIsInIt) {
  for (const uint64_t joined : {0, 149}) {  // the end of a region before
    Pool pool(joined);
    const LocationImage image = ReadOnly(&pool.arena);
    EXPECT_EQ(image.frames.size(), 2u) << joined;
    EXPECT_EQ(image.nodes.at(2).visits, 0u) << joined;
    EXPECT_TRUE(image.settled.empty()) << joined;
  }
  Pool leader(180);
  leader.location().omp_thread = 0;
  EXPECT_EQ(ReadOnly(&leader.arena).frames.size(), 2u);
  Pool in_code(180);
  in_code.arena.node(in_code.barrier).key = 0x402000;
  --in_code.location().top;
  in_code.location().node = in_code.region;
  in_code.arena.Push(in_code.arena.chunks()[0] + 1, in_code.barrier, 150);
  EXPECT_EQ(ReadOnly(&in_code.arena).frames.size(), 2u);
  Pool never_idle(180);
  never_idle.arena.node(never_idle.idle).key = 0x403000;
  EXPECT_EQ(ReadOnly(&never_idle.arena).frames.size(), 2u);
}

// A node for displaced time has it in the place of its squares.
TEST(Killed, DisplacedTimeGoesToItsOwnCallers) {
  TestArena arena;
  const uint32_t at = arena.AddLocation(0);
  const auto displaced = [&](uint32_t below, int64_t ticks) {
    const uint32_t line = arena.AddNode(at, below, RegionKey(event::kDisplacedMetric), 1, 0);
    arena.node(line).squares = std::bit_cast<double>(ticks);
  };
  const uint32_t root = arena.AddNode(at, 0, 0x1000, 1, 200);
  const uint32_t where = arena.AddNode(at, root, 0x2000, 1, 100);
  const uint32_t inner = arena.AddNode(at, where, 0x3000, 1, 5);
  const uint32_t caller = arena.AddNode(at, root, 0x4000, 1, 20);
  displaced(inner, -10);
  displaced(caller, 10);
  const LocationImage image = ReadOnly(&arena);
  std::vector<uint64_t> ticks;
  for (const event::Node& node : image.nodes) ticks.push_back(node.ticks);
  // Of `inner` more was taken than it had: its time was not added yet.
  EXPECT_EQ(ticks, (std::vector<uint64_t>{200, 90, 0, 30, 0, 0}));
}

TEST(Killed, ChunksOfTheTraceAreAsFullAsTheLocationSays) {
  TestArena arena;
  const uint32_t at = arena.AddLocation(0);
  constexpr uint32_t kWordsOfLine = base::kLineBytes / sizeof(uint64_t);
  constexpr uint32_t kMost = (base::kChunkLines - 1) * kWordsOfLine;
  arena.AddTrace(at, 2, 5);
  arena.AddTrace(at, 1, kMost + 1);  // more than there is room for
  const uint32_t last = arena.AddTrace(at, 3, 1);
  arena.AddTrace(at, 0, 9);  // in the file of the trace already
  const auto counts = [&](uint32_t words) {
    arena.location(at).log_at = (last + 1) * kWordsOfLine + words;
    std::vector<uint32_t> found;
    for (const TraceChunk& chunk : ReadOnly(&arena).trace) {
      EXPECT_EQ(chunk.order, found.size() + 1);
      found.push_back(chunk.count);
    }
    return found;
  };
  EXPECT_EQ(counts(7), (std::vector<uint32_t>{kMost, 5, 1})) << "no chunk is being filled";
  arena.location(at).log_chunk = last;
  EXPECT_EQ(counts(7), (std::vector<uint32_t>{kMost, 5, 7}));
  EXPECT_EQ(counts(0), (std::vector<uint32_t>{kMost, 5, 0}));
  EXPECT_EQ(counts(~0u), (std::vector<uint32_t>{kMost, 5, 0})) << "before its first word";
  EXPECT_EQ(counts(kMost + 1), (std::vector<uint32_t>{kMost, 5, kMost}));
}

}  // namespace
}  // namespace epik::archive
