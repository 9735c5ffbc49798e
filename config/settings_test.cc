// SPDX-License-Identifier: BSD-3-Clause
#include "config/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace epik::config {
namespace {

TEST(Settings, Defaults) {
  const Settings settings;
  EXPECT_TRUE(settings.enabled);
  EXPECT_TRUE(settings.summary);
  EXPECT_FALSE(settings.trace.on);
  EXPECT_TRUE(settings.ranks.all);
  EXPECT_EQ(settings.timer, Timer::kAuto);
  EXPECT_EQ(settings.fork, Fork::kOwn);
  EXPECT_EQ(settings.hot, Hot::kFull);
  EXPECT_EQ(settings.overflow, Overflow::kGrow);
  EXPECT_EQ(settings.verbose, 0);
  EXPECT_EQ(settings.title, "");
  EXPECT_EQ(settings.gdir, ".");
  EXPECT_EQ(settings.depth, kUnlimited);
  EXPECT_EQ(settings.throttle_calls, 100'000);
  EXPECT_EQ(settings.throttle_percall, 10'000);
  EXPECT_EQ(settings.budget, 0);
  const Groups groups{kMpiGroups, kMpiDefault};
  EXPECT_EQ(groups.Format(settings.mpi_enabled), "ALL");
  EXPECT_EQ(std::count(settings.mpi_enabled.begin(), settings.mpi_enabled.end(), "TYPE"), 1);
  EXPECT_EQ(std::count(settings.mpi_enabled.begin(), settings.mpi_enabled.end(), "XREQTEST"), 0);
  EXPECT_EQ(settings.omp_enabled.size(), 11u);
  EXPECT_EQ(settings.trace_buffer, 16u << 20);
  EXPECT_EQ(settings.compression, 1);
  EXPECT_EQ(settings.memory, 1u << 30);
  EXPECT_EQ(settings.paths, 4096);
  EXPECT_EQ(settings.frames, 1024);
  for (const Description& row : Descriptions()) EXPECT_FALSE(settings.IsSet(row.key)) << row.name;
}

TEST(Table, EveryNameThatWasPromised) {
  for (const char* name : {"EPK_TITLE",
                           "EPK_GDIR",
                           "EPK_LDIR",
                           "EPK_FILTER",
                           "EPK_METRICS",
                           "EPK_METRICS_SPEC",
                           "EPK_CLEAN",
                           "EPK_SUMMARY",
                           "EPK_TRACE",
                           "EPK_MACHINE_NAME",
                           "EPK_VERBOSE",
                           "EPK_MPI_ENABLED",
                           "ESD_PATHS",
                           "ESD_FRAMES",
                           "ESD_MAX_THREADS",
                           "ELG_BUFFER_SIZE",
                           "ELG_COMPRESSION",
                           "EPK_TIMER",
                           "EPK_HOT",
                           "EPK_DEPTH",
                           "EPK_GROUPS",
                           "EPK_THROTTLE",
                           "EPK_THROTTLE_CALLS",
                           "EPK_OVERFLOW",
                           "EPK_THROTTLE_PERCALL",
                           "EPK_MEMORY",
                           "EPK_FORK",
                           "EPK_RANKS",
                           "EPK_PATCH",
                           "EPK_TRACE_FORMAT",
                           "EPK_BUDGET",
                           "EPK_OMP_ENABLED",
                           "EPK_METRIC_PLUGINS",
                           "EPK_COLL_TREE",
                           "EPK_ENABLED",
                           "EPK_MPI_MATRIX",
                           "EPK_TRACE_START",
                           "EPK_CONTROL_SIGNAL",
                           "EPK_CLOCK_SYNC",
                           "EPK_MEASURE",
                           "EPK_METRICS_MULTIPLEX",
                           "EPK_MONITOR_BUFFER",
                           "EPK_MONITOR",
                           "EPK_MONITOR_SCHEDULE",
                           "EPK_MONITOR_STATISTICS",
                           "EPK_WAITS",
                           "EPK_ANALYZE",
                           "EPK_RECURSION",
                           "EPK_COSTS"}) {
    EXPECT_NE(FindDescription(name), nullptr) << name;
  }
  EXPECT_EQ(kSettings, 49);
}

// Each default is accepted by its own type, and stays what it is when it is written and read.
TEST(Table, DefaultsAreValid) {
  for (const Description& row : Descriptions()) {
    Settings settings;
    EXPECT_TRUE(row.parse(row.fallback, &settings)) << row.name;
    EXPECT_TRUE(row.parse(row.format(settings), &settings) || row.format(settings).empty()) << row.name;
    EXPECT_TRUE(settings.SameAs(Settings())) << row.name;
  }
}

TEST(Table, RowsAreComplete) {
  std::set<std::string> names;
  std::set<std::string> sections;
  std::string section;
  for (const Description& row : Descriptions()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(&Describe(row.key), &row);
    if (section != row.section) {
      section = row.section;
      EXPECT_TRUE(sections.insert(section).second) << "apart: " << section;
    }
    const std::string help = row.help;
    EXPECT_FALSE(help.empty()) << row.name;
    EXPECT_NE(help.back(), '.') << row.name;
    EXPECT_EQ(help.find('\n'), std::string::npos) << row.name;
    // epk config shows each description alone, in any locale.
    EXPECT_TRUE(std::all_of(help.begin(), help.end(), [](char c) { return c > 0; })) << row.name << ": " << help;
    EXPECT_FALSE(row.accepted().empty()) << row.name;
  }
}

TEST(Table, Names) {
  EXPECT_EQ(FindDescription("epk_trace"), nullptr);
  EXPECT_EQ(NearestName("EPK_TRACCE"), "EPK_TRACE");
  EXPECT_EQ(NearestName("ELG_BUFFERSIZE"), "ELG_BUFFER_SIZE");
  EXPECT_EQ(NearestName("EPK_CNF"), "EPK_CONF");
  EXPECT_EQ(NearestName("EPK_SOMETHING_ELSE"), "");
}

TEST(Settings, SameAsSeesValuesAndWhatIsSet) {
  Settings a, b;
  b.paths = 5;
  EXPECT_FALSE(a.SameAs(b));
  b.paths = a.paths;
  EXPECT_TRUE(a.SameAs(b));
  b.origins[static_cast<size_t>(Key::paths)].source = Origin::kEnvironment;
  EXPECT_FALSE(a.SameAs(b));
}

TEST(Printable, OneLine) {
  EXPECT_EQ(Printable("a\nb\x1b[1m\tü"), "a\\nb\\x1b[1m\\x09ü");
  EXPECT_EQ(Printable(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(Printable(std::string(201, 'x')), std::string(200, 'x') + "...");
  EXPECT_EQ(Printable(std::string(199, 'x') + "üü"), std::string(199, 'x') + "...");  // not half a letter
}

}  // namespace
}  // namespace epik::config
