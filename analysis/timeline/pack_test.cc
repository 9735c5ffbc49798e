// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>

#include "analysis/timeline/timeline.h"

namespace epik::timeline {
namespace {

Timeline Example() {
  std::mt19937 random(5);
  Timeline timeline;
  timeline.from = -5;
  timeline.to = 100'000;
  timeline.events = 12345;
  for (int location = 0; location < 3; ++location) {
    BinFiller filler(-5, 64, 500);
    for (int64_t at = 0; at < 20'000; at += static_cast<int64_t>(random() % 90)) {
      filler.Take(at, static_cast<Kind>(random() % kKindCount),
                  random() % 5 == 0 ? kNoPath : static_cast<uint32_t>(random() % 9));
    }
    filler.Wait(100, 700);
    timeline.locations.push_back(filler.Finish());
  }
  for (uint64_t i = 0; i < 1000; ++i) {
    const auto at = static_cast<int64_t>(random() % 90'000);
    timeline.messages.Add(i, {0, 2, at, at - 7, random(), -1, 3}, 100);
    timeline.waits.Add(i, {1, kNoPath, at, at + 9, at + 5, 4, 2, i % 3 == 0}, 100);
    timeline.meetings.Add(i, {at, at + 3, at + 8, 2, 1}, 100);
  }
  timeline.long_calls = {{{-5, 400, 0}, {400, 99'000, 0}, {2, 90, 7}}, {}, {{7, 7, 3}}};
  timeline.critical = {{0, -5, 100}, {2, 100, 100'000}};
  timeline.markers = {{1, 5, 9, Mark::kFlush}, {2, 70, 70, Mark::kDied}};
  timeline.curves = {{1, "residual", "", {{-3, 0.5, 2, 1}, {900, -1e300, 1e-300, 0}}}, {2, "queue", "items", {}}};
  timeline.curves_left_out = 7;
  return timeline;
}

void ExpectSame(const Timeline& one, const Timeline& other) {
  EXPECT_EQ(one.from, other.from);
  EXPECT_EQ(one.to, other.to);
  EXPECT_EQ(one.events, other.events);
  EXPECT_EQ(one.locations, other.locations);
  EXPECT_EQ(one.long_calls, other.long_calls);
  EXPECT_EQ(one.messages.items, other.messages.items);
  EXPECT_EQ(one.messages.one_of, other.messages.one_of);
  EXPECT_EQ(one.waits.items, other.waits.items);
  EXPECT_EQ(one.meetings.items, other.meetings.items);
  EXPECT_EQ(one.critical, other.critical);
  EXPECT_EQ(one.markers, other.markers);
  EXPECT_EQ(one.curves, other.curves);
  EXPECT_EQ(one.curves_left_out, other.curves_left_out);
}

TEST(Pack, ComesBack) {
  const Timeline timeline = Example();
  Timeline read;
  ASSERT_TRUE(Unpack(Pack(timeline, 99), 99, &read));
  ExpectSame(timeline, read);
  EXPECT_FALSE(Unpack(Pack(timeline, 99), 98, &read)) << "of another trace";
}

TEST(Pack, SamplesSayHowManyTheyStandFor) {
  Sample<int> sample;
  for (int i = 0; i < 1000; ++i) sample.Add(static_cast<uint64_t>(i), i, 100);
  EXPECT_EQ(sample.one_of, 16u);
  EXPECT_EQ(sample.items.size(), 63u);
  for (size_t i = 0; i < sample.items.size(); ++i) EXPECT_EQ(sample.items[i], static_cast<int>(i) * 16);
}

TEST(LongCalls, AreFoundByDepthAndTime) {
  const std::vector<LongCall> calls = {{10, 20, 0}, {20, 30, 0}, {40, 50, 0}, {12, 18, 2}};
  const auto enter = [&](uint32_t depth, int64_t ns) {
    const LongCall* call = LongCallAt(calls, depth, ns);
    return call != nullptr ? call->enter : -1;
  };
  EXPECT_EQ(enter(0, 9), -1);
  EXPECT_EQ(enter(0, 10), 10);
  EXPECT_EQ(enter(0, 29), 20);
  EXPECT_EQ(enter(0, 35), -1);
  EXPECT_EQ(enter(0, 50), 40);
  EXPECT_EQ(enter(0, 51), -1);
  EXPECT_EQ(enter(1, 15), -1);
  EXPECT_EQ(enter(2, 15), 12);
  EXPECT_EQ(enter(2, 19), -1);
  EXPECT_EQ(LongCallAt({}, 0, 0), nullptr);
}

// For any bytes in the file, reading ends, and all data that was read is whole.
TEST(Pack, DamagedFilesAreRefused) {
  const std::string good = Pack(Example(), 1);
  std::mt19937 random(9);
  Timeline read;
  for (size_t cut = 0; cut < good.size(); cut += 1 + good.size() / 300)
    EXPECT_FALSE(Unpack(good.substr(0, cut), 1, &read));
  for (int round = 0; round < 3000; ++round) {
    std::string bad = good;
    for (unsigned i = 0; i < 1 + random() % 4; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    if (!Unpack(bad, 1, &read)) continue;
    for (const Bins& bins : read.locations) EXPECT_EQ(bins.begin.size(), bins.size() + 1);
  }
}

// No trace has such times; what draws them would overflow.
TEST(Pack, TimesWithoutMeaningAreRefused) {
  constexpr int64_t kLong = INT64_MAX / 2;
  const auto refused = [](const auto& forge) {
    Timeline timeline = Example(), read;
    forge(&timeline);
    return !Unpack(Pack(timeline, 1), 1, &read);
  };
  EXPECT_FALSE(refused([](Timeline*) {}));
  EXPECT_TRUE(refused([](Timeline* t) { t->to = kLong; }));
  EXPECT_TRUE(refused([](Timeline* t) { t->locations[1].from = -kLong; }));
  EXPECT_TRUE(refused([](Timeline* t) { t->locations[1].width = kLong / 4; }));
  EXPECT_TRUE(refused([](Timeline* t) { t->long_calls[0][1].leave = kLong; }));
  EXPECT_TRUE(refused([](Timeline* t) { t->long_calls[0][1].enter = 399; })) << "within the call before";
  EXPECT_TRUE(refused([](Timeline* t) { std::swap(t->long_calls[0][1], t->long_calls[0][2]); })) << "out of order";
  EXPECT_TRUE(refused([](Timeline* t) { t->messages.items[0].received = kLong; }));
  EXPECT_TRUE(refused([](Timeline* t) { t->waits.items[1].caused = -kLong; }));
  EXPECT_TRUE(refused([](Timeline* t) { t->meetings.items[0].last_out = kLong; }));
  EXPECT_TRUE(refused([](Timeline* t) { t->critical[0].to = kLong; }));
  EXPECT_TRUE(refused([](Timeline* t) { t->markers[0].from = -kLong; }));
  EXPECT_TRUE(refused([](Timeline* t) { t->curves[0].points[1].at = kLong; }));
}

}  // namespace
}  // namespace epik::timeline
