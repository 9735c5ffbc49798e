// SPDX-License-Identifier: BSD-3-Clause
// Planted links, against the results that must come out.
#include "tools/scopes/links.h"

#include <gtest/gtest.h>

#include <map>

namespace epik::scopes {
namespace {

constexpr uint64_t kComm = 7;
constexpr uint32_t kPath = 3;

Part Call(int32_t rank, uint32_t sequence, double entered, double left) {
  return {kComm, sequence, rank, 0, kPath, entered, left};
}
LinkNote Up(int32_t parent, double sent, double received) { return {parent, true, true, true, received, sent}; }
LinkNote Down(int32_t child, double received, double sent) { return {child, false, true, true, received, sent}; }

// All results since the last time.
struct Taken {
  explicit Taken(Links* links) {
    links->Take(&rows);
    for (const LinkRow& row : rows.links) by_key[row.key] = row;
    for (const StageRow& row : rows.stages) stages[row.key] = row;
  }
  Rows rows;
  std::map<LinkKey, LinkRow> by_key;
  std::map<WrapperKey, StageRow> stages;
};

TEST(Links, ALinkIsMeasuredByBothEndsWhateverTheirClocks) {
  for (const double off : {0.0, -1000.0}) {
    Links links;
    for (uint32_t call = 1; call <= 3; ++call) {
      const double t = 10 * call;
      // 2 s there, 3 s back; the parent has it for 0.5 s.
      links.Add(Call(1, call, t + off, t + 6 + off), {Up(0, t + off + 0.25, t + off + 5.75)});
      links.Add(Call(0, call, t, t + 4), {Down(1, t + 2.25, t + 2.75)});
    }
    const Taken taken(&links);
    ASSERT_EQ(taken.by_key.size(), 1u);
    const auto& [key, link] = *taken.by_key.begin();
    EXPECT_EQ(key, (LinkKey{kComm, kPath, 0, 1, 0}));
    EXPECT_EQ(link.latency.count, 3u);
    EXPECT_DOUBLE_EQ(link.latency.mean, 5);
    EXPECT_EQ(link.last, 3u);
  }
}

// The parent does not know when a contribution came that lay there before it did.
TEST(Links, ALateParentIsNoSlowLink) {
  Links links;
  for (uint32_t call = 1; call <= 100; ++call) {
    // Rank 0 comes 30 ms after all others, but for rank 3. Messages take 20 us each way.
    const double t = call;
    for (const int32_t child : {1, 2}) {
      const double back = t + 0.040030 + 1e-6 * child;
      links.Add(Call(child, call, t, back), {Up(0, t, back)});
    }
    links.Add(Call(3, call, t + 0.04, t + 0.0401), {Up(0, t + 0.04, t + 0.040050)});
    links.Add(Call(0, call, t + 0.03, t + 0.0401),
              {Down(1, t + 0.030002, t + 0.040022), Down(2, t + 0.030004, t + 0.040024),
               Down(3, t + 0.040020, t + 0.040030)});
  }
  const Taken taken(&links);
  for (const int32_t child : {1, 2}) {
    EXPECT_EQ(taken.by_key.at({kComm, kPath, 0, child, 0}).latency.count, 0u);
    EXPECT_EQ(taken.by_key.at({kComm, kPath, 0, child, 0}).behind.count, 100u);
  }
  const Summary& latency = taken.by_key.at({kComm, kPath, 0, 3, 0}).latency;
  EXPECT_EQ(latency.count, 100u);
  EXPECT_NEAR(latency.mean, 40e-6, 1e-9);
}

TEST(Links, AShortWayIsKnownThoughTheParentPassesOnAResultBefore) {
  Links links;
  links.Add(Call(1, 1, 1, 1.0001), {Up(0, 1, 1.00009)});
  links.Add(Call(0, 1, 1.00005, 1.0001), {Down(1, 1.000051, 1.00008)});
  EXPECT_EQ(Taken(&links).by_key.at({kComm, kPath, 0, 1, 0}).latency.count, 1u);
}

// Contributions that come together while the parent waits are all known, though it waits for the first of them alone.
TEST(Links, ChildrenThatComeAtTheSameTimeAreAllMeasured) {
  Links links;
  for (const int32_t child : {1, 2}) links.Add(Call(child, 1, 1, 2), {Up(0, 1, 1.5)});
  links.Add(Call(0, 1, 1.125, 2), {Down(1, 1.375, 1.4), Down(2, 1.37501, 1.4)});
  const Taken taken(&links);
  for (const int32_t child : {1, 2}) EXPECT_EQ(taken.by_key.at({kComm, kPath, 0, child, 0}).latency.count, 1u);
}

TEST(Links, StagesAddUpToTheCall) {
  Links links;
  // In the middle of the tree: two children, and a parent.
  links.Add(Call(4, 1, 10, 20), {Up(0, 14, 18), Down(5, 11, 18.5), Down(6, 13, 19)});
  const StageRow middle = Taken(&links).stages.at({kPath, 4, 0});
  EXPECT_DOUBLE_EQ(middle.down.mean, 4);
  EXPECT_DOUBLE_EQ(middle.onward.mean, 4);
  EXPECT_DOUBLE_EQ(middle.up.mean, 2);
  // The root has no process above it to wait for.
  links.Add(Call(0, 1, 10, 20), {Down(4, 15, 16)});
  const StageRow root = Taken(&links).stages.at({kPath, 0, 0});
  EXPECT_DOUBLE_EQ(root.down.mean, 5);
  EXPECT_DOUBLE_EQ(root.onward.mean, 0);
  EXPECT_DOUBLE_EQ(root.up.mean, 5);
}

TEST(Links, WhoContributesLastIsCounted) {
  Links links;
  for (uint32_t call = 1; call <= 4; ++call) {
    const double late = call == 4 ? 0 : 2;
    links.Add(Call(0, call, 0, 9), {Down(1, 1, 8), Down(2, 1 + late, 8), Down(3, 1.5, 8)});
  }
  Taken taken(&links);
  EXPECT_EQ(taken.by_key.at({kComm, kPath, 0, 2, 0}).last, 3u);
  EXPECT_EQ(taken.by_key.at({kComm, kPath, 0, 3, 0}).last, 1u);
  EXPECT_EQ(taken.by_key.at({kComm, kPath, 0, 1, 0}).last, 0u);
  EXPECT_DOUBLE_EQ(taken.by_key.at({kComm, kPath, 0, 2, 0}).behind.mean, 1.5);
}

TEST(Links, TheEndsMayMeetSomewhereElse) {
  Links here, there, above;
  here.Add(Call(1, 1, 10, 16), {Up(0, 10.25, 15.75)});
  there.Add(Call(0, 1, 10, 14), {Down(1, 12.25, 12.75)});
  for (Links* each : {&here, &there}) {
    Rows rows;
    each->TakeOpen(&rows);
    for (const HalfLink& half : rows.halves) above.Add(half);
  }
  EXPECT_DOUBLE_EQ(Taken(&above).by_key.at({kComm, kPath, 0, 1, 0}).latency.mean, 5);
}

TEST(Links, OneWayHasNoLatencyAndNoStages) {
  Links links;
  LinkNote in = Down(1, 2, 0);
  in.has_sent = false;
  links.Add(Call(0, 1, 0, 3), {in});
  const Taken taken(&links);
  EXPECT_TRUE(taken.stages.empty());
  EXPECT_EQ(taken.by_key.begin()->second.latency.count, 0u);
  EXPECT_EQ(taken.by_key.begin()->second.behind.count, 1u);
}

TEST(Links, WhatNeverGetsItsOtherHalfIsForgotten) {
  Links links;
  for (uint32_t call = 1; call <= 200'000; ++call) links.Add(Call(1, call, 0, 1), {Up(0, 0, 1)});
  const Taken taken(&links);
  EXPECT_TRUE(taken.by_key.empty());
  EXPECT_EQ(taken.stages.begin()->second.onward.count, 200'000u);
}

}  // namespace
}  // namespace epik::scopes
