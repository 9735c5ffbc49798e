// SPDX-License-Identifier: BSD-3-Clause
// Files of blocks are found with and without their index. They are read by location, from a time on, and merged. The
// events are ordered and nested, even if data is missing.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "archive/trace/merged_reader.h"
#include "archive/trace/test_trace.h"

namespace epik::archive {
namespace {

using event::RecordKind;

std::string PathOf(const char* name) { return ::testing::TempDir() + "/readers_" + name + ".elg"; }

// Random calls, from `time` on; all of them are left at the end.
std::vector<std::vector<uint64_t>> RandomBlocks(std::mt19937_64* random, uint64_t time, int blocks) {
  std::vector<std::vector<uint64_t>> result(static_cast<size_t>(blocks));
  uint32_t depth = 0;
  for (auto& words : result) {
    const size_t count = 50 + (*random)() % 500;
    while (words.size() < count) {
      time += (*random)() % 50;
      const bool enter = depth == 0 || (depth < 40 && (*random)() % 2 == 0);
      words.push_back(enter ? EnterWord(time, 300 + (*random)() % 20) : ExitWord(time));
      depth += enter ? 1 : -1u;
    }
  }
  for (; depth > 0; --depth) result.back().push_back(ExitWord(++time));
  return result;
}

struct Seen {
  uint64_t events = 0;
  uint64_t made_up = 0;
  uint64_t gaps = 0;
  size_t open = 0;  // number of frames open at the end
};

// Reads a location to its end. The events are ordered and nested, and each exit has the node of its enter.
Seen ReadAll(LocationReader* reader) {
  Seen seen;
  Event event;
  uint64_t time = 0;
  std::vector<uint32_t> stack;
  while (reader->Next(&event)) {
    EXPECT_GE(event.time, time);
    time = event.time;
    seen.events += event.made_up ? 0 : 1;
    seen.made_up += event.made_up ? 1 : 0;
    if (event.kind == RecordKind::kEnter) {
      EXPECT_EQ(stack.size(), event.depth);
      stack.push_back(event.node);
    } else if (event.kind == RecordKind::kExit) {
      if (stack.empty() || stack.back() != event.node || stack.size() - 1 != event.depth) {
        ADD_FAILURE() << "a frame ends that was not the innermost";
        break;
      }
      stack.pop_back();
    } else if (event.kind == RecordKind::kGap) {
      ++seen.gaps;
    }
    EXPECT_EQ(stack, reader->stack());
    if (::testing::Test::HasFailure()) break;
  }
  seen.open = stack.size();
  return seen;
}

TEST(ProcessFile, IndexSaysWhatASearchFinds) {
  std::mt19937_64 random(1);
  TestTrace trace;
  uint64_t words = 0;
  for (const auto& block : RandomBlocks(&random, 1000, 20)) {
    trace.Add(words % 3, block, static_cast<int>(words % 7));
    ++words;
  }
  const std::string path = PathOf("index");
  trace.Write(path);
  ProcessFile before;
  ProcessFile after;
  std::string error;
  ASSERT_TRUE(before.Open(path, &error)) << error;
  EXPECT_FALSE(before.has_index());
  EXPECT_EQ(-1, before.header().rank);
  ASSERT_TRUE(FinishProcessFile(path, 17, &error)) << error;
  ASSERT_TRUE(after.Open(path, &error)) << error;
  EXPECT_TRUE(after.has_index());
  EXPECT_EQ(17, after.header().rank);
  EXPECT_EQ(1234u, after.header().process_id);
  ASSERT_EQ(20u, after.blocks().size());
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(trace.offsets()[i], after.blocks()[i].offset);
    EXPECT_EQ(0, std::memcmp(&before.blocks()[i], &after.blocks()[i], sizeof(epilog::IndexEntry)));
  }
  EXPECT_TRUE(before.damage().empty());
  EXPECT_TRUE(after.damage().empty());
  // An existing index is not taken for a block, and a second index is not taken for damage.
  ASSERT_TRUE(after.OpenAndSearch(path, &error));
  EXPECT_EQ(20u, after.blocks().size());
  EXPECT_TRUE(after.damage().empty());
}

TEST(ProcessFile, WhatIsNoneIsRefused) {
  ProcessFile file;
  std::string error;
  EXPECT_FALSE(file.Open(PathOf("missing"), &error));
  EXPECT_NE("", error);
  TestTrace trace;
  trace.bytes()[8] = 99;
  trace.Write(PathOf("version"));
  EXPECT_FALSE(file.Open(PathOf("version"), &error));
  EXPECT_NE(std::string::npos, error.find("version 99")) << error;
  EXPECT_FALSE(file.Open("/", &error));
}

TEST(LocationReader, EveryLossIsAGapAndTheRestIsNested) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100; ++round) {
    TestTrace trace;
    uint64_t events = 0;
    for (const auto& block : RandomBlocks(&random, 1000, 10)) {
      trace.Add(0, block);
      events += block.size();
    }
    const std::string path = PathOf("loss");
    const size_t hit = random() % 10;
    const size_t from = trace.offsets()[hit];
    const size_t to = hit == 9 ? trace.bytes().size() : trace.offsets()[hit + 1];
    const bool in_header = round % 2 == 0;
    if (round % 4 < 2) {
      trace.bytes()[from + (in_header ? random() % 128 : 128 + random() % (to - from - 136))] ^= 0x10;
    } else {
      std::memset(&trace.bytes()[from], 0, to - from);
    }
    trace.Write(path);
    ProcessFile file;
    std::string error;
    ASSERT_TRUE(file.Open(path, &error)) << error;
    LocationReader reader(&file, 0);
    const Seen seen = ReadAll(&reader);
    ASSERT_FALSE(HasFailure());
    EXPECT_LT(seen.events, events);
    EXPECT_GT(seen.events, events / 3);
    EXPECT_GT(reader.damage().size() + file.damage().size(), 0u);
    if (hit != 9) {
      EXPECT_EQ(1u, seen.gaps);
      EXPECT_EQ(0u, seen.open);
    }
  }
}

TEST(LocationReader, FromAnyTimeOn) {
  std::mt19937_64 random(3);
  TestTrace trace;
  for (const auto& block : RandomBlocks(&random, 1000, 30)) trace.Add(0, block);
  trace.Write(PathOf("seek"));
  ProcessFile file;
  std::string error;
  ASSERT_TRUE(file.Open(PathOf("seek"), &error)) << error;
  std::vector<Event> all;
  std::vector<std::vector<uint32_t>> stacks;
  LocationReader reader(&file, 0);
  Event event;
  while (reader.Next(&event)) {
    all.push_back(event);
    stacks.push_back(reader.stack());
  }
  for (int i = 0; i < 200; ++i) {
    const uint64_t time = 900 + random() % (all.back().time - 800);
    size_t first = 0;
    while (first < all.size() && all[first].time < time) ++first;
    reader.Seek(time);
    for (size_t k = first; k < std::min(first + 300, all.size()); ++k) {
      ASSERT_TRUE(reader.Next(&event));
      ASSERT_EQ(all[k].time, event.time);
      ASSERT_EQ(all[k].node, event.node);
      ASSERT_EQ(stacks[k], reader.stack());
    }
  }
}

// A block has the innermost frames; the call tree gives the frames below them.
TEST(LocationReader, DeepFramesHaveTheirNamesFromTheCallTree) {
  constexpr uint32_t kDepth = 3 * epilog::kMostOpen;
  constexpr uint32_t kFirst = 1000;
  TestTrace trace;
  std::vector<uint64_t> down;
  std::vector<uint64_t> up;
  for (uint32_t i = 0; i < kDepth; ++i) down.push_back(EnterWord(10 + i, kFirst + i));
  for (uint32_t i = 0; i < kDepth; ++i) up.push_back(ExitWord(10 + kDepth + i));
  trace.Add(0, down);
  trace.Add(0, up);
  trace.Write(PathOf("deep"));
  ProcessFile file;
  std::string error;
  ASSERT_TRUE(file.Open(PathOf("deep"), &error)) << error;
  for (const bool known : {false, true}) {
    LocationReader reader(&file, 0, [known](uint32_t node) { return known && node > kFirst ? node - 1 : 0; });
    reader.Seek(10 + kDepth);
    Event event;
    uint32_t unknown = 0;
    for (uint32_t i = kDepth; i-- > 0;) {
      ASSERT_TRUE(reader.Next(&event));
      unknown += event.node == 0;
      if (known) {
        ASSERT_EQ(kFirst + i, event.node);
      }
    }
    EXPECT_FALSE(reader.Next(&event));
    EXPECT_EQ(known ? 0 : kDepth - epilog::kMostOpen, unknown);
  }
}

// A file of a hundred bytes must not become millions of lines.
TEST(LocationReader, ADepthThatNothingBearsIsDamage) {
  TestTrace trace;
  for (uint32_t i = 0; i < 100; ++i) trace.Add(0, {EnterWord(10 + 2 * i, 300), ExitWord(11 + 2 * i)});
  for (const size_t offset : trace.offsets()) {
    epilog::BlockHeader header;
    std::memcpy(&header, &trace.bytes()[offset], sizeof header);
    header.depth = header.end_depth = epilog::kMostDepth;
    header.first_word += 1;  // so that it does not follow the block before
    header.header_crc = 0;
    header.header_crc = static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(&header), sizeof header));
    std::memcpy(&trace.bytes()[offset], &header, sizeof header);
  }
  trace.Write(PathOf("borne"));
  ProcessFile file;
  std::string error;
  ASSERT_TRUE(file.Open(PathOf("borne"), &error)) << error;
  ASSERT_EQ(100u, file.blocks().size());
  LocationReader reader(&file, 0, [](uint32_t) { return 0u; });
  EXPECT_EQ(0u, ReadAll(&reader).events);
  ASSERT_EQ(100u, reader.damage().size());
  EXPECT_EQ("a block is left out: it begins deeper than anything known could be", reader.damage()[0].what);
}

TEST(ProcessFile, ABlockThatWasWrittenAgainCountsOnce) {
  TestTrace trace;
  trace.Add(0, {EnterWord(10, 300), EnterWord(11, 301)});
  TestTrace again;
  again.Add(0, {EnterWord(10, 300), EnterWord(11, 301)});
  again.Add(0, {ExitWord(12), ExitWord(13)});
  // The first write ended in the middle of its content.
  trace.bytes()[trace.offsets()[0] + sizeof(epilog::BlockHeader)] ^= 1;
  trace.bytes() += again.bytes().substr(sizeof(epilog::FileHeader));
  const std::string path = PathOf("again");
  trace.Write(path);
  std::string error;
  ASSERT_TRUE(FinishProcessFile(path, 0, &error)) << error;
  ProcessFile file;
  ASSERT_TRUE(file.Open(path, &error)) << error;
  EXPECT_EQ(2u, file.blocks().size());
  LocationReader reader(&file, 0);
  const Seen seen = ReadAll(&reader);
  EXPECT_EQ(4u, seen.events);
  EXPECT_EQ(0u, seen.made_up);
  EXPECT_TRUE(reader.damage().empty());
}

TEST(LocationReader, AStreamThatLostItsBeginning) {
  TestTrace trace;
  trace.Add(0, {EnterWord(10, 300), EnterWord(11, 301)});
  trace.Add(0, {EnterWord(12, 302), ExitWord(13), ExitWord(14), ExitWord(15)});
  trace.bytes().erase(trace.offsets()[0], trace.offsets()[1] - trace.offsets()[0]);
  trace.Write(PathOf("beginning"));
  ProcessFile file;
  std::string error;
  ASSERT_TRUE(file.Open(PathOf("beginning"), &error)) << error;
  LocationReader reader(&file, 0);
  const Seen seen = ReadAll(&reader);
  EXPECT_EQ(4u, seen.events);
  EXPECT_EQ(3u, seen.made_up);  // a gap and two enters
  EXPECT_EQ(1u, seen.gaps);
}

TEST(MergedReader, OneOrderOfAllClocks) {
  std::mt19937_64 random(4);
  constexpr int kProcesses = 4;
  ProcessFile files[kProcesses];
  Clock clocks[kProcesses];
  std::vector<std::pair<int64_t, uint32_t>> expected;
  MergedReader merged;
  std::string error;
  for (uint32_t p = 0; p < kProcesses; ++p) {
    TestTrace trace(p);
    // Each clock has another number of ticks in a nanosecond and another begin, and drifts.
    ClockFacts facts;
    facts.ticks = 1000000 * p;
    facts.ns = 500 + p;
    facts.seconds_per_tick = 1e-9 / (1 + p);
    facts.offsets = {{0, 100 * p, 10}, {100000, 100 * p + 37, 10}};
    clocks[p] = Clock(facts, 200);
    for (uint32_t l = 0; l < 3; ++l) {
      for (const auto& block : RandomBlocks(&random, facts.ticks + random() % 1000, 5)) {
        trace.Add(l, block);
        for (const uint64_t word : block) expected.emplace_back(clocks[p].Ns(word >> event::kTimeShift), p * 3 + l);
      }
    }
    const std::string path = PathOf(("merged" + std::to_string(p)).c_str());
    trace.Write(path);
    ASSERT_TRUE(files[p].Open(path, &error)) << error;
    for (uint32_t l = 0; l < 3; ++l) ASSERT_EQ(p * 3 + l, merged.Add(&files[p], l, &clocks[p]));
  }
  std::stable_sort(expected.begin(), expected.end());
  Event event;
  uint32_t source = 0;
  int64_t ns = 0;
  for (const auto& [time, from] : expected) {
    ASSERT_TRUE(merged.Next(&event, &source, &ns));
    ASSERT_EQ(time, ns);
    ASSERT_EQ(from, source);
    ASSERT_EQ(event.depth + (event.kind == RecordKind::kEnter ? 1 : 0), merged.stack().size());
  }
  EXPECT_FALSE(merged.Next(&event, &source, &ns));
  // From the middle on, the rest of the events is the same.
  MergedReader rest;
  for (uint32_t p = 0; p < kProcesses; ++p) {
    for (uint32_t l = 0; l < 3; ++l) rest.Add(&files[p], l, &clocks[p]);
  }
  const int64_t middle = expected[expected.size() / 2].first;
  rest.Seek(middle);
  for (const auto& [time, from] : expected) {
    if (time < middle) continue;
    ASSERT_TRUE(rest.Next(&event, &source, &ns));
    ASSERT_EQ(time, ns);
    ASSERT_EQ(from, source);
  }
  EXPECT_FALSE(rest.Next(&event, &source, &ns));
}

TEST(Clock, OffsetsAreInterpolated) {
  ClockFacts facts;
  facts.ticks = 1000;
  facts.ns = 1000000;
  facts.seconds_per_tick = 0.5e-9;
  EXPECT_EQ(1000000, Clock(facts).Ns(1000));
  EXPECT_EQ(1000050, Clock(facts).Ns(1100));
  EXPECT_EQ(999950, Clock(facts).Ns(900));
  facts.offsets = {{1000000, 500, 1}};
  EXPECT_EQ(1000550, Clock(facts).Ns(1100));
  facts.offsets.push_back({2000000, 600, 1});
  EXPECT_EQ(1000500, Clock(facts).Ns(1000));
  EXPECT_EQ(2000600, Clock(facts).Ns(1000 + 2000000));
  EXPECT_EQ(1500550 - 77, Clock(facts, 77).Ns(1000 + 1000000));
  EXPECT_EQ(1000u + 1000000u, Clock(facts, 77).Ticks(1500550 - 77));
}

// A clock that is fast for a while and then slow. It is right at each measurement and half-way between two.
// Measurements before and after the current line make no difference to it.
TEST(Clock, FollowsEveryMeasurement) {
  ClockFacts facts;
  facts.ticks = 5'000'000;
  facts.ns = 7'000'000;
  facts.seconds_per_tick = 0.25e-9;
  const std::vector<int64_t> offsets = {500, 1500, 900, 900, -4000};
  constexpr int64_t kStep = 1'000'000;
  for (size_t i = 0; i < offsets.size(); ++i) {
    facts.offsets.push_back({8'000'000 + static_cast<int64_t>(i) * kStep, offsets[i], 1});
  }
  const Clock clock(facts, 1'000'000);
  const auto ticks_at = [&](int64_t own_ns) { return static_cast<uint64_t>(5'000'000 + (own_ns - 7'000'000) * 4); };
  for (size_t i = 0; i < offsets.size(); ++i) {
    const int64_t own = facts.offsets[i].at_ns;
    EXPECT_EQ(own + offsets[i] - 1'000'000, clock.Ns(ticks_at(own))) << i;
    if (i == 0) continue;
    EXPECT_EQ(own - kStep / 2 + (offsets[i - 1] + offsets[i]) / 2 - 1'000'000, clock.Ns(ticks_at(own - kStep / 2)))
        << i;
  }
  // The outer lines go on beyond both ends.
  EXPECT_EQ(7'000'000 + 500 - 1000 - 1'000'000, clock.Ns(ticks_at(7'000'000)));
  EXPECT_EQ(13'000'000 - 4000 - 4900 - 1'000'000, clock.Ns(ticks_at(13'000'000)));
  // Time never falls, and the way back leads to the same ticks.
  int64_t last = clock.Ns(ticks_at(7'900'000));
  for (uint64_t ticks = ticks_at(7'900'000); ticks < ticks_at(12'100'000); ticks += 997) {
    const int64_t ns = clock.Ns(ticks);
    ASSERT_GE(ns, last);
    last = ns;
    const uint64_t back = clock.Ticks(ns);
    ASSERT_LE(back > ticks ? back - ticks : ticks - back, 4u) << ticks;
  }
}

TEST(Clock, NeverFallsWhateverItsFactsAre) {
  const std::vector<int64_t> far = {INT64_MIN, INT64_MIN / 2, -1, 0, 1, 1'000'000, INT64_MAX / 3, INT64_MAX};
  std::mt19937_64 random(19);
  const auto any = [&] { return far[random() % far.size()]; };
  for (int i = 0; i < 2000; ++i) {
    ClockFacts facts;
    facts.ticks = static_cast<uint64_t>(any());
    facts.ns = static_cast<uint64_t>(any());
    facts.seconds_per_tick = std::pow(10.0, static_cast<double>(random() % 600) - 300);
    for (uint64_t o = random() % 4; o > 0; --o) facts.offsets.push_back({any(), any(), any()});
    const Clock clock(facts, any());
    int64_t last = INT64_MIN;
    for (const uint64_t ticks : {0ull, 1ull, 1000ull, 1ull << 40, 1ull << 62, 1ull << 63, ~0ull}) {
      ASSERT_GE(clock.Ns(ticks), last) << i << ", " << ticks;
      last = clock.Ns(ticks);
      clock.Ticks(last);
    }
    clock.Ticks(INT64_MIN);
    clock.Ticks(INT64_MAX);
  }
}

TEST(Clock, PassesOverMeasurementsThatMakeNoSense) {
  ClockFacts facts;
  facts.ns = 1'000'000;
  facts.offsets = {{1'000'000, 0, 1}, {2'000'000, 90'000'000, 1}, {500'000, 3, 1}, {3'000'000, 200, 1}};
  EXPECT_EQ(2'000'100, Clock(facts).Ns(1'000'000)) << "half-way between the first and the last";
}

// Events from a file with any bytes are ordered and nested.
TEST(LocationReader, SurvivesDamage) {
  std::mt19937_64 random(5);
  const char* wanted = std::getenv("EPIK_TEST_ROUNDS");
  const int rounds = wanted == nullptr ? 800 : std::atoi(wanted);
  std::string whole;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    const std::string path = PathOf("damage");
    if (round % 50 == 0) {
      TestTrace trace;
      for (const auto& block : RandomBlocks(&random, 1000, 4)) trace.Add(round % 3, block);
      trace.Write(path);
      std::string error;
      ASSERT_TRUE(round % 100 != 0 || FinishProcessFile(path, 3, &error)) << error;
      std::ifstream in(path, std::ios::binary);
      whole.assign(std::istreambuf_iterator<char>(in), {});
    }
    std::string damaged = whole;
    for (uint64_t n = 1 + random() % 5; n > 0; --n) {
      const size_t at = random() % damaged.size();
      if (random() % 5 == 0) {
        damaged.erase(at, random() % 300);
      } else {
        damaged[at] = static_cast<char>(random());
      }
    }
    std::ofstream(path, std::ios::binary).write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
    ProcessFile file;
    std::string error;
    if (!file.Open(path, &error)) {
      ASSERT_NE("", error);
      continue;
    }
    for (uint32_t location = 0; location < 3; ++location) {
      LocationReader reader(&file, location);
      ReadAll(&reader);
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace epik::archive
