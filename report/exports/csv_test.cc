// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "report/exports/json.h"
#include "report/sample_profiles.h"

namespace epik::report {
namespace {

using Table = std::vector<std::vector<std::string>>;

std::string Text(const Sample& sample) {
  std::string text;
  WriteCsv(sample.profile, AppendTo(&text));
  return text;
}

// RFC 4180, strictly.
Table Parse(const std::string& text) {
  Table table;
  for (size_t at = 0; at < text.size();) {
    table.emplace_back();
    for (bool more = true; more;) {
      std::string field;
      if (text[at] == '"') {
        for (++at; !(text[at] == '"' && text[at + 1] != '"'); ++at) {
          if (text[at] == '"') ++at;
          field += text[at];
        }
        ++at;
      } else {
        for (; text[at] != ',' && text[at] != '\r'; ++at) field += text[at];
      }
      table.back().push_back(field);
      more = text[at] == ',';
      at += more ? 1 : 2;
    }
  }
  return table;
}

size_t Column(const Table& table, const std::string& name) {
  for (size_t c = 0; c < table[0].size(); ++c) {
    if (table[0][c] == name) return c;
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

double Number(const std::string& cell) { return cell.empty() ? 0 : std::stod(cell); }

TEST(Csv, WhatOneProcessCouldNotHaveIsNoZero) {
  Sample sample = Stencil();
  const uint32_t metric = sample.profile.AddMetric({"cycles", "cycles", "occ", "n/a on ranks 1-2: no PMU; cycles"});
  for (uint32_t l = 0; l < sample.profile.locations.size(); ++l) {
    const int rank = sample.profile.processes[sample.profile.locations[l].process].rank;
    if (rank == 0) sample.profile.values[metric].Set(0, l, 5.0);
  }
  const Table table = Parse(Text(sample));
  const size_t cycles = Column(table, "cycles"), rank = Column(table, "rank");
  std::map<std::string, size_t> rows;
  for (size_t row = 1; row < table.size(); ++row) {
    const std::string& cell = table[row][cycles];
    ++rows[table[row][rank]];
    if (table[row][rank] == "1" || table[row][rank] == "2") {
      EXPECT_EQ(cell, "n/a");
    } else {
      EXPECT_TRUE(cell == "0" || cell == "5") << cell;
    }
  }
  EXPECT_EQ(rows.size(), 4u);
}

TEST(Csv, WhatIsComputedFromOthersMakesNoRow) {
  Sample sample = Stencil();
  const std::string before = Text(sample);
  const uint32_t metric = sample.profile.AddMetric({"imbalance_below_bypass", "Non-participation", "sec", ""});
  for (uint32_t p = 0; p < sample.profile.call_paths.size(); ++p) {
    for (uint32_t l = 0; l < sample.profile.locations.size(); ++l) sample.profile.values[metric].Set(p, l, 0.5);
  }
  EXPECT_EQ(Text(sample), before);
}

TEST(Csv, ColumnsAreStable) {
  const std::string head =
      "rank,thread,callpath,region,role,visits,excl_s,incl_s,min_s,max_s,"
      "bytes_sent,bytes_received,msgs_sent,msgs_received,colls";
  EXPECT_EQ(Text(NoTime()).substr(0, head.size() + 2), head + "\r\n");
  EXPECT_EQ(Text(Hybrid()).substr(0, head.size() + 15), head + ",PAPI_TOT_CYC\r\n");
  EXPECT_EQ(Text(Hostile()).substr(0, head.size() + 12), head + ",\"a,\"\"b\"\"\"\r\n");
}

TEST(Csv, NoColumnIsThereTwice) {
  Sample sample = NoTime();
  for (const char* name : {"rank", "thread", "callpath", "region", "role", "excl_s", "bytes_sent", "colls", "rank_"}) {
    const uint32_t metric = sample.profile.AddMetric({name, name, "", "", archive::Type::kDouble});
    sample.profile.values[metric].Set(0, 0, 7.0);
  }
  const Table table = Parse(Text(sample));
  std::map<std::string, int> heads;
  for (const std::string& head : table[0]) EXPECT_EQ(++heads[head], 1) << head;
  EXPECT_EQ(table[1][Column(table, "rank (metric)")], "7");
  EXPECT_EQ(table[1][Column(table, "rank_")], "7");
  // The metric of the program is not that of EPIK.
  EXPECT_EQ(table[1][Column(table, "bytes_sent")], "0");
  EXPECT_EQ(table[1][Column(table, "bytes_sent (metric)")], "7");
}

TEST(Csv, RowsHaveAllColumnsAndOccurOnce) {
  for (const Sample& sample : AllSamples()) {
    const Table table = Parse(Text(sample));
    std::map<std::tuple<std::string, std::string, std::string>, int> rows;
    for (const auto& row : table) {
      EXPECT_EQ(row.size(), table[0].size());
      EXPECT_EQ(++rows[std::make_tuple(row[0], row[1], row[2])], 1) << row[2];
    }
  }
}

TEST(Csv, ExclusiveTimesOfALocationSumUpToItsRoot) {
  for (const Sample& sample : AllSamples()) {
    if (sample.manifest.program.starts_with("evil")) continue;  // it is not a measurement
    const Table table = Parse(Text(sample));
    const size_t own = Column(table, "excl_s"), all = Column(table, "incl_s");
    std::map<std::string, double> sums, totals;
    for (size_t r = 1; r < table.size(); ++r) {
      const std::string location = table[r][0] + ":" + table[r][1];
      EXPECT_GE(Number(table[r][own]), 0);
      sums[location] += Number(table[r][own]);
      if (table[r][2].find(" > ") == std::string::npos) totals[location] += Number(table[r][all]);
    }
    for (const auto& [location, total] : totals) EXPECT_NEAR(sums[location], total, 1e-9 * total) << location;
  }
}

TEST(Csv, AWorkerPassesThroughItsCallers) {
  const Table table = Parse(Text(Hybrid()));
  const size_t visits = Column(table, "visits"), own = Column(table, "excl_s"), all = Column(table, "incl_s");
  for (const auto& row : table) {
    if (row[0] != "0" || row[1] != "1" || row[2] != "heat > main") continue;
    EXPECT_EQ(row[visits], "0");
    EXPECT_EQ(row[own], "0");
    EXPECT_NEAR(Number(row[all]), 2.4111, 1e-9);
  }
}

TEST(Csv, IntegersAreExactAndExclusive) {
  const Table table = Parse(Text(Hybrid()));
  const size_t cycles = Column(table, "PAPI_TOT_CYC");
  int seen = 0;
  for (const auto& row : table) {
    if (row[0] != "0" || row[1] != "0") continue;
    if (row[3] == "heat" || row[3] == "main") {
      EXPECT_EQ(row[cycles], row[3] == "heat" ? "1" : "2");
      ++seen;
    }
    if (row[3] == "sweep") {
      EXPECT_EQ(row[cycles], "1152921504606847071");
      ++seen;
    }
  }
  EXPECT_EQ(seen, 3);
}

TEST(Csv, WhatTheProgramHadNotIsZero) {
  const Table table = Parse(Text(NoTime()));
  for (size_t r = 1; r < table.size(); ++r) {
    for (const char* column : {"bytes_sent", "bytes_received", "msgs_sent", "msgs_received", "colls"}) {
      EXPECT_EQ(table[r][Column(table, column)], "0");
    }
    EXPECT_EQ(table[r][Column(table, "visits")], "1");
  }
}

TEST(Csv, ColumnsOfMpiComeFromTheMetricTree) {
  const Table table = Parse(Text(Stencil()));
  std::map<std::string, double> sums;
  for (size_t r = 1; r < table.size(); ++r) {
    for (size_t c = 5; c < table[r].size(); ++c) sums[table[0][c]] += Number(table[r][c]);
  }
  EXPECT_EQ(sums["bytes_sent"], 4 * 2000 * 8192.0);
  EXPECT_EQ(sums["bytes_received"], sums["bytes_sent"]);
  EXPECT_EQ(sums["msgs_sent"], 8000);
  EXPECT_EQ(sums["msgs_received"], 8000);
  EXPECT_EQ(sums["colls"], 4000);
  EXPECT_EQ(sums["mpi_file_bytes_written"], 4.0 * (4 << 20));
  for (const char* made : {"execution", "comp", "mpi", "bytes", "bytes_sent_p2p", "comms", "omp_time"}) {
    EXPECT_FALSE(sums.contains(made)) << made;
  }
}

TEST(Csv, NoCellIsNotANumber) {
  const Table table = Parse(Text(Hostile()));
  for (const auto& row : table) {
    for (size_t c = 5; c < row.size(); ++c) {
      EXPECT_TRUE(row[c].find("nan") == std::string::npos && row[c].find("inf") == std::string::npos) << row[c];
    }
  }
  EXPECT_EQ(table[2][3], "say \"hi\", twice; or\r\nmore");
}

TEST(Csv, EqualsJson) {
  for (const Sample& sample : {Hybrid(), Recursion(), Unfinished(), Wide()}) {
    std::string text;
    WriteJson(sample.profile, sample.manifest, AppendTo(&text));
    const nlohmann::json report = nlohmann::json::parse(text);
    std::map<std::string, std::string> from_json;  // "metric rank thread callpath" -> value
    for (const nlohmann::json& columns : report["values"]) {
      for (size_t i = 0; i < columns["value"].size(); ++i) {
        std::string name;
        for (nlohmann::json path = columns["callpath"][i]; !path.is_null();
             path = report["callpaths"][path.get<size_t>()]["parent"]) {
          const size_t region = report["callpaths"][path.get<size_t>()]["region"];
          name = report["regions"][region]["name"].get<std::string>() + (name.empty() ? "" : " > ") + name;
        }
        const nlohmann::json& location = report["locations"][columns["location"][i].get<size_t>()];
        from_json[columns["metric"].get<std::string>() + " " + location["rank"].dump() + " " +
                  location["thread"].dump() + " " + name] = columns["value"][i].dump();
      }
    }
    const Table table = Parse(Text(sample));
    const std::map<std::string, std::string> names = {{"visits", "visits"},         {"incl_s", "time"},
                                                      {"min_s", "min_time"},        {"max_s", "max_time"},
                                                      {"bytes_sent", "bytes_sent"}, {"colls", "colls"}};
    size_t compared = 0;
    for (const auto& [column, metric] : names) {
      const size_t c = Column(table, column);
      for (size_t r = 1; r < table.size(); ++r) {
        const auto& row = table[r];
        const auto found = from_json.find(metric + " " + row[0] + " " + row[1] + " " + row[2]);
        EXPECT_EQ(found == from_json.end() ? 0 : std::stod(found->second), Number(row[c])) << column << " " << row[2];
        compared += found != from_json.end();
      }
    }
    EXPECT_GT(compared, table.size());
  }
}

TEST(Csv, DeepTreesNeedNoDeepStack) {
  // Each row repeats its whole call path, so this depth is as much as is reasonable.
  EXPECT_FALSE(Text(Deep(2000)).empty());
}

}  // namespace
}  // namespace epik::report
