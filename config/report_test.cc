// SPDX-License-Identifier: BSD-3-Clause
#include "config/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "config/loader.h"

namespace epik::config {
namespace {

Loaded From(const std::string& conf) {
  const Environment nothing(nullptr);
  Loader loader(nothing, "");
  loader.AddFile("/etc/EPIK.CONF", conf);
  return loader.Finish();
}

size_t Columns(const std::string& line) {
  size_t n = 0;
  for (const char c : line) n += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return n;
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RenderTable, ShowsValueSourceAndDefault) {
  const std::string table = RenderTable(From("EPK_TRACE = comm\n"), 120, false);
  EXPECT_TRUE(Has(table, "1 of " + std::to_string(kSettings) + " variables is set (marked *)\n\nmeasurement\n"))
      << table;
  EXPECT_TRUE(Has(table, "\n  EPK_SUMMARY             yes             summarize visits, times and metrics"));
  EXPECT_TRUE(Has(table, "\n* EPK_TRACE               comm            log events with their times"));
  EXPECT_TRUE(Has(table, "from /etc/EPIK.CONF:1; default: off\n"));
  EXPECT_TRUE(Has(table, "\n  EPK_TITLE               (empty)         the archive is epik_TITLE"));
  EXPECT_FALSE(Has(table, "\033"));
}

TEST(RenderTable, BoldIsOnlyForWhatIsSetAndSections) {
  const std::string table = RenderTable(From("EPK_TRACE = comm\n"), 120, true);
  EXPECT_TRUE(Has(table, "\033[1mEPK_TRACE\033[0m"));
  EXPECT_TRUE(Has(table, "\033[1mcomm\033[0m"));
  EXPECT_TRUE(Has(table, "\033[1marchive\033[0m"));
  EXPECT_FALSE(Has(table, "\033[1mEPK_SUMMARY"));
}

TEST(RenderTable, NoLineIsTooWide) {
  const Loaded loaded = From("EPK_GDIR = /" + std::string(150, 'd') + "/ünï\nEPK_TITLE = 'a  b   c'\n");
  for (const int width : {-1, 0, 40, 41, 60, 75, 76, 80, 100, 132, 1000}) {
    std::istringstream lines(RenderTable(loaded, width, false) +
                             RenderVariable(loaded, Describe(Key::mpi_enabled), width, false));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(Columns(line), static_cast<size_t>(std::max(width, 40))) << width << ": " << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << "blank at the end: " << line;
    }
  }
}

TEST(RenderTable, EveryVariableAtEveryWidth) {
  for (const int width : {40, 80, 200}) {
    const std::string table = RenderTable(Loaded(), width, false);
    for (const Description& row : Descriptions()) EXPECT_TRUE(Has(table, row.name)) << row.name;
  }
}

TEST(RenderVariable, AllThereIsToKnow) {
  EXPECT_EQ(RenderVariable(From("\nESD_PATHS = 99\n"), Describe(Key::paths), 100, false),
            "ESD_PATHS\n"
            "            call paths for which a thread has room at its start; if set, it is also the limit\n"
            "  value     99\n"
            "  source    /etc/EPIK.CONF:2\n"
            "  default   4096\n"
            "  accepted  1 to 1000000000, unlimited\n"
            "  type      integer\n"
            "  unit      call paths\n"
            "  section   limits\n"
            "  since     0.1\n");
}

TEST(RenderConf, DefaultsAreComments) {
  const std::string conf = RenderConf(From("EPK_TITLE = 'a # b'\nEPK_FILTER=\n").settings);
  EXPECT_TRUE(Has(conf, "\nEPK_TITLE = \"a # b\"\n"));
  EXPECT_TRUE(Has(conf, "\nEPK_FILTER = \"\"\n"));
  EXPECT_TRUE(Has(conf, "\n# ESD_PATHS = 4096\n"));
}

std::string RandomText(std::mt19937* random) {
  static constexpr std::string_view kLetters = "aZ09 \t#$\"'\\{}=,:/\n\r\x7f\xc3\xbc";
  std::string text;
  for (size_t n = (*random)() % 12; n > 0; --n) text += kLetters[(*random)() % kLetters.size()];
  return text;
}

// Any settings are the same after they were written and read back. Values come as the environment would bring them.
TEST(RenderConf, ReadsBackAsTheSameSettings) {
  std::mt19937 random(7);
  const std::vector<std::string> values = {"yes",
                                           "off",
                                           "7",
                                           "16M",
                                           "1.5k",
                                           "10us",
                                           "2.5%",
                                           "all",
                                           "CG:P2P",
                                           "a,b",
                                           "TASK",
                                           "u",
                                           "tsc",
                                           "ring",
                                           "sample",
                                           "otf2",
                                           "0,3-5",
                                           "node",
                                           "c::d",
                                           "",
                                           "none",
                                           "unlimited",
                                           "every:9",
                                           "DEFAULT",
                                           "slow:1ms",
                                           "a:b\\:c",
                                           "comm,ranks:0,1",
                                           "window:f(a, b):1-2"};
  int set = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> variables;
    for (const Description& row : Descriptions()) {
      if (random() % 3 == 0) continue;
      const bool text = random() % 3 == 0;
      variables.push_back(std::string(row.name) + "=" +
                          (text ? RandomText(&random) : values[random() % values.size()]));
    }
    std::vector<const char*> pointers;
    for (const std::string& variable : variables) pointers.push_back(variable.c_str());
    pointers.push_back(nullptr);
    const Environment environment(pointers.data());
    Loader loader(environment, "");
    loader.AddEnvironment();
    const Settings settings = loader.Finish().settings;
    const std::string conf = RenderConf(settings);
    const Loaded again = From(conf);
    ASSERT_TRUE(again.messages.empty()) << again.messages[0].text << "\n" << conf;
    ASSERT_TRUE(again.settings.SameAs(settings)) << conf << "\nread back as\n" << RenderConf(again.settings);
    for (const Description& row : Descriptions()) set += settings.IsSet(row.key) ? 1 : 0;
  }
  EXPECT_GT(set, 20'000);  // the property was not tested on defaults only
}

TEST(RenderJson, IsJsonAndComplete) {
  const Loaded loaded =
      From("EPK_TRACE = comm\nEPK_TITLE = \"q\\\" \x01 ü \xff\"\nEPK_GDIR = \"a\\\\\x80\"\nEPK_TRACCE=1\n");
  const auto json = nlohmann::json::parse(RenderJson(loaded));
  ASSERT_EQ(json["variables"].size(), static_cast<size_t>(kSettings));
  const auto& trace = json["variables"][2];
  EXPECT_EQ(trace["name"], "EPK_TRACE");
  EXPECT_EQ(trace["value"], "comm");
  EXPECT_EQ(trace["default"], "off");
  EXPECT_EQ(trace["set"], true);
  EXPECT_EQ(trace["source"], "file");
  EXPECT_EQ(trace["file"], "/etc/EPIK.CONF");
  EXPECT_EQ(trace["line"], 1);
  for (const auto& variable : json["variables"]) {
    for (const char* member :
         {"name", "value", "default", "set", "source", "type", "accepted", "unit", "section", "since", "help"}) {
      EXPECT_TRUE(variable.contains(member)) << member;
    }
    if (variable["name"] != "EPK_GDIR") continue;
    EXPECT_EQ(variable["value"], "a\\\ufffd");
  }
  // EPK_TITLE takes no control characters: refused.
  ASSERT_EQ(json["messages"].size(), 2u);
  EXPECT_EQ(json["messages"][0]["kind"], "refused");
  EXPECT_EQ(json["messages"][1]["kind"], "unknown");
  EXPECT_EQ(json["messages"][1]["text"], loaded.messages[1].text);
}

TEST(RenderJson, BytesThatAreNoUtf8) {
  for (const char* bytes :
       {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xf0\x9f\x98"}) {
    Loaded loaded;
    loaded.settings.gdir = bytes;
    EXPECT_TRUE(nlohmann::json::accept(RenderJson(loaded))) << bytes;
  }
  Loaded loaded;
  loaded.settings.machine_name = "ü € 😀 \x1f";
  const auto json = nlohmann::json::parse(RenderJson(loaded));
  for (const auto& variable : json["variables"]) {
    if (variable["name"] != "EPK_MACHINE_NAME") continue;
    EXPECT_EQ(variable["value"], "ü € 😀 \x1f");
  }
}

TEST(RenderNames, OneALine) {
  const std::string names = RenderNames();
  EXPECT_EQ(std::count(names.begin(), names.end(), '\n'), kSettings);
  EXPECT_TRUE(Has(names, "\nEPK_TRACE\n"));
}

}  // namespace
}  // namespace epik::config
