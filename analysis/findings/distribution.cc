// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/findings/distribution.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace epik::findings {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

ordered_json SeriesJson(const std::vector<Series>& all) {
  ordered_json rows = ordered_json::array();
  for (const Series& series : all) rows.push_back({{"pattern", series.pattern}, {"seconds", series.seconds}});
  return rows;
}

// A row gets a figure for each column, even if the file has fewer or more.
std::vector<Series> TakeSeries(const json& rows, size_t columns) {
  std::vector<Series> all;
  for (const json& row : rows) {
    all.push_back({row.at("pattern").get<std::string>(), row.at("seconds").get<std::vector<double>>()});
    all.back().seconds.resize(columns);
  }
  return all;
}

ordered_json SpreadJson(const Spread& spread) {
  ordered_json row = {{"pattern", spread.pattern}};
  // A histogram of all call paths has no such key, and TakeSpread reads that as an empty text.
  if (!spread.callpath.empty()) row["callpath"] = spread.callpath;
  row["instances"] = spread.instances;
  row["seconds"] = spread.seconds;
  row["min_s"] = spread.min_s;
  row["median_s"] = spread.median_s;
  row["p90_s"] = spread.p90_s;
  row["p99_s"] = spread.p99_s;
  row["max_s"] = spread.max_s;
  row["buckets"] = ordered_json::array();
  for (const Spread::Bucket& bucket : spread.buckets) {
    row["buckets"].push_back({bucket.from_s, bucket.to_s, bucket.count});
  }
  return row;
}

Spread TakeSpread(const json& row) {
  Spread spread;
  spread.pattern = row.at("pattern").get<std::string>();
  spread.callpath = row.value("callpath", "");
  spread.instances = row.at("instances").get<uint64_t>();
  spread.seconds = row.at("seconds").get<double>();
  spread.min_s = row.at("min_s").get<double>();
  spread.median_s = row.at("median_s").get<double>();
  spread.p90_s = row.at("p90_s").get<double>();
  spread.p99_s = row.at("p99_s").get<double>();
  spread.max_s = row.at("max_s").get<double>();
  for (const json& bucket : row.at("buckets")) {
    spread.buckets.push_back({bucket.at(0).get<double>(), bucket.at(1).get<double>(), bucket.at(2).get<uint64_t>()});
  }
  return spread;
}

}  // namespace

void Put(const Distribution& distribution, ordered_json* json) {
  (*json)["over_time"] = {{"bin_s", distribution.over_time.bin_s},
                          {"patterns", SeriesJson(distribution.over_time.patterns)}};
  ordered_json& iterations = (*json)["iterations"] = ordered_json::array();
  for (const Iterations& one : distribution.iterations) {
    iterations.push_back({{"callpath", one.callpath},
                          {"parameter", one.parameter},
                          {"first", one.first},
                          {"last", one.last},
                          {"time_s", one.time_s},
                          {"patterns", SeriesJson(one.patterns)}});
  }
  ordered_json& spreads = (*json)["histograms"] = ordered_json::array();
  for (const Spread& spread : distribution.spreads) spreads.push_back(SpreadJson(spread));
}

Distribution TakeDistribution(const json& from) {
  Distribution distribution;
  // Analyses of older versions have findings without a distribution.
  if (from.contains("over_time")) {
    const json& time = from.at("over_time");
    distribution.over_time.bin_s = time.at("bin_s").get<double>();
    // The file does not tell the number of bins, so the longest row decides.
    size_t bins = 0;
    for (const json& row : time.at("patterns")) bins = std::max(bins, row.at("seconds").size());
    distribution.over_time.patterns = TakeSeries(time.at("patterns"), bins);
  }
  for (const json& row : from.value("iterations", json::array())) {
    Iterations one;
    one.callpath = row.at("callpath").get<std::string>();
    one.parameter = row.at("parameter").get<std::string>();
    one.first = row.at("first").get<std::vector<std::string>>();
    one.last = row.at("last").get<std::vector<std::string>>();
    // Readers look only at `first` to learn the number of rows: a damaged file must not make other columns shorter.
    one.last.resize(one.first.size());
    one.time_s = row.at("time_s").get<std::vector<double>>();
    one.time_s.resize(one.first.size());
    one.patterns = TakeSeries(row.at("patterns"), one.first.size());
    distribution.iterations.push_back(std::move(one));
  }
  for (const json& row : from.value("histograms", json::array())) distribution.spreads.push_back(TakeSpread(row));
  return distribution;
}

}  // namespace epik::findings
