// SPDX-License-Identifier: BSD-3-Clause
// defs.epk and maps.epk are read as they were written. Any change of their bytes causes nothing but an error message.
#include "archive/trace/maps.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

namespace epik::archive {
namespace {

TraceDefinitions Sample() {
  TraceDefinitions definitions;
  definitions.origin_ns = -5;
  Profile& profile = definitions.profile;
  profile.hosts = {{"host0"}, {"host1"}};
  profile.processes = {{0, 0, "Process 0"}, {1, 1, "Process 1"}};
  profile.locations = {{0, 0, "Thread 0"}, {0, 1, "Thread 1"}, {1, 0, "Thread 0"}};
  profile.regions.resize(2);
  profile.regions[0].name = "main";
  profile.regions[1] = {"f<int>()", "_Z1fIiEvv", "f.cc", 3, 9, "user", "function", "USR"};
  profile.call_paths = {{0, kNone}, {1, 0}, {1, 1}};
  definitions.communicators = {{"MPI_COMM_WORLD", {0, 1}, {}}, {"pair", {1}, {0}}};
  definitions.windows = {{"w", 1}, {"", kNone}};
  return definitions;
}

ProcessMap SampleMap(int rank) {
  ProcessMap map;
  map.rank = rank;
  map.process_id = 4711;
  map.file = "traces/000/" + std::to_string(rank) + ".elg";
  map.clock = {123456789012, 987654321, 0.385e-9, {{1, -7, 3}, {1000000, 8, 4}, {2000000, 9, 4}}};
  map.first_ticks = 5;
  map.last_ticks = uint64_t{1} << 60;
  map.nodes = {{257, 0}, {258, 2}, {9000, 1}};
  map.regions = {{16, 1}};
  map.communicators = {{0, 0}, {1, 1}};
  map.windows = {{3, 1}};
  map.of_constructs = {258, 9000};
  map.metrics = {{1u << 29 | 16, "residual", "1"}, {17, "PAPI_TOT_INS", "#", MetricName::kCount}};
  return map;
}

std::string FileOf(const std::vector<ProcessMap>& maps) {
  std::vector<MapPart> parts;
  std::string content;
  for (const ProcessMap& map : maps) {
    parts.push_back(DescribeMapPart(PackMap(map)));
    content += PackMap(map);
  }
  return LayOutMaps(&parts) + content;
}

bool Read(const std::string& bytes, std::vector<ProcessMap>* maps, std::vector<std::string>* problems) {
  const std::string path = ::testing::TempDir() + "/maps.epk";
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::string error;
  const bool good = ReadMaps(path, maps, problems, &error);
  EXPECT_EQ(good, error.empty());
  return good;
}

TEST(TraceMaps, DefinitionsComeBack) {
  const TraceDefinitions before = Sample();
  TraceDefinitions after;
  std::string error;
  ASSERT_TRUE(UnpackDefinitions(PackDefinitions(before), &after, &error)) << error;
  EXPECT_EQ(before.origin_ns, after.origin_ns);
  EXPECT_EQ(before.profile.hosts, after.profile.hosts);
  EXPECT_EQ(before.profile.processes, after.profile.processes);
  EXPECT_EQ(before.profile.locations, after.profile.locations);
  EXPECT_EQ(before.profile.regions, after.profile.regions);
  EXPECT_EQ(before.profile.call_paths, after.profile.call_paths);
  EXPECT_EQ(before.communicators, after.communicators);
  EXPECT_EQ(before.windows, after.windows);
}

TEST(TraceMaps, MapsComeBack) {
  std::vector<ProcessMap> maps;
  std::vector<std::string> problems;
  ASSERT_TRUE(Read(FileOf({SampleMap(0), SampleMap(1)}), &maps, &problems));
  EXPECT_TRUE(problems.empty());
  ASSERT_EQ(2u, maps.size());
  const ProcessMap expected = SampleMap(1);
  EXPECT_EQ(PackMap(expected), PackMap(maps[1]));
  EXPECT_EQ(expected.nodes, maps[1].nodes);
  EXPECT_EQ(expected.of_constructs, maps[1].of_constructs);
  EXPECT_EQ(expected.metrics, maps[1].metrics);
  EXPECT_EQ(expected.last_ticks, maps[1].last_ticks);
  EXPECT_EQ(expected.clock.offsets[1].error_ns, maps[1].clock.offsets.at(1).error_ns);
}

TEST(TraceMaps, ADamagedPartCostsItself) {
  std::string bytes = FileOf({SampleMap(0), SampleMap(1)});
  bytes.back() ^= 1;
  std::vector<ProcessMap> maps;
  std::vector<std::string> problems;
  ASSERT_TRUE(Read(bytes, &maps, &problems));
  ASSERT_EQ(1u, maps.size());
  EXPECT_EQ(0, maps[0].rank);
  EXPECT_EQ(1u, problems.size());
}

TEST(TraceMaps, FilesAreNowhereElse) {
  for (const char* file : {"/etc/passwd", "traces/../../x", ".."}) {
    ProcessMap map = SampleMap(0);
    map.file = file;
    EXPECT_FALSE(UnpackMap(PackMap(map), &map)) << file;
  }
}

TEST(TraceMaps, SurvivesDamage) {
  std::mt19937_64 random(4711);
  const char* wanted = std::getenv("EPIK_TEST_ROUNDS");
  const int rounds = wanted == nullptr ? 50000 : std::atoi(wanted);
  const std::string definitions = PackDefinitions(Sample());
  const std::string part = PackMap(SampleMap(1));
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    std::string damaged = definitions.substr(32);
    std::string map_damaged = part;
    for (std::string* bytes : {&damaged, &map_damaged}) {
      for (uint64_t n = 1 + random() % 4; n > 0; --n) (*bytes)[random() % bytes->size()] = static_cast<char>(random());
      if (random() % 4 == 0) bytes->resize(random() % bytes->size());
    }
    // The checksum is right, so the reader comes to the content.
    TraceDefinitions read;
    std::string error;
    const MapPart right = DescribeMapPart(damaged);
    std::string file = definitions.substr(0, 32) + damaged;
    const uint64_t size = damaged.size();
    file.replace(16, 8, reinterpret_cast<const char*>(&size), 8);
    file.replace(24, 4, reinterpret_cast<const char*>(&right.crc), 4);
    if (UnpackDefinitions(file, &read, &error)) {
      for (const CallPath& path : read.profile.call_paths) ASSERT_LT(path.region, read.profile.regions.size());
    } else {
      ASSERT_NE("", error);
      ++refused;
    }
    ProcessMap map;
    UnpackMap(map_damaged, &map);
  }
  EXPECT_GT(refused, rounds / 4);
  EXPECT_LT(refused, rounds);
}

}  // namespace
}  // namespace epik::archive
