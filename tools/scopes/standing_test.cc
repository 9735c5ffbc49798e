// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/standing.h"

#include <gtest/gtest.h>

namespace epik::scopes {
namespace {

using archive::LocationImage;
using archive::ProcessImage;

constexpr uint32_t kRecv = 100, kMutex = 101;

constexpr event::Key kWork = 0x1000;

ProcessImage Process() {
  ProcessImage image{};
  image.regions[kRecv].paradigm = event::Paradigm::kMpi;
  image.regions[kMutex].paradigm = event::Paradigm{4};
  return image;
}

// A thread with one open call, whose node has the line 10 * number.
void AddThread(ProcessImage* image, uint32_t number, event::Key key, uint64_t entered) {
  LocationImage location{};
  location.header.number = number;
  location.header.state = event::LocationState::kRunning;
  event::Node node{};
  node.key = key;
  node.parent = archive::kNoNode;
  location.nodes = {node};
  location.lines = {10 * number};
  location.frames = {{key, entered, 0}};
  image->locations.push_back(location);
}

TEST(FindPlace, AThreadThatWorksDecides) {
  ProcessImage image = Process();
  AddThread(&image, 1, event::RegionKey(kRecv), 5);  // it serves others all the time
  AddThread(&image, 2, kWork, 7);
  Whereabouts place;
  ASSERT_TRUE(FindPlace(image, &place));
  EXPECT_FALSE(place.in_mpi);
  EXPECT_EQ(place.thread, 2u);
  EXPECT_EQ(place.line, 20u);
}

TEST(FindPlace, OfThreadsInMpiTheOneThatCameLast) {
  ProcessImage image = Process();
  AddThread(&image, 1, event::RegionKey(kMutex), 20);  // waits for the others
  AddThread(&image, 2, event::RegionKey(kRecv), 5);
  AddThread(&image, 3, event::RegionKey(kRecv), 9);
  Whereabouts place;
  ASSERT_TRUE(FindPlace(image, &place));
  EXPECT_TRUE(place.in_mpi);
  EXPECT_EQ(place.thread, 3u);
  EXPECT_EQ(place.entered, 9u);
}

TEST(FindPlace, FramesWithoutRoomHaveThePlaceOfTheirCaller) {
  ProcessImage image = Process();
  AddThread(&image, 1, kWork, 5);
  image.locations[0].frames.push_back({event::RegionKey(kRecv), 8, archive::kNoNode});
  Whereabouts place;
  ASSERT_TRUE(FindPlace(image, &place));
  EXPECT_TRUE(place.in_mpi);
  EXPECT_EQ(place.line, 10u);
  EXPECT_EQ(place.entered, 8u);
}

TEST(FindPlace, ThreadsThatEndedAreNowhere) {
  ProcessImage image = Process();
  Whereabouts place;
  EXPECT_FALSE(FindPlace(image, &place));
  AddThread(&image, 1, kWork, 5);
  image.locations[0].header.state = event::LocationState::kFree;
  EXPECT_FALSE(FindPlace(image, &place));
}

StandingRow Row(uint32_t path, int32_t rank, double seconds, bool stands) {
  StandingRow row;
  row.seconds = seconds;
  row.path = path;
  row.rank = rank;
  row.count = 1;
  row.stands = stands;
  return row;
}

TEST(Standings, MergeCallPaths) {
  Standings below, above;
  below.Add(Row(1, 7, 2, true));
  below.Add(Row(1, 3, 5, true));
  below.Add(Row(2, 4, 9, false));
  std::vector<StandingRow> rows, all;
  below.Take(&rows);
  ASSERT_EQ(rows.size(), 2u);
  for (const StandingRow& row : rows) above.Add(row);
  above.Add(Row(1, 9, 1, true));
  above.Add(Row(3, 8, 6, true));
  above.Add(Row(2, 2, 1, false));
  above.Take(&all);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].path, 3u);
  EXPECT_EQ(all[1].path, 1u);
  EXPECT_EQ(all[1].count, 3u);
  EXPECT_EQ(all[1].rank, 3);
  EXPECT_EQ(all[1].seconds, 5);
  EXPECT_EQ(all[2].count, 2u);
  EXPECT_EQ(all[2].rank, 2);
  rows.clear();
  above.Take(&rows);
  EXPECT_TRUE(rows.empty()) << "they were taken";
}

TEST(Standings, PassOnFewOfTheOthers) {
  for (const uint32_t more : {0, 1}) {
    Standings standings;
    const auto count = static_cast<uint32_t>(Standings::kMostOthers) + more;
    for (uint32_t i = 0; i < count; ++i) standings.Add(Row(i, static_cast<int32_t>(count - i), 1, false));
    std::vector<StandingRow> rows;
    standings.Take(&rows);
    EXPECT_EQ(rows.size(), Standings::kMostOthers);
    EXPECT_EQ(rows.front().rank, 1) << "the lowest ranks";
  }
}

}  // namespace
}  // namespace epik::scopes
