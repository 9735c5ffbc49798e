// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/archive/communicators.h"

#include <gtest/gtest.h>

namespace epik::archive {
namespace {

using epitome::MpiImage;

TEST(Communicators, WithOneIdentityAreOneWhateverTheirNumbers) {
  // Two processes of four; the second one made something else first.
  MpiImage first, second;
  first.communicators[2] = {77, {0, 1, 2, 3}, {}, ""};
  first.communicators[5] = {88, {0, 2}, {1, 3}, "between"};
  first.windows[1] = {99, 2, "halo"};
  second.communicators[2] = {66, {1}, {}, ""};
  second.communicators[3] = {77, {0, 1, 2, 3}, {}, "grid"};
  second.communicators[4] = {88, {1, 3}, {0, 2}, ""};
  second.windows[4] = {99, 3, ""};
  Group alone(nullptr);
  std::vector<ProcessMap> maps(2);
  for (ProcessMap& map : maps) map.communicators = {{0, 0}, {1, 1}};
  const MpiDefinitions all = UniteCommunicators(&alone, 4, {first, second}, &maps);
  ASSERT_EQ(all.communicators.size(), 5u);
  EXPECT_EQ(all.communicators[0], (Communicator{"MPI_COMM_WORLD", {0, 1, 2, 3}}));
  EXPECT_EQ(all.communicators[1], (Communicator{"MPI_COMM_SELF", {}}));
  EXPECT_EQ(all.communicators[2], (Communicator{"grid", {0, 1, 2, 3}}));
  EXPECT_EQ(all.communicators[3], (Communicator{"between", {0, 2, 1, 3}}));
  EXPECT_EQ(all.communicators[4], (Communicator{"communicator 4", {1}}));
  ASSERT_EQ(all.windows.size(), 1u);
  EXPECT_EQ(all.windows[0], (Window{"halo", 2}));
  EXPECT_EQ(maps[0].communicators, (NumberMap{{0, 0}, {1, 1}, {2, 2}, {5, 3}}));
  EXPECT_EQ(maps[1].communicators, (NumberMap{{0, 0}, {1, 1}, {2, 4}, {3, 2}, {4, 3}}));
  EXPECT_EQ(maps[0].windows, (NumberMap{{1, 0}}));
  EXPECT_EQ(maps[1].windows, (NumberMap{{4, 0}}));
}

TEST(Communicators, OfAProgramWithoutMpiAreNone) {
  Group alone(nullptr);
  std::vector<ProcessMap> maps(1);
  const MpiDefinitions all = UniteCommunicators(&alone, 0, {MpiImage{}}, &maps);
  EXPECT_TRUE(all.communicators.empty());
  EXPECT_TRUE(maps[0].communicators.empty());
}

TEST(MpiRecords, ThatMakeNoSenseAreRefused) {
  MpiImage image;
  const auto read = [&image](event::CommunicatorRecord record, std::vector<event::RankRun> runs) {
    std::string payload(reinterpret_cast<const char*>(&record), sizeof record);
    payload.append(reinterpret_cast<const char*>(runs.data()), runs.size() * sizeof(event::RankRun));
    payload += std::string("row\0", 4);
    return epitome::ReadMpiRecord(event::RecordType::kCommunicator, payload, 8, &image);
  };
  EXPECT_TRUE(read({7, 2, 0, 1, 0}, {{1, 2, 4}}));
  EXPECT_EQ(image.communicators[2].own, (std::vector<int32_t>{1, 3, 5, 7}));
  EXPECT_EQ(image.communicators[2].name, "row");
  EXPECT_FALSE(read({7, 3, 0, 1, 0}, {{1, 2, 5}}));        // beyond the last rank
  EXPECT_FALSE(read({7, 3, 0, 1, 0}, {{1, -2, 3}}));       // before the first
  EXPECT_FALSE(read({7, 3, 0, 1, 0}, {{0, 0, 1 << 30}}));  // the same again and again
  EXPECT_FALSE(read({7, 3, 0, 1, 0}, {{0, 1, -1}}));
  EXPECT_FALSE(read({7, 3, 0, 1u << 31, 1u << 31}, {{0, 1, 1}}));  // more runs than bytes
  EXPECT_FALSE(epitome::ReadMpiRecord(event::RecordType::kWindow, "short", 8, &image));
  EXPECT_EQ(image.communicators.count(3), 0u);
}

}  // namespace
}  // namespace epik::archive
