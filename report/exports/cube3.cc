// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/cube3.h"

#include <bit>
#include <cmath>

#include "archive/cubex/anchor.h"
#include "archive/files/xml_scanner.h"
#include "report/figures.h"
#include "view/exact.h"
#include "view/number.h"

namespace epik::report {
namespace {

using archive::EscapeXml;
using archive::kNone;
using archive::Profile;
using archive::Type;

class Cube3Writer {
 public:
  Cube3Writer(const Profile& profile, const ExclusiveRowSource& rows, const Sink& sink, std::vector<std::string>* notes,
              std::string* error)
      : profile_(profile), rows_(rows), out_(sink), notes_(*notes), error_(error) {}

  bool Write() {
    out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"3.0\">\n"
            "<attr key=\"CUBE_CT_AGGR\" value=\"NONE\"/>\n<attr key=\"Creator\" value=\"EPIK\"/>\n"
            "<doc><mirrors></mirrors></doc>\n";
    Metrics();
    Program();
    System();
    if (!Severity()) return false;
    out_ << "</cube>\n";
    if (odd_values_ > 0) {
      notes_.push_back(view::Plural(odd_values_, "value") +
                       " that CUBE 3 cannot hold (infinite, or no number) became 0");
    }
    return true;
  }

 private:
  void Put(const char* tag, std::string_view text) {
    out_ << "<" << tag << ">" << EscapeXml(text) << "</" << tag << ">";
  }

  bool Fits(uint32_t metric) const {
    const Type type = profile_.metrics[metric].type;
    return type == Type::kUint64 || type == Type::kDouble;
  }

  void PutMetric(uint32_t m) {
    const archive::Metric& metric = profile_.metrics[m];
    out_ << "<metric id=\"" << std::to_string(number_[m]) << "\">";
    Put("disp_name", metric.display_name.empty() ? metric.unique_name : metric.display_name);
    Put("uniq_name", metric.unique_name);
    Put("dtype", metric.type == Type::kUint64 ? "INTEGER" : "FLOAT");
    Put("uom", metric.unit);
    out_ << "<url></url>";
    Put("descr", metric.description);
    out_ << "\n";
  }

  // CUBE 3 adds up everything that it aggregates, which makes nonsense of minima and maxima.
  void Metrics() {
    std::vector<std::vector<uint32_t>> children(profile_.metrics.size());
    std::vector<uint32_t> above(profile_.metrics.size(), kNone), roots;
    for (uint32_t m = 0; m < profile_.metrics.size(); ++m) {
      if (!Fits(m)) {
        notes_.push_back("metric " + profile_.metrics[m].unique_name + " is left out: CUBE 3 has no minima and maxima");
      }
      uint32_t parent = profile_.metrics[m].parent;
      if (parent != kNone && !Fits(parent)) parent = above[parent];
      above[m] = parent;
      if (Fits(m)) (parent == kNone ? roots : children[parent]).push_back(m);
    }
    number_.assign(profile_.metrics.size(), 0);
    out_ << "<metrics>\n";
    std::vector<std::pair<uint32_t, bool>> open;  // the next one is last; second: whether it is to be closed
    for (size_t i = roots.size(); i-- > 0;) open.emplace_back(roots[i], false);
    while (!open.empty()) {
      const auto [m, close] = open.back();
      open.pop_back();
      if (close) {
        out_ << "</metric>\n";
        continue;
      }
      number_[m] = static_cast<uint32_t>(order_.size());
      order_.push_back(m);
      PutMetric(m);
      open.emplace_back(m, true);
      for (size_t i = children[m].size(); i-- > 0;) open.emplace_back(children[m][i], false);
    }
    out_ << "</metrics>\n";
  }

  void Program() {
    out_ << "<program>\n";
    for (uint32_t r = 0; r < profile_.regions.size(); ++r) {
      const archive::Region& region = profile_.regions[r];
      out_ << "<region id=\"" << std::to_string(r) << "\" mod=\"" << EscapeXml(region.file) << "\" begin=\""
           << std::to_string(region.begin_line) << "\" end=\"" << std::to_string(region.end_line) << "\">";
      Put("name", region.name);
      out_ << "<url></url>";
      Put("descr", region.description.empty() ? "USR" : region.description);
      out_ << "</region>\n";
    }
    Walk(
        profile_, profile_.MakeLinks(),
        [this](uint32_t p) {
          out_ << "<cnode id=\"" << std::to_string(p) << "\" calleeId=\""
               << std::to_string(profile_.call_paths[p].region) << "\">\n";
        },
        [this](uint32_t) { out_ << "</cnode>\n"; });
    out_ << "</program>\n";
  }

  // No level may be empty. Threads have numbers in the order of the file, as their values do.
  void System() {
    out_ << "<system>\n<machine Id=\"0\">";
    Put("name", profile_.machine);
    out_ << "\n";
    std::vector<std::vector<uint32_t>> threads(profile_.processes.size());
    for (uint32_t l = 0; l < profile_.locations.size(); ++l) {
      const uint32_t process = profile_.locations[l].process;
      if (process < threads.size()) threads[process].push_back(l);
    }
    std::vector<std::vector<uint32_t>> members(profile_.hosts.size());
    for (uint32_t p = 0; p < threads.size(); ++p) {
      const uint32_t host = profile_.processes[p].host;
      if (!threads[p].empty() && host < members.size()) members[host].push_back(p);
    }
    size_t nodes = 0, processes = 0;
    for (uint32_t n = 0; n < members.size(); ++n) {
      if (members[n].empty()) continue;
      out_ << "<node Id=\"" << std::to_string(nodes++) << "\">";
      Put("name", profile_.hosts[n].name);
      out_ << "\n";
      for (const uint32_t p : members[n]) PutProcess(p, processes++, threads[p]);
      out_ << "</node>\n";
    }
    out_ << "</machine>\n</system>\n";
  }

  void PutProcess(uint32_t process, size_t number, const std::vector<uint32_t>& threads) {
    out_ << "<process Id=\"" << std::to_string(number) << "\">";
    Put("name", profile_.processes[process].name);
    Put("rank", std::to_string(profile_.processes[process].rank));
    out_ << "\n";
    for (const uint32_t l : threads) {
      out_ << "<thread Id=\"" << std::to_string(columns_.size()) << "\">";
      Put("name", profile_.locations[l].name);
      Put("rank", std::to_string(profile_.locations[l].thread));
      out_ << "</thread>\n";
      columns_.push_back(l);
    }
    out_ << "</process>\n";
  }

  bool Severity() {
    out_ << "<severity>\n";
    std::vector<uint64_t> cells(profile_.locations.size());
    for (const uint32_t m : order_) {
      bool open = false;
      for (uint32_t p = 0; p < profile_.call_paths.size(); ++p) {
        if (!rows_.has(m, p)) continue;
        if (!rows_.read(m, p, cells.data(), error_)) return false;
        if (!FormatRow(profile_.metrics[m].type, cells)) continue;
        if (!open) out_ << "<matrix metricId=\"" << std::to_string(number_[m]) << "\">\n";
        open = true;
        out_ << "<row cnodeId=\"" << std::to_string(p) << "\">" << row_ << "</row>\n";
      }
      if (open) out_ << "</matrix>\n";
    }
    out_ << "</severity>\n";
    return true;
  }

  // Returns false when all values are zero.
  bool FormatRow(Type type, const std::vector<uint64_t>& cells) {
    row_.clear();
    bool any = false;
    for (const uint32_t l : columns_) {
      if (!row_.empty()) row_ += ' ';
      if (type == Type::kUint64) {
        row_ += std::to_string(cells[l]);
        any = any || cells[l] != 0;
        continue;
      }
      double value = std::bit_cast<double>(cells[l]);
      if (!std::isfinite(value)) {
        ++odd_values_;
        value = 0;
      }
      row_ += view::RoundTrip(value, "0");
      any = any || value != 0;
    }
    return any;
  }

  const Profile& profile_;
  const ExclusiveRowSource& rows_;
  Buffer out_;
  std::vector<std::string>& notes_;
  std::string* error_;
  std::vector<uint32_t> number_;   // metric -> its id in the file
  std::vector<uint32_t> order_;    // of metrics in the file
  std::vector<uint32_t> columns_;  // thread Id -> location
  std::string row_;
  uint64_t odd_values_ = 0;
};

}  // namespace

bool WriteCube3(const Profile& definitions, const ExclusiveRowSource& rows, const Sink& sink,
                std::vector<std::string>* notes, std::string* error) {
  return archive::CheckDefinitions(definitions, error) && Cube3Writer(definitions, rows, sink, notes, error).Write();
}

}  // namespace epik::report
