// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tools/epk/command.h"

namespace epik::epk {
namespace {

struct Result {
  int status;
  std::string out, err;
};

// The command as the user types it, with one variable in the environment.
Result Typed(std::vector<std::string> arguments, const char* name = nullptr, const char* value = nullptr) {
  cli::App app;
  std::function<int()> run;
  AddConfig(app, run);
  const cli::Parsed parsed = app.Parse(std::move(arguments));
  if (parsed.outcome != cli::Parsed::kGood) return {kUsage, "", parsed.error};
  if (name != nullptr) setenv(name, value, 1);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Result result;
  result.status = run();
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  if (name != nullptr) unsetenv(name);
  return result;
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Config, TheTable) {
  const Result result = Typed({}, "EPK_TRACE", "comm");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(Has(result.out, "\n* EPK_TRACE"));
  EXPECT_TRUE(Has(result.out, "from environment; default: off"));
  EXPECT_EQ(result.err, "");
}

TEST(Config, ARefusedValueIsStatusOne) {
  const Result result = Typed({}, "EPK_TIMER", "sundial");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(Has(result.out, "\n  EPK_TIMER"));
  EXPECT_EQ(
      result.err,
      "epk: EPK_TIMER=sundial (environment): not one of the accepted words; accepted: auto, tsc, monotonic; using "
      "the default 'auto'\n");
}

TEST(Config, AnUnknownNameIsStatusOne) {
  const Result result = Typed({"--json"}, "EPK_TRACCE", "1");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out[0], '{');
  EXPECT_TRUE(Has(result.err, "did you mean EPK_TRACE?"));
}

TEST(Config, OtherForms) {
  EXPECT_TRUE(Has(Typed({"--conf"}, "EPK_TITLE", "a#b").out, "\nEPK_TITLE = \"a#b\"\n"));
  EXPECT_TRUE(Has(Typed({"--names"}).out, "\nELG_COMPRESSION\n"));
  EXPECT_EQ(Typed({"--json", "--conf"}).err, "--json excludes --conf");
}

TEST(Config, OneVariable) {
  EXPECT_TRUE(Has(Typed({"ESD_PATHS"}).out, "  default   4096\n"));
  EXPECT_EQ(Typed({"paths"}).out, Typed({"ESD_PATHS"}).out);
  EXPECT_EQ(Typed({"EPK_CONF"}).status, 0);
}

TEST(Config, AWrongNameGetsTheNearest) {
  const Result result = Typed({"EPK_TRACCE"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "epk config: no variable EPK_TRACCE; did you mean EPK_TRACE?\n");
  EXPECT_EQ(Typed({"tracce"}).err, "epk config: no variable tracce; did you mean EPK_TRACE?\n");
  EXPECT_EQ(Typed({"merge"}).out, "ELG_MERGE\n  has no effect: traces are never merged\n");
  EXPECT_EQ(Typed({"weather"}).err, "epk config: no variable weather\n");
}

}  // namespace
}  // namespace epik::epk
