// SPDX-License-Identifier: BSD-3-Clause
// Compares the figures of the views with their profile, and those of all formats with each other.
#include "report/views/views.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/findings/findings.h"
#include "report/sample_profiles.h"
#include "report/views/files.h"
#include "view/number.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::report {
namespace {

using nlohmann::json;
ViewData Make(const Sample& sample, const char* view, ViewOptions options = {}) {
  options.view = view;
  ViewData data;
  std::string error;
  EXPECT_TRUE(MakeView(Figures(sample.profile), options, &data, &error)) << error;
  return data;
}

json Json(const ViewData& view) {
  std::string text;
  WriteViewJson(view, AppendTo(&text));
  return json::parse(text);
}

double Sum(const json& rows, const char* key) {
  double sum = 0;
  for (const json& row : rows) sum += row.at(key).get<double>();
  return sum;
}

// Sums a metric of the profile over all call paths and locations.
double Whole(const Sample& sample, const char* metric) {
  const uint32_t m = sample.profile.FindMetric(metric);
  double sum = 0;
  for (uint32_t path = 0; path < sample.profile.call_paths.size(); ++path) {
    for (uint32_t l = 0; l < sample.profile.locations.size(); ++l) sum += sample.profile.values[m].Real(path, l);
  }
  return sum;
}

// main > step > step=0 … step=`values`-1: each has 2 visits and computes (value + 1) s in rank 0, 1 s in rank 1, which
// waits in MPI for the rest. Step 3 takes `more` s more in `leaf` of rank 1.
Sample Steps(int values, double more = 50) {
  Sample sample;
  archive::Profile& profile = sample.profile;
  profile.hosts = {{"host"}};
  profile.processes = {{0, 0, "Rank 0"}, {0, 1, "Rank 1"}};
  profile.locations = {{0, 0, "Thread 0"}, {1, 0, "Thread 0"}};
  for (const char* name : {"main", "step", "leaf", "MPI_Recv"}) {
    profile.regions.emplace_back().name = name;
    profile.regions.back().paradigm = std::string(name) == "MPI_Recv" ? "mpi" : "compiler";
  }
  profile.call_paths = {{0, archive::kNone}, {1, 0}};
  for (int value = 0; value < values; ++value) {
    const auto path = static_cast<uint32_t>(profile.call_paths.size());
    profile.regions.emplace_back().name = "step=" + std::to_string(value);
    profile.regions.back().role = "dynamic";
    profile.call_paths.insert(profile.call_paths.end(),
                              {{static_cast<uint32_t>(profile.regions.size() - 1), 1}, {2, path}, {3, path}});
  }
  const uint32_t time = profile.AddMetric({"time", "", "sec", "", archive::Type::kDouble});
  const uint32_t visits = profile.AddMetric({"visits", "", "occ", "", archive::Type::kUint64});
  for (int value = 0; value < values; ++value) {
    const auto path = static_cast<uint32_t>(2 + 3 * value);
    const double extra = value == 3 ? more : 0;
    for (uint32_t l = 0; l < 2; ++l) profile.values[visits].Set(path, l, uint64_t{1});
    profile.values[time].Set(path, 0, value + 1.0);
    profile.values[time].Set(path, 1, 1.0);
    profile.values[time].Set(path + 1, 1, extra);
    profile.values[time].Set(path + 2, 1, 1.0 * value);
  }
  return sample;
}

TEST(Views, IterationsTellWhichValueTakesLongestAndWhy) {
  ViewOptions options;
  options.terminal.width = 200;
  const ViewData view = Make(Steps(40), "iterations", options);
  const json report = Json(view);
  EXPECT_EQ(report["totals"]["values"], 40);
  ASSERT_EQ(report["iterations"].size(), 40u);
  const json& third = report["iterations"][3];
  EXPECT_EQ(third["callpath"], "main > step");
  EXPECT_EQ(third["parameter"], "step");
  EXPECT_EQ(third["value"], "3");
  EXPECT_EQ(third["visits"], 2);
  EXPECT_DOUBLE_EQ(third["time_s"], 4 + 1 + 50 + 3);
  EXPECT_DOUBLE_EQ(third["longest_s"], 54);
  EXPECT_DOUBLE_EQ(third["computation_s"], 55);
  EXPECT_DOUBLE_EQ(third["mpi_s"], 3);
  EXPECT_DOUBLE_EQ(third["work_max_over_mean"], 51 / 27.5);
  EXPECT_EQ(third["busiest"], "1:0");
  EXPECT_EQ(third["most_in"], "leaf");
  EXPECT_DOUBLE_EQ(third["most_in_s"], 50);
  EXPECT_DOUBLE_EQ(Sum(report["iterations"], "time_s"), Whole(Steps(40), "time"));
  for (const char* words : {"40 of step, 0 to 39, in main > step", "21.5 s (median), 1.00 s to 54.0 s",
                            "step=3: 54.0 s, 2.51 times the median; 1:0 computes 1.85 times the mean; leaf takes 50.0 "
                            "s more than otherwise",
                            "the first 4 take 15.0 s each, the last 4 38.5 s: 2.57 times as long", "0 to 2"}) {
    EXPECT_NE(view.text.find(words), std::string::npos) << words << "\n" << view.text;
  }
}

// Each value has a region of its own. All of them are the loop itself, so its time is compared from value to value.
TEST(Views, TheLoopItselfIsComparedBetweenValues) {
  ViewOptions options;
  options.terminal.width = 200;
  const ViewData view = Make(Steps(40, 0), "iterations", options);
  for (const char* words : {"step itself takes 20.0 s more than otherwise", "  step itself  0 to 2"}) {
    EXPECT_NE(view.text.find(words), std::string::npos) << words << "\n" << view.text;
  }
  EXPECT_EQ(Json(view)["iterations"][39]["most_in"], "step=39");
}

TEST(Views, ATrifleIsNoReasonForTheSlowestValue) {
  Sample sample = Steps(40, 0);
  sample.profile.values[sample.profile.FindMetric("time")].Set(2 + 3 * 39 + 2, 1, 1000.0);  // in MPI_Recv
  const std::string text = Make(sample, "iterations").text;
  EXPECT_NE(text.find("step=39: 1,001 s"), std::string::npos) << text;
  EXPECT_EQ(text.find("more than otherwise"), std::string::npos) << text;  // 20 s of computation
}

TEST(Views, ALoopOfOneValueHasNoIterations) {
  ViewOptions options;
  options.view = "iterations";
  ViewData data;
  std::string error;
  const Sample sample = Steps(1);
  EXPECT_FALSE(MakeView(Figures(sample.profile), options, &data, &error));
  EXPECT_NE(error.find("EPIK_PHASE_START"), std::string::npos) << error;
}

TEST(Views, ADamagedLineOfFilesIsNotAnotherHeading) {
  const std::string heading =
      "rank,reads,writes,syncs,opens_closes,read_s,write_s,sync_s,open_close_s,bytes_read,bytes_written,file\n";
  std::vector<FileFigures> files;
  std::string error;
  EXPECT_FALSE(ParseFiles("rank,file\n", &files, &error));
  EXPECT_EQ(error, "line 1 is not \"" + heading.substr(0, heading.size() - 1) + "\"");
  EXPECT_FALSE(ParseFiles(heading + "0,1,2\n", &files, &error));
  EXPECT_EQ(error, "line 2 is damaged");
}

TEST(Views, AProgramsOwnMetricMayHaveANameOfScoreP) {
  Sample sample = NoTime();
  const uint32_t own = sample.profile.AddMetric({"bytes_sent", "bytes_sent", "bytes", ""});
  const uint32_t theirs = sample.profile.AddMetric({"bytes_received", "Bytes received", "bytes", ""});
  EXPECT_TRUE(IsCounter(sample.profile, own));
  EXPECT_EQ(FindMessageMetric(sample.profile, {"bytes_sent_p2p", "bytes_sent"}), archive::kNone);
  EXPECT_FALSE(IsCounter(sample.profile, theirs));
  EXPECT_EQ(FindMessageMetric(sample.profile, {"bytes_received_p2p", "bytes_received"}), theirs);
}

TEST(Views, WaitsThatAreNotKnownAreNotNone) {
  Sample sample = Steps(2);
  sample.profile.AddMetric({"mpi_latesender", "", "sec", "", archive::Type::kDouble});
  EXPECT_EQ(Make(sample, "waits").text, "No wait states were found.\n");
  const uint32_t unknown = sample.profile.AddMetric({"mpi_waits_unknown", "", "occ", "", archive::Type::kUint64});
  sample.profile.values[unknown].Set(0, 0, uint64_t{3});
  EXPECT_EQ(Make(sample, "waits").text,
            "No wait states were found in calls whose waits are known.\nHow long 3 calls waited is not known.\n");
}

TEST(Views, CountersSayWhichValuesTheyLeaveOut) {
  Sample sample = Hostile();
  const uint32_t peak = sample.profile.AddMetric({"peak", "", "#", "", archive::Type::kMax});
  sample.profile.values[peak].Set(0, 0, std::numeric_limits<double>::infinity());
  sample.profile.values[peak].Set(1, 0, std::numeric_limits<double>::quiet_NaN());
  sample.profile.values[peak].Set(2, 0, 7.0);
  const ViewData view = Make(sample, "counters");
  for (const char* words : {"a,\"b\" leaves out 1 value that is infinite or no number\n",
                            "peak leaves out 2 values that are infinite or no number\n"}) {
    EXPECT_NE(view.text.find(words), std::string::npos) << view.text;
  }
  const json rows = Json(view)["counters"];
  EXPECT_EQ(std::pair(rows[0]["total"], rows[0]["left_out"]), (std::pair<json, json>(0.1, 1)));
  EXPECT_EQ(std::pair(rows[1]["total"], rows[1]["left_out"]), (std::pair<json, json>(7.0, 2)));
}

TEST(Views, NamesOfCountersAreShortenedToFit) {
  Sample sample = Steps(2);
  for (const char* end : {"red", "blue"}) {
    const std::string name = "a_metric_with_a_name_" + std::string(100, 'o') + "_" + end;
    const uint32_t metric = sample.profile.AddMetric({name, "", "J", "", archive::Type::kDouble});
    for (uint32_t location = 0; location < 2; ++location) sample.profile.values[metric].Set(2, location, 12345.0);
  }
  for (const size_t width : {40u, 80u, 130u}) {
    ViewOptions options;
    options.terminal.width = width;
    const std::string text = Make(sample, "counters", options).text;
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(view::Width(line), width) << text;
    EXPECT_NE(text.find("_red\n"), std::string::npos) << text;
    EXPECT_NE(text.find("_blue\n"), std::string::npos) << text;
  }
}

TEST(Views, CountersBelowZeroComeLargestFirst) {
  Sample sample = Steps(3);
  const uint32_t residual = sample.profile.AddMetric({"residual", "", "1", "", archive::Type::kDouble});
  const double values[] = {-2, -50, 8};
  for (uint32_t p = 0; p < 3; ++p) sample.profile.values[residual].Set(2 + 3 * p, 0, values[p]);
  const std::string text = Make(sample, "counters").text;
  const size_t largest = text.find("step=1"), middle = text.find("step=2"), least = text.find("step=0");
  EXPECT_TRUE(largest < middle && middle < least && least != std::string::npos) << text;
  EXPECT_NE(text.find(" -83.3 "), std::string::npos) << text;  // of all values without their signs
}

TEST(Views, TheCriticalPathSaysWhyNoCallIsOpen) {
  findings::Findings found;
  found.critical.end_s = 1;
  found.critical.segments = {{0.0, 0.1, {0, 0}, ""}, {0.1, 0.4, {0, 1}, ""}, {0.4, 1.0, {0, 1}, "main > work"}};
  ViewOptions options;
  options.findings = &found;
  const json places = Json(Make(Stencil(), "critical", options))["places"];
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0]["callpath"], "main > work");
  EXPECT_EQ(places[1]["callpath"], "(thread not started)");
  EXPECT_NEAR(places[1]["seconds"].get<double>(), 0.3, 1e-9);
  EXPECT_EQ(places[2]["callpath"], "(outside of all calls)");
}

TEST(Views, MpiAddsUpToTheMetrics) {
  const Sample sample = Stencil();
  const json report = Json(Make(sample, "mpi"));
  for (const char* list : {"functions", "callpaths"}) {
    const json& rows = report[list];
    EXPECT_NEAR(Sum(rows, "time_s"), Whole(sample, "mpi"), 1e-9);
    EXPECT_EQ(Sum(rows, "messages_sent"), Whole(sample, "msgs_sent"));
    EXPECT_EQ(Sum(rows, "bytes_received"), Whole(sample, "bytes_received_p2p"));
    EXPECT_EQ(Sum(rows, "bytes"), Whole(sample, "bytes") + Whole(sample, "mpi_file_bytes_written"));
    EXPECT_EQ(Sum(rows, "calls"), report["totals"]["calls"].get<double>());
    for (const json& row : rows) {
      EXPECT_LE(row["rank_min_s"], row["rank_mean_s"]);
      EXPECT_LE(row["rank_mean_s"], row["rank_max_s"]);
      EXPECT_NEAR(row["rank_mean_s"].get<double>() * 4, row["time_s"].get<double>(), 1e-9);
    }
  }
  EXPECT_EQ(report["functions"][0]["function"], "MPI_Allreduce");
  EXPECT_EQ(report["functions"][0]["rank_max"], 0);  // the rank with the least work waits longest
  EXPECT_TRUE(report["functions"][2]["rank_max"].is_null());
}

TEST(Views, LoadIsAllOfTheTime) {
  const Sample sample = Stencil();
  const json report = Json(Make(sample, "load"));
  ASSERT_EQ(report["locations"].size(), 8u);
  EXPECT_NEAR(Sum(report["locations"], "time_s"), Whole(sample, "time"), 1e-9);
  EXPECT_NEAR(Sum(report["locations"], "computation_s"), Whole(sample, "comp"), 1e-9);
  EXPECT_NEAR(Sum(report["locations"], "openmp_s"), Whole(sample, "omp_time"), 1e-9);
  EXPECT_NEAR(Sum(report["locations"], "idle_s"), Whole(sample, "omp_idle_threads"), 1e-9);
  EXPECT_EQ(report["totals"]["busiest"], "3:0");
}

TEST(Views, OmpAccountsForEveryThread) {
  const Sample sample = Stencil();
  const json report = Json(Make(sample, "omp"));
  ASSERT_EQ(report["regions"].size(), 1u);
  const json& row = report["regions"][0];
  EXPECT_EQ(row["instances"], 4000);  // 1 000 on the first thread of each rank
  EXPECT_EQ(row["threads"], 2);
  double parts = 0;
  for (const char* key :
       {"work_s", "implicit_barrier_s", "explicit_barrier_s", "exclusion_s", "management_s", "mpi_s", "other_s"}) {
    parts += row[key].get<double>();
  }
  EXPECT_NEAR(parts, row["thread_time_s"].get<double>(), 1e-9);
  // 0.03 s for the region and its loop each, on top of work and 0.75 × work.
  const double even = 2 * (1.03 + 2.03 + 3.03 + 4.03), work = 10 + 7.5 + 8 * 0.03;
  EXPECT_NEAR(row["imbalance"].get<double>(), even / work, 1e-9);
}

TEST(Views, ACallPathThatOneLocationCameToSaysWhich) {
  Sample sample = Stencil();
  archive::Profile& profile = sample.profile;
  const uint32_t time = profile.FindMetric("time");
  const auto last = static_cast<uint32_t>(profile.locations.size() - 1);
  const auto path = static_cast<uint32_t>(profile.call_paths.size() - 1);  // the last call path has no callees
  for (uint32_t l = 0; l <= last; ++l) profile.values[time].Set(path, l, l == last ? 0.001 : 0.0);
  ViewOptions options;
  options.min_percent = 0;
  EXPECT_NE(Make(sample, "tree", options).text.find("one " + LocationName(profile, last)), std::string::npos)
      << Make(sample, "tree", options).text;
}

TEST(Views, AProfileWithoutTheKindHasNoView) {
  ViewOptions options;
  ViewData data;
  std::string error;
  const Sample serial = Wide();
  options.view = "omp";
  EXPECT_FALSE(MakeView(Figures(serial.profile), options, &data, &error));
  EXPECT_NE(error.find("no OpenMP in this profile"), std::string::npos);
  options.view = "mpi";
  EXPECT_FALSE(MakeView(Figures(serial.profile), options, &data, &error));
  EXPECT_NE(error.find("no MPI in this profile"), std::string::npos);
}

TEST(Views, CsvAndJsonAgree) {
  for (const char* kind : {"mpi", "load", "omp", "pop"}) {
    const ViewData view = Make(Stencil(), kind);
    const json report = Json(view);
    std::string csv;
    WriteViewCsv(view, AppendTo(&csv));
    const json& rows = report[view.sheets[0].key];
    size_t lines = 0;
    for (char c : csv) lines += c == '\n';
    EXPECT_EQ(lines, rows.size() + 1);
    std::string keys;
    for (const SheetColumn& column : view.sheets[0].columns) keys += (keys.empty() ? "" : ",") + column.key;
    EXPECT_EQ(csv.substr(0, csv.find("\r\n")), keys);
  }
}

// On 40 columns, a call path has room beside a long name, and names are told apart. Columns behind the call path are
// for programs.
TEST(Views, NarrowScreensHaveRoomForCallPaths) {
  Sheet sheet;
  sheet.columns = {{"seconds", "time", Unit::kSeconds},
                   {"most_s", "most", Unit::kSeconds, 1},
                   {"pattern", "wait state", Unit::kText},
                   {"callpath", "call path", Unit::kText},
                   {"metric", "", Unit::kText}};
  for (const char* state : {"Wait for Tasks at Implicit Barrier", "Wait for Creation of Tasks at Implicit Barrier"}) {
    sheet.rows.push_back({1.5, 0.5, state, "main > solve > MPI_Waitall", "omp"});
  }
  view::Terminal terminal;
  terminal.width = 40;
  std::istringstream lines(RenderSheet(sheet, 0, terminal));
  std::vector<std::string> shown;
  for (std::string line; std::getline(lines, line);) shown.push_back(line);
  ASSERT_EQ(shown.size(), 3u);
  for (const std::string& line : shown) EXPECT_LE(view::Width(line), 40u) << line;
  EXPECT_NE(shown[1], shown[2]);
  EXPECT_NE(shown[1].find("… > MPI_W"), std::string::npos) << shown[1];
}

TEST(Views, MarkdownIsATable) {
  const ViewData view = Make(Stencil(), "mpi");
  std::string text;
  WriteViewMarkdown(view, AppendTo(&text));
  EXPECT_EQ(text.find("| calls | time | % | bytes | min | mean | max | rank | function |\n|---:|"), 0u) << text;
  EXPECT_NE(text.find("| MPI\\_Allreduce |"), std::string::npos) << text;
}

// Two counters on one location each: rank 1 could not measure the first one, and all could measure the other.
Sample PartlyCounted() {
  Sample sample;
  archive::Profile& p = sample.profile;
  p.processes = {{0, 0, ""}, {0, 1, ""}};
  p.locations = {{0, 0, ""}, {1, 0, ""}};
  p.regions.resize(1);
  p.regions[0].name = "main";
  p.call_paths = {{0, archive::kNone}};
  const uint32_t time = p.AddMetric({"time", "", "sec", "", archive::Type::kDouble, archive::Along::kExclusive});
  const uint32_t cycles = p.AddMetric({"perf::CYCLES", "", "occ", "n/a on ranks 1: no PMU; cycles"});
  const uint32_t instructions = p.AddMetric({"perf::INSTRUCTIONS", "", "occ", "n/a on ranks 1: no PMU; instructions"});
  const uint32_t faults = p.AddMetric({"faults", "", "occ", "page faults"});
  p.AddMetric({"PER_FAULT", "", "", "computed: perf::CYCLES / faults"});
  p.AddMetric({"PER_SECOND", "", "", "computed: faults / time"});
  for (uint32_t l = 0; l < 2; ++l) p.values[time].Set(0, l, 2.0);
  p.values[cycles].Set(0, 0, 10.0);
  p.values[instructions].Set(0, 0, 30.0);
  for (uint32_t l = 0; l < 2; ++l) p.values[faults].Set(0, l, 5.0);
  p.AddMetric({"PER_VISIT", "", "", "computed: faults / visits"});
  const uint32_t visits = p.AddMetric({"visits", "", "occ", "", archive::Type::kUint64, archive::Along::kExclusive});
  p.values[visits].Set(0, 0, uint64_t{2});
  p.values[visits].Set(0, 1, uint64_t{5});
  return sample;
}

TEST(Views, WhatOneProcessCouldNotCountIsNoZero) {
  const ViewData view = Make(PartlyCounted(), "counters");
  std::map<std::string, json> rows;
  const json report = Json(view);
  for (const json& row : report["counters"]) rows[row["counter"]] = row;
  EXPECT_EQ(rows["perf::CYCLES"]["total"], 10);
  EXPECT_EQ(rows["perf::CYCLES"]["min"], 10) << "of those that counted";
  EXPECT_EQ(rows["perf::CYCLES"]["missing"], "n/a on ranks 1: no PMU");
  EXPECT_EQ(rows["faults"]["total"], 10);
  EXPECT_TRUE(rows["faults"]["missing"].is_null());
  EXPECT_EQ(rows["instructions per cycle"]["total"], 3) << "of one thread both";
  EXPECT_TRUE(rows["PER_FAULT"]["total"].is_null()) << "cycles of one by faults of two";
  EXPECT_EQ(rows["PER_FAULT"]["max"], 2) << "of the thread that has both";
  EXPECT_EQ(rows["PER_FAULT"]["missing"], "perf::CYCLES is n/a on ranks 1: no PMU");
  EXPECT_EQ(rows["PER_SECOND"]["total"], 2.5);
  EXPECT_EQ(rows["PER_VISIT"]["total"], 10.0 / 7);
  EXPECT_EQ(rows["PER_VISIT"]["min"], 1) << "of the thread with five visits";
  EXPECT_EQ(rows["PER_VISIT"]["max"], 2.5);
  EXPECT_NE(view.text.find("perf::CYCLES: n/a on ranks 1: no PMU"), std::string::npos) << view.text;
}

TEST(Views, RecursiveParallelRegionsCountOnce) {
  // parallel > work > parallel > work, one thread: 5 s in all, 3 of them in the inner one.
  Sample sample;
  archive::Profile& p = sample.profile;
  p.processes = {{0, 0, ""}};
  p.locations = {{0, 0, ""}};
  p.regions.resize(2);
  p.regions[0].name = "parallel @x.c:1";
  p.regions[0].paradigm = "openmp";
  p.regions[0].role = "parallel";
  p.regions[1].name = "work";
  p.call_paths = {{0, archive::kNone}, {1, 0}, {0, 1}, {1, 2}};
  const uint32_t time = p.AddMetric({"time", "", "sec", "", archive::Type::kDouble, archive::Along::kExclusive});
  for (uint32_t path = 0; path < 4; ++path) p.values[time].Set(path, 0, path < 2 ? 1.0 : 1.5);
  const json report = Json(Make(sample, "omp"));
  EXPECT_EQ(report["regions"][0]["work_s"], 5.0);
  EXPECT_EQ(report["regions"][0]["time_s"], 5.0);
}

TEST(Views, NestedParallelRegionsLoseTimeOnce) {
  // outer > (work, inner > barrier), one thread: 1 s of work, 2 s at the barrier of the inner region.
  Sample sample;
  archive::Profile& p = sample.profile;
  p.processes = {{0, 0, ""}};
  p.locations = {{0, 0, ""}};
  p.regions.resize(4);
  for (const uint32_t parallel : {0u, 2u}) {
    p.regions[parallel].name = parallel == 0 ? "parallel @outer.c:1" : "parallel @inner.c:1";
    p.regions[parallel].paradigm = "openmp";
    p.regions[parallel].role = "parallel";
  }
  p.regions[1].name = "work";
  p.regions[3].name = "barrier @inner.c:2";
  p.regions[3].paradigm = "openmp";
  p.regions[3].role = "barrier";
  p.call_paths = {{0, archive::kNone}, {1, 0}, {2, 0}, {3, 2}};
  const uint32_t time = p.AddMetric({"time", "", "sec", "", archive::Type::kDouble, archive::Along::kExclusive});
  p.values[time].Set(1, 0, 1.0);
  p.values[time].Set(3, 0, 2.0);
  const json report = Json(Make(sample, "omp"));
  EXPECT_EQ(report["regions"].size(), 2u);
  EXPECT_EQ(report["totals"]["lost_s"], 2.0) << report.dump(1);
}

// One process. outer has two threads, each leads an inner team of its own: of itself alone, or with one more thread.
Sample Nested(bool alone, const std::vector<std::string>& waits = {}) {
  Sample sample;
  archive::Profile& p = sample.profile;
  p.processes = {{0, 0, ""}};
  const uint32_t locations = alone ? 2 : 4;
  for (uint32_t l = 0; l < locations; ++l) p.locations.push_back({0, static_cast<int>(l), ""});
  p.regions.resize(4);
  p.regions[0].name = "main";
  p.regions[3].name = "work";
  for (const uint32_t parallel : {1u, 2u}) {
    p.regions[parallel].name = parallel == 1 ? "parallel @outer.c:1" : "parallel @inner.c:1";
    p.regions[parallel].paradigm = "openmp";
    p.regions[parallel].role = "parallel";
  }
  p.call_paths = {{0, archive::kNone}, {1, 0}, {2, 1}, {3, 2}};
  for (const std::string& role : waits) {
    p.call_paths.push_back({static_cast<uint32_t>(p.regions.size()), 1});
    p.regions.emplace_back();
    p.regions.back().name = role + " @outer.c:2";
    p.regions.back().paradigm = "openmp";
    p.regions.back().role = role;
  }
  const uint32_t visits = p.AddMetric({"visits", "", "occ", "", archive::Type::kUint64, archive::Along::kExclusive});
  const uint32_t time = p.AddMetric({"time", "", "sec", "", archive::Type::kDouble, archive::Along::kExclusive});
  p.values[visits].Set(0, 0, uint64_t{1});
  for (uint32_t l = 0; l < locations; ++l) {
    if (l < 2) p.values[visits].Set(1, l, uint64_t{5});
    p.values[visits].Set(2, l, uint64_t{5});
    p.values[time].Set(3, l, l % 2 == 0 ? 1.0 : 4.0);
  }
  return sample;
}

TEST(Views, NestedTeamsAreMadeOfTheirOwnThreads) {
  json row = Json(Make(Nested(true), "omp"))["regions"][0];
  if (row["region"] != "parallel @inner.c:1") row = Json(Make(Nested(true), "omp"))["regions"][1];
  EXPECT_EQ(row["instances"], 10);
  EXPECT_EQ(row["threads"], 1);
  EXPECT_EQ(row["time_s"], 4.0);  // of the thread that led longest
  EXPECT_EQ(row["thread_time_s"], 5.0);
  EXPECT_EQ(row["efficiency"], 1.0);
  EXPECT_EQ(row["imbalance"], 1.0);
  for (const json& pair : Json(Make(Nested(false), "omp"))["regions"]) {
    if (pair["region"] != "parallel @inner.c:1") continue;
    EXPECT_EQ(pair["instances"], 10);
    EXPECT_EQ(pair["threads"], 2);
    EXPECT_EQ(pair["thread_time_s"], 10.0);
  }
}

// A region within itself, as of a recursion: the outer team has two threads, each inner one one.
TEST(Views, ARegionWithinItselfHasTheTeamOfTheOuterOne) {
  Sample sample = Nested(true);
  sample.profile.call_paths[2].region = 1;
  const json row = Json(Make(sample, "omp"))["regions"][0];
  EXPECT_EQ(row["threads"], 2);
  EXPECT_EQ(row["time_s"], 1.0);
  EXPECT_EQ(row["thread_time_s"], 2.0);
}

TEST(Views, NarrowScreensKeepTheLargestLosses) {
  Sample sample = Nested(true, {"implicit barrier", "barrier", "critical", "taskwait"});
  const uint32_t time = sample.profile.FindMetric("time");
  for (uint32_t path = 4; path < 8; ++path) sample.profile.values[time].Set(path, 0, path - 3.0);
  ViewOptions options;
  options.terminal.width = 94;
  const std::string text = Make(sample, "omp", options).text;
  EXPECT_NE(text.find("tasks"), std::string::npos) << text;
  EXPECT_NE(text.find("crit/lock"), std::string::npos) << text;
  EXPECT_EQ(text.find("impl.bar"), std::string::npos) << text;
}

TEST(Communication, IsReadStrictly) {
  std::vector<Traffic> traffic;
  std::string error;
  ASSERT_TRUE(ParseCommunication("from,to,messages,bytes\n0,1,2,3\r\n\n1,0,18446744073709551615,0", &traffic, &error));
  EXPECT_EQ(traffic, (std::vector<Traffic>{{0, 1, 2, 3}, {1, 0, UINT64_MAX, 0}}));
  const std::map<std::string, std::string> bad = {{"", "it is empty"},
                                                  {"to,from\n", "line 1"},
                                                  {"from,to,messages,bytes\n0,1,2\n", "line 2"},
                                                  {"from,to,messages,bytes\n0,1,2,3\n0,1,2,-3\n", "line 3"},
                                                  {"from,to,messages,bytes\n0,1,2,3,4\n", "line 2"},
                                                  {"from,to,messages,bytes\n4294967295,1,2,3\n", "line 2"}};
  for (const auto& [text, expected] : bad) {
    EXPECT_FALSE(ParseCommunication(text, &traffic, &error)) << text;
    EXPECT_NE(error.find(expected), std::string::npos) << error;
  }
}

// A message without bytes is a message, in numbers and in shades.
TEST(Communication, EmptyMessagesAreDrawn) {
  for (const size_t ranks : {2u, 100u}) {
    view::Terminal terminal;
    terminal.width = 80;
    terminal.unicode = false;
    const std::string none = DrawMatrix({{0, 1, 0, 0}}, ranks, terminal);
    const std::string empty = DrawMatrix({{0, 1, 3, 0}}, ranks, terminal);
    const std::string some = DrawMatrix({{0, 1, 3, 0}, {static_cast<uint32_t>(ranks - 1), 0, 1, 900}}, ranks, terminal);
    EXPECT_NE(empty, none) << empty;
    const std::string drawn = ranks == 2 ? view::Bytes(0) : "-";
    EXPECT_EQ(none.find(drawn), std::string::npos) << none;
    EXPECT_NE(empty.find(drawn), std::string::npos) << empty;
    EXPECT_NE(some.find(drawn), std::string::npos) << some;
  }
}

TEST(Communication, ManyRanksAreDrawnInBlocks) {
  for (uint32_t ranks : {1u, 8u, 9u, 64u, 1000u, 100000u}) {
    for (bool unicode : {true, false}) {
      view::Terminal terminal;
      terminal.width = 80;
      terminal.unicode = unicode;
      const std::string text = DrawMatrix(StencilTraffic(ranks), ranks, terminal);
      size_t lines = 0;
      for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1, ++lines) {
        EXPECT_LE(view::Width(text.substr(at, end - at)), 80u + 16);
      }
      EXPECT_LE(lines, 66u);
      EXPECT_GE(lines, std::min(ranks, 33u));
    }
  }
  // A rank number from a damaged file takes no memory.
  EXPECT_FALSE(DrawMatrix({{4294967294u, 0, 1, 1}}, 4, view::Terminal{.width = 80}).empty());
  EXPECT_EQ(DrawMatrix({}, 4, view::Terminal{.width = 80}), "No messages between ranks.\n");
}

}  // namespace
}  // namespace epik::report
