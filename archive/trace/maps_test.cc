// SPDX-License-Identifier: BSD-3-Clause
// defs.epk and maps.epk are read as they were written. Any change of their bytes causes nothing but an error message.
#include "archive/trace/maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <utility>

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

// Returns whether definitions are read after this change, with all checksums right.
template <typename Change>
bool IsReadAfter(const Change& change) {
  TraceDefinitions definitions = Sample(), read;
  change(&definitions);
  std::string error;
  const bool good = UnpackDefinitions(PackDefinitions(definitions), &read, &error);
  EXPECT_EQ(good ? "" : "defs.epk: contradicts itself", error);
  return good;
}

// Readers use these numbers as places without a further check, and go from a call path to its parent, up to the root.
TEST(TraceMaps, DefinitionsNameOnlyWhatThereIs) {
  const auto host = [](uint32_t to) { return [=](TraceDefinitions* d) { d->profile.processes[1].host = to; }; };
  EXPECT_TRUE(IsReadAfter(host(1)));
  EXPECT_FALSE(IsReadAfter(host(2)));
  const auto process = [](uint32_t to) { return [=](TraceDefinitions* d) { d->profile.locations[0].process = to; }; };
  EXPECT_TRUE(IsReadAfter(process(1)));
  EXPECT_FALSE(IsReadAfter(process(2)));
  const auto region = [](uint32_t to) { return [=](TraceDefinitions* d) { d->profile.call_paths[0].region = to; }; };
  EXPECT_TRUE(IsReadAfter(region(1)));
  EXPECT_FALSE(IsReadAfter(region(2)));
  const auto parent = [](uint32_t to) { return [=](TraceDefinitions* d) { d->profile.call_paths[1].parent = to; }; };
  EXPECT_TRUE(IsReadAfter(parent(0)));
  EXPECT_FALSE(IsReadAfter(parent(1))) << "itself";
  EXPECT_FALSE(IsReadAfter(parent(2)));
  const auto communicator = [](uint32_t to) { return [=](TraceDefinitions* d) { d->windows[0].communicator = to; }; };
  EXPECT_TRUE(IsReadAfter(communicator(kNone)));
  EXPECT_FALSE(IsReadAfter(communicator(2)));
}

// Changes a number in the beginning of a file: its version is at 8, the size of the beginning at 12, the bytes or parts
// that follow at 16, their checksum at 24.
template <typename Number>
std::string With(std::string file, size_t at, Number value) {
  return file.replace(at, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
}

TEST(TraceMaps, OfDefinitionsEachByteIsChecked) {
  const std::string file = PackDefinitions(Sample());
  TraceDefinitions read;
  std::string error;
  ASSERT_TRUE(UnpackDefinitions(file, &read, &error)) << error;
  for (size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] ^= 1;
    if (i >= 28 && i < 32) continue;  // has no meaning yet
    EXPECT_FALSE(UnpackDefinitions(damaged, &read, &error)) << i;
    EXPECT_FALSE(UnpackDefinitions(file.substr(0, i), &read, &error)) << i;
  }
  EXPECT_FALSE(UnpackDefinitions(file + '\0', &read, &error));
  const std::string longer = file + '\0';
  const uint32_t right = DescribeMapPart(longer.substr(32)).crc;
  EXPECT_FALSE(UnpackDefinitions(With(With(longer, 16, longer.size() - 32), 24, right), &read, &error));
  EXPECT_EQ(error, "defs.epk: contradicts itself");
}

TEST(TraceMaps, APartThatEndsEarlyIsRefused) {
  const ProcessMap whole = SampleMap(1);
  const std::string part = PackMap(whole);
  // Older files end before the nodes of constructs, or before the kinds of the two metrics.
  ProcessMap without = whole;
  without.of_constructs.clear();
  const size_t older = PackMap(without).size(), oldest = older - 2 * (1 + sizeof(double));
  ProcessMap read;
  for (size_t size = 0; size < part.size(); ++size) {
    EXPECT_EQ(UnpackMap(part.substr(0, size), &read), size == older || size == oldest) << size;
  }
  EXPECT_FALSE(UnpackMap(part + '\0', &read));
}

TEST(TraceMaps, MetricsHaveAKindAndAPositiveScale) {
  const auto is_read = [](uint32_t kind, double scale) {
    ProcessMap map = SampleMap(1), read;
    map.metrics[0].kind = static_cast<MetricName::Kind>(kind);
    map.metrics[0].scale = scale;
    return UnpackMap(PackMap(map), &read);
  };
  EXPECT_TRUE(is_read(MetricName::kPeak, 1e-9));
  EXPECT_FALSE(is_read(MetricName::kPeak + 1, 1));
  for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL}) EXPECT_FALSE(is_read(MetricName::kSum, scale));
}

TEST(TraceMaps, PartsAreInTheFileAndApart) {
  const std::string part = PackMap(SampleMap(0));
  const size_t most = part.size() / sizeof(MapPart) + 8;
  for (const auto& [count, longer] : {std::pair<size_t, uint32_t>{1, 0}, {1, 1}, {most, 0}}) {
    std::vector<MapPart> parts(count, DescribeMapPart(part));
    std::string table;
    for (MapPart& one : parts) {
      one.offset = 32 + count * sizeof(MapPart);  // all at one place
      one.bytes += longer;                        // beyond the end
      table.append(reinterpret_cast<const char*>(&one), sizeof one);
    }
    const std::string head = LayOutMaps(&parts).substr(0, 32);
    std::vector<ProcessMap> maps;
    std::vector<std::string> problems;
    ASSERT_TRUE(Read(With(head, 24, DescribeMapPart(table).crc) + table + part, &maps, &problems));
    const size_t read = longer != 0 ? 0 : (head.size() + table.size() + part.size()) / part.size();
    EXPECT_EQ(maps.size(), std::min(read, count)) << count << " parts that are " << longer << " longer";
    EXPECT_EQ(problems.size(), count - maps.size());
  }
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
