// SPDX-License-Identifier: BSD-3-Clause
// Planted links, against what must be said of them.
#include "tools/monitor/links.h"

#include <gtest/gtest.h>

namespace epik::monitor {
namespace {

constexpr uint64_t kComm = 7;
constexpr uint32_t kPath = 3;

Part Call(int32_t rank, uint32_t sequence, double entered, double left) {
  return {kComm, sequence, rank, 0, kPath, entered, left};
}
LinkNote Up(int32_t parent, double sent, double received) { return {parent, true, true, true, received, sent}; }
LinkNote Down(int32_t child, double received, double sent) { return {child, false, true, true, received, sent}; }

TEST(Links, ALinkIsMeasuredByBothEndsWhateverTheirClocks) {
  for (const double off : {0.0, -1000.0}) {
    Links links;
    for (uint32_t call = 1; call <= 3; ++call) {
      const double t = 10 * call;
      // 2 s there, 3 s back; the parent has it for 0.5 s.
      links.Add(Call(1, call, t + off, t + 6 + off), {Up(0, t + off + 0.25, t + off + 5.75)});
      links.Add(Call(0, call, t, t + 4), {Down(1, t + 2.25, t + 2.75)});
    }
    ASSERT_EQ(links.links().size(), 1u);
    const auto& [key, link] = *links.links().begin();
    EXPECT_EQ(key, (LinkKey{kComm, kPath, 0, 1}));
    EXPECT_EQ(link.latency.count(), 3u);
    EXPECT_DOUBLE_EQ(link.latency.mean(), 5);
    EXPECT_EQ(link.last, 3u);
  }
}

TEST(Links, StagesAddUpToTheCall) {
  Links links;
  // In the middle of the tree: two children, and a parent.
  links.Add(Call(4, 1, 10, 20), {Up(0, 14, 18), Down(5, 11, 18.5), Down(6, 13, 19)});
  const Stages& middle = links.stages().at({kPath, 4, 0});
  EXPECT_DOUBLE_EQ(middle.down.mean(), 4);
  EXPECT_DOUBLE_EQ(middle.onward.mean(), 4);
  EXPECT_DOUBLE_EQ(middle.up.mean(), 2);
  // The root waits for nobody above it.
  links.Add(Call(0, 1, 10, 20), {Down(4, 15, 16)});
  const Stages& root = links.stages().at({kPath, 0, 0});
  EXPECT_DOUBLE_EQ(root.down.mean(), 5);
  EXPECT_DOUBLE_EQ(root.onward.mean(), 0);
  EXPECT_DOUBLE_EQ(root.up.mean(), 5);
}

TEST(Links, WhoContributesLastIsCounted) {
  Links links;
  for (uint32_t call = 1; call <= 4; ++call) {
    const double late = call == 4 ? 0 : 2;
    links.Add(Call(0, call, 0, 9), {Down(1, 1, 8), Down(2, 1 + late, 8), Down(3, 1.5, 8)});
  }
  EXPECT_EQ(links.links().at({kComm, kPath, 0, 2}).last, 3u);
  EXPECT_EQ(links.links().at({kComm, kPath, 0, 3}).last, 1u);
  EXPECT_EQ(links.links().at({kComm, kPath, 0, 1}).last, 0u);
  EXPECT_DOUBLE_EQ(links.links().at({kComm, kPath, 0, 2}).behind.mean(), 1.5);
}

TEST(Links, OneWayHasNoLatencyAndNoStages) {
  Links links;
  LinkNote in = Down(1, 2, 0);
  in.has_sent = false;
  links.Add(Call(0, 1, 0, 3), {in});
  EXPECT_TRUE(links.stages().empty());
  EXPECT_EQ(links.links().begin()->second.latency.count(), 0u);
  EXPECT_EQ(links.links().begin()->second.behind.count(), 1u);
}

TEST(Links, WhatNeverGetsItsOtherHalfIsForgotten) {
  Links links;
  for (uint32_t call = 1; call <= 200'000; ++call) links.Add(Call(1, call, 0, 1), {Up(0, 0, 1)});
  EXPECT_TRUE(links.links().empty());
  EXPECT_EQ(links.stages().begin()->second.onward.count(), 200'000u);
}

}  // namespace
}  // namespace epik::monitor
