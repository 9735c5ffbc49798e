// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/derived.h"
#include "archive/metrics/metric_tree.h"
#include "archive/profile/absent_locations.h"
#include "archive/profile/path_names.h"
#include "report/figures.h"
#include "report/views/views.h"
#include "view/csv.h"
#include "view/exact.h"

namespace epik::report {

using archive::Along;
using archive::kNone;
using archive::Profile;
using archive::Type;

namespace {

// The columns between the times and the further metrics.
struct CommunicationColumn {
  const char* name;
  std::initializer_list<std::string_view> metrics;  // the first that is there; older and foreign names follow
};
const std::array<CommunicationColumn, 5> kCommunication = {
    {{"bytes_sent", {"bytes_sent_p2p", "bytes_sent"}},
     {"bytes_received", {"bytes_received_p2p", "bytes_received"}},
     {"msgs_sent", {"msgs_sent"}},
     {"msgs_received", {"msgs_received"}},
     {"colls", {"colls"}}}};

// The columns before these.
constexpr const char* kFirst[] = {"rank",   "thread", "callpath", "region", "role",
                                  "visits", "excl_s", "incl_s",   "min_s",  "max_s"};

// A program gives its metrics any name, but a table has no column twice.
std::string ColumnOf(const std::string& metric) {
  const auto is_metric = [&](const char* column) { return metric == column; };
  const bool is_taken = std::any_of(std::begin(kFirst), std::end(kFirst), is_metric) ||
                        std::any_of(kCommunication.begin(), kCommunication.end(),
                                    [&](const CommunicationColumn& column) { return is_metric(column.name); });
  return is_taken ? metric + " (metric)" : metric;
}

std::string Number(double value) { return view::RoundTrip(value, ""); }

class CsvWriter {
 public:
  CsvWriter(const Profile& profile, const Sink& sink)
      : profile_(profile),
        links_(profile.MakeLinks()),
        names_(profile),
        visits_(profile.FindMetric("visits")),
        min_(profile.FindMetric("min_time")),
        max_(profile.FindMetric("max_time")),
        is_timed_(profile.FindMetric("time") != kNone),
        time_(profile, profile.FindMetric("time")),
        out_(sink) {}

  void Write() {
    Head();
    Walk(
        profile_, links_, [this](uint32_t p) { Rows(p); }, [](uint32_t) {});
  }

 private:
  void Head() {
    for (uint32_t m = 0; m < profile_.metrics.size(); ++m) absent_.push_back(archive::AbsentLocations(profile_, m));
    for (const char* column : kFirst) out_ << (column == kFirst[0] ? "" : ",") << column;
    for (const CommunicationColumn& column : kCommunication) {
      out_ << "," << column.name;
      others_.push_back(FindMessageMetric(profile_, column.metrics));
    }
    for (uint32_t m = 0; m < profile_.metrics.size(); ++m) {
      const std::string& name = profile_.metrics[m].unique_name;
      if (!archive::IsDerivedMetric(name)) measured_.push_back(m);
      if (name == "time" || name == "visits" || name == "min_time" || name == "max_time") continue;
      if (profile_.metrics[m].description.starts_with(analysis::kComputed)) continue;
      if (archive::IsDerivedMetric(name) || std::find(others_.begin(), others_.end(), m) != others_.end()) continue;
      out_ << "," << view::CsvText(ColumnOf(name));
      others_.push_back(m);
    }
    out_ << "\r\n";
  }

  void Rows(uint32_t p) {
    const std::string& region = profile_.regions[profile_.call_paths[p].region].name;
    std::string names;  // the same for all locations
    for (uint32_t l = 0; l < profile_.locations.size(); ++l) {
      if (!HasData(p, l)) continue;
      if (names.empty()) {
        names = view::CsvText(names_.Of(p)) + "," + view::CsvText(region) + "," +
                view::CsvText(profile_.regions[profile_.call_paths[p].region].role);
      }
      Row(p, l, names);
    }
  }

  bool HasData(uint32_t p, uint32_t l) const {
    for (const uint32_t m : measured_) {
      const archive::Values& values = profile_.values[m];
      const uint64_t* row = values.Row(p);
      if (row != nullptr && row[l] != archive::Values::EmptyBits(values.type())) return true;
    }
    // The callers of a thread's root only pass control on: they have no row in the column of that thread.
    return is_timed_ && time_.Inclusive(p, l) != 0;
  }

  void Row(uint32_t p, uint32_t l, const std::string& names) {
    out_ << std::to_string(RankOf(profile_, l)) << "," << std::to_string(profile_.locations[l].thread) << "," << names;
    out_ << "," << Value(visits_, p, l);
    out_ << "," << (is_timed_ ? Number(time_.Exclusive(p, l)) : "") << ","
         << (is_timed_ ? Number(time_.Inclusive(p, l)) : "");
    out_ << "," << Value(min_, p, l) << "," << Value(max_, p, l);
    for (uint32_t metric : others_) out_ << "," << (metric == kNone ? "0" : Value(metric, p, l));
    out_ << "\r\n";
  }

  std::string Value(uint32_t metric, uint32_t p, uint32_t l) const {
    if (metric == kNone) return "";
    if (!absent_[metric].empty() && absent_[metric][l]) return "n/a";
    const archive::Values& values = profile_.values[metric];
    const bool subtract = profile_.metrics[metric].along == Along::kInclusive;
    switch (values.type()) {
      case Type::kUint64: {
        uint64_t own = values.Integer(p, l);
        // Integers are subtracted as integers: they may have more digits than a double.
        for (uint32_t c = links_.first_child[p]; subtract && c != kNone; c = links_.next_sibling[c]) {
          own -= std::min(own, values.Integer(c, l));
        }
        return std::to_string(own);
      }
      case Type::kDouble: {
        double own = values.Real(p, l);
        for (uint32_t c = links_.first_child[p]; subtract && c != kNone; c = links_.next_sibling[c]) {
          own -= values.Real(c, l);
        }
        return Number(own);
      }
      default: {
        const uint64_t* row = values.Row(p);
        return row == nullptr || row[l] == archive::Values::EmptyBits(values.type()) ? "" : Number(values.Real(p, l));
      }
    }
  }

  const Profile& profile_;
  const Profile::Links links_;
  const archive::PathNames names_;
  const uint32_t visits_, min_, max_;  // metrics; kNone: not measured
  const bool is_timed_;
  const Split time_;
  Buffer out_;
  std::vector<uint32_t> others_;    // metrics after max_s; kNone: not measured
  std::vector<uint32_t> measured_;  // metrics that make a row: not what is computed from those of other locations
  std::vector<std::vector<bool>> absent_;  // by metric and location: asked for, but it could not be had; or empty
};

}  // namespace

void WriteCsv(const Profile& profile, const Sink& sink) { CsvWriter(profile, sink).Write(); }

}  // namespace epik::report
