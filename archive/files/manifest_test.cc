// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/manifest.h"

#include <gtest/gtest.h>

#include <limits>

namespace epik::archive {
namespace {

Manifest Example() {
  Manifest m;
  m.program = "solver";
  m.command = {"mpirun", "-n", "4", "./solver", "in \"put\".nml"};
  m.host = "node0";
  m.started = "2024-02-29T12:00:00+01:00";
  m.wall_seconds = 12.25;
  m.ranks = 4;
  m.threads = 2;
  m.ended = "signal";
  m.ended_detail = "SIGSEGV";
  m.recovered = true;
  m.open_frames = 7;
  m.timer = "tsc";
  m.ticks_per_second = 2.1e9;
  m.clock_residual_s = 1e-7;
  m.clock_measurements = 3;
  m.events = std::numeric_limits<uint64_t>::max();
  m.pair_cost_ns = 21.5;
  m.own_seconds = 0.25;
  m.computed_in_run = "waits";
  m.cost_seconds = 0.1;
  m.cost_percent = 1.0 / 3;
  m.cost_error_seconds = 0.01;
  m.cost_by_prices_seconds = 0.125;
  m.approximation = {true, "epik_solver_4x1_trace", "without measurement", "event", "lower", 12, 11.5, 31.5, 0.25};
  m.cpu_seconds = 30.5;
  m.cpu_most_seconds = 31.5;
  m.cpu_without_seconds = 30.4;
  m.wall_without_least_seconds = 12;
  m.wall_without_most_seconds = 12.25;
  m.ran_seconds = 2.5;
  m.queued_seconds = 1.5;
  m.preemptions = 17;
  m.wall_without_seconds = 12.125;
  m.folded_visits = 1;
  m.dropped_events = 2;
  m.repairs = 3;
  m.unmatched_exits = 4;
  m.notes = {"first", "zweite ä"};
  m.modules = {{"/usr/bin/solver", "abc123"}, {"libm.so.6", ""}};
  return m;
}

std::string ErrorOf(const std::string& text) {
  Manifest manifest;
  std::string error;
  EXPECT_FALSE(Manifest::FromJson(text, &manifest, &error));
  return error;
}

TEST(Manifest, GivesBackWhatWasWritten) {
  const std::string text = Example().ToJson();
  Manifest back;
  std::string error;
  ASSERT_TRUE(Manifest::FromJson(text, &back, &error)) << error;
  EXPECT_EQ(back.ToJson(), text);
  EXPECT_EQ(back.command, Example().command);
  EXPECT_EQ(back.events, Example().events);
  EXPECT_EQ(back.own_seconds, Example().own_seconds);
  EXPECT_EQ(back.cost_percent, Example().cost_percent);
  EXPECT_EQ(back.cost_error_seconds, Example().cost_error_seconds);
  EXPECT_EQ(back.cost_by_prices_seconds, Example().cost_by_prices_seconds);
  EXPECT_EQ(back.approximation.of, Example().approximation.of);
  EXPECT_EQ(back.approximation.change, Example().approximation.change);
  EXPECT_EQ(back.approximation.model, Example().approximation.model);
  EXPECT_EQ(back.approximation.bound, Example().approximation.bound);
  EXPECT_EQ(back.approximation.approximated_seconds, Example().approximation.approximated_seconds);
  EXPECT_EQ(back.approximation.pair_cost_spread, Example().approximation.pair_cost_spread);
  EXPECT_EQ(back.cpu_seconds, Example().cpu_seconds);
  EXPECT_EQ(back.cpu_without_seconds, Example().cpu_without_seconds);
  EXPECT_EQ(back.wall_without_least_seconds, Example().wall_without_least_seconds);
  EXPECT_EQ(back.wall_without_most_seconds, Example().wall_without_most_seconds);
  EXPECT_EQ(back.ran_seconds, Example().ran_seconds);
  EXPECT_EQ(back.cpu_most_seconds, Example().cpu_most_seconds);
  EXPECT_EQ(back.queued_seconds, Example().queued_seconds);
  EXPECT_EQ(back.preemptions, Example().preemptions);
  ASSERT_EQ(back.modules.size(), 2u);
  EXPECT_EQ(back.modules[0].build_id, "abc123");
  EXPECT_TRUE(back.recovered);
}

TEST(Manifest, IsReadableAndInAStableOrder) {
  const std::string text = Example().ToJson();
  EXPECT_EQ(text.rfind("{\n  \"manifest_version\": 1,\n  \"program\": \"solver\",\n  \"command\": [\n", 0), 0u) << text;
  EXPECT_LT(text.find("\"ended\""), text.find("\"events\""));
  EXPECT_LT(text.find("\"notes\""), text.find("\"modules\""));
  EXPECT_EQ(text.back(), '\n');
}

TEST(Manifest, NewerKeysAreIgnoredAndMissingOnesDefault) {
  Manifest back;
  std::string error;
  ASSERT_TRUE(Manifest::FromJson(R"({"manifest_version": 1, "later": {"x": [1]}, "ranks": 3})", &back, &error))
      << error;
  EXPECT_EQ(back.ranks, 3);
  EXPECT_EQ(back.ended, "exit");
}

TEST(Manifest, RefusesByMessage) {
  EXPECT_EQ(ErrorOf(""), "manifest.json: not JSON: error at byte 1");
  EXPECT_EQ(ErrorOf("{\"manifest_version\": 1"), "manifest.json: not JSON: error at byte 23");
  EXPECT_EQ(ErrorOf("[]"), "manifest.json: not the manifest of an archive: no manifest_version");
  EXPECT_EQ(ErrorOf("{}"), "manifest.json: not the manifest of an archive: no manifest_version");
  EXPECT_EQ(ErrorOf(R"({"manifest_version": 0})"), "manifest.json: version 0 does not exist");
  EXPECT_EQ(ErrorOf(R"({"manifest_version": 2})"),
            "manifest.json: version 2 is newer than this epk, which knows up to 1");
  const auto field = [](const std::string& text) { return ErrorOf("{\"manifest_version\": 1, " + text + "}"); };
  EXPECT_EQ(field("\"ranks\": \"4\""), "manifest.json: ranks is string, expected a whole number from 0 to 2147483647");
  EXPECT_EQ(field("\"ranks\": 2147483648"),
            "manifest.json: ranks is number, expected a whole number from 0 to 2147483647");
  EXPECT_EQ(field("\"events\": -1"), "manifest.json: events is number, expected a whole number from 0 on");
  EXPECT_EQ(field("\"events\": 1.5"), "manifest.json: events is number, expected a whole number from 0 on");
  EXPECT_EQ(field("\"recovered\": 1"), "manifest.json: recovered is number, expected true or false");
  EXPECT_EQ(field("\"wall_seconds\": null"), "manifest.json: wall_seconds is null, expected a number");
  EXPECT_EQ(field("\"notes\": \"x\""), "manifest.json: notes is string, expected a list");
  EXPECT_EQ(field("\"notes\": [1]"), "manifest.json: notes is array, expected a list of strings");
  EXPECT_EQ(field("\"modules\": [1]"), "manifest.json: modules is array, expected a list of objects");
  EXPECT_EQ(field("\"modules\": [{\"path\": 1}]"),
            "manifest.json: modules is array, expected a list of objects with strings");
  EXPECT_EQ(field("\"wall_seconds\": 1e999"), "manifest.json: not JSON: a number beyond all bounds");
  EXPECT_FALSE(ErrorOf(std::string(200000, '[')).empty());
}

TEST(Manifest, HoldsWhatIsNotTextOrNumber) {
  Manifest m;
  m.command = {"\xff\xfe"};
  m.wall_seconds = std::numeric_limits<double>::quiet_NaN();
  m.cost_percent = std::numeric_limits<double>::infinity();
  Manifest back;
  std::string error;
  ASSERT_TRUE(Manifest::FromJson(m.ToJson(), &back, &error)) << error;
  EXPECT_EQ(back.command, std::vector<std::string>{"\xef\xbf\xbd\xef\xbf\xbd"});
  EXPECT_EQ(back.wall_seconds, 0);
  EXPECT_EQ(back.cost_percent, 0);
}

}  // namespace
}  // namespace epik::archive
