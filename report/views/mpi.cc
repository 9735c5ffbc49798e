// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "archive/profile/path_names.h"
#include "archive/profile/region_class.h"
#include "report/views/communication.h"
#include "report/views/views.h"
#include "view/number.h"
#include "view/prose.h"

namespace epik::report {

using archive::kNone;

namespace {

constexpr size_t kDefaultFunctions = 30;

// The sums for each function or call path.
enum Sum : size_t {
  kBytesSent,
  kBytesReceived,
  kMessagesSent,
  kMessagesReceived,
  kCollectives,
  kCollectiveOut,
  kCollectiveIn,
  kPut,
  kGot,
  kFileRead,
  kFileWritten,
  kSums
};

struct Row {
  std::string name;
  double time = 0;
  uint64_t calls = 0;
  std::array<uint64_t, kSums> sums = {};
  std::vector<double> ranks;  // seconds of each process

  uint64_t Moved() const {
    return sums[kBytesSent] + sums[kBytesReceived] + sums[kCollectiveOut] + sums[kCollectiveIn] + sums[kPut] +
           sums[kGot] + sums[kFileRead] + sums[kFileWritten];
  }
};

class Collector {
 public:
  explicit Collector(const Figures& f) : f_(f) {
    const archive::Profile& p = f.profile;
    metrics_ = {FindMessageMetric(p, {"bytes_sent_p2p", "bytes_sent"}),
                FindMessageMetric(p, {"bytes_received_p2p", "bytes_received", "bytes_rcvd"}),
                FindAnyMetric(p, {"msgs_sent", "comms_send"}),
                FindAnyMetric(p, {"msgs_received", "comms_recv"}),
                FindAnyMetric(p, {"colls", "comms_coll"}),
                FindAnyMetric(p, {"bytes_sent_coll", "bytes_cout"}),
                FindAnyMetric(p, {"bytes_received_coll", "bytes_cin"}),
                FindAnyMetric(p, {"bytes_put"}),
                FindAnyMetric(p, {"bytes_get"}),
                FindAnyMetric(p, {"mpi_file_bytes_read"}),
                FindAnyMetric(p, {"mpi_file_bytes_written"})};
  }

  bool IsMpi(uint32_t path) const {
    return archive::KindOf(f_.profile.regions[f_.profile.call_paths[path].region]) == archive::RegionKind::kMpi;
  }

  void Add(uint32_t path, Row* row) const {
    row->calls += f_.visits[path];
    row->time += f_.time.ExclusiveSum(path);
    row->ranks.resize(std::max<size_t>(f_.profile.processes.size(), 1));
    const std::vector<double>& times = f_.time.ExclusiveRow(path);
    for (uint32_t l = 0; l < times.size(); ++l) {
      const uint32_t process = f_.profile.locations[l].process;
      if (process < row->ranks.size()) row->ranks[process] += times[l];
    }
    for (size_t s = 0; s < kSums; ++s) {
      if (metrics_[s] == kNone) continue;
      const archive::Values& values = f_.profile.values[metrics_[s]];
      for (uint32_t l = 0; values.Has(path) && l < f_.profile.locations.size(); ++l) {
        const double value = values.Real(path, l);
        row->sums[s] += values.type() == archive::Type::kUint64 ? values.Integer(path, l)
                        : value > 0 && value < 1e18             ? static_cast<uint64_t>(value)
                                                                : 0;
      }
    }
  }

  // Collects rows by function, or by call path.
  std::vector<Row> Collect(bool paths, ViewOptions::Sort sort) const {
    std::map<std::string, Row> rows;
    const archive::PathNames names(f_.profile);
    for (uint32_t path = 0; path < f_.visits.size(); ++path) {
      if (!IsMpi(path) || (f_.visits[path] == 0 && f_.time.ExclusiveSum(path) == 0)) continue;
      Row& row = rows[paths ? names.Of(path) : f_.profile.regions[f_.profile.call_paths[path].region].name];
      Add(path, &row);
    }
    std::vector<Row> out;
    for (auto& [name, row] : rows) {
      row.name = name;
      out.push_back(std::move(row));
    }
    // They are sorted by name already.
    std::stable_sort(out.begin(), out.end(), [&](const Row& a, const Row& b) {
      switch (sort) {
        case ViewOptions::Sort::kVisits: return a.calls > b.calls;
        case ViewOptions::Sort::kBytes: return a.Moved() > b.Moved();
        case ViewOptions::Sort::kName: return false;
        default: return a.time > b.time;
      }
    });
    return out;
  }

 private:
  const Figures& f_;
  std::array<uint32_t, kSums> metrics_;
};

struct RankSpread {
  double min = 0, mean = 0, max = 0;
  size_t worst = 0;  // number of a process
};
RankSpread SpreadOver(const std::vector<double>& ranks) {
  RankSpread spread;
  if (ranks.empty()) return spread;
  const auto max = std::max_element(ranks.begin(), ranks.end());
  spread.min = *std::min_element(ranks.begin(), ranks.end());
  spread.max = *max;
  spread.worst = static_cast<size_t>(max - ranks.begin());
  for (double seconds : ranks) spread.mean += seconds / static_cast<double>(ranks.size());
  return spread;
}

uint64_t RankOfProcess(const Figures& f, size_t process) {
  return process < f.profile.processes.size() ? uint64_t(std::max(0, f.profile.processes[process].rank)) : process;
}

Sheet MakeSheet(const Figures& f, const std::vector<Row>& rows, bool paths, bool wide) {
  const bool several = f.profile.processes.size() > 1;
  const auto title = [&](bool shown, const char* text) { return std::string(shown ? text : ""); };
  Sheet sheet{paths ? "callpaths" : "functions",
              {{"calls", "calls", Unit::kCount},
               {"time_s", "time", Unit::kSeconds},
               {"share", "%", Unit::kShare, 1},
               {"bytes", "bytes", Unit::kBytes},
               {"messages_sent", title(wide, "sent"), Unit::kCount, 6},
               {"messages_received", title(wide, "received"), Unit::kCount, 7},
               {"bytes_sent", "", Unit::kBytes},
               {"bytes_received", "", Unit::kBytes},
               {"colls", "", Unit::kCount},
               {"bytes_sent_coll", "", Unit::kBytes},
               {"bytes_received_coll", "", Unit::kBytes},
               {"bytes_put", "", Unit::kBytes},
               {"bytes_get", "", Unit::kBytes},
               {"file_bytes_read", "", Unit::kBytes},
               {"file_bytes_written", "", Unit::kBytes},
               {"rank_min_s", title(several && !paths, "min"), Unit::kSeconds, 4},
               {"rank_mean_s", title(several && !paths, "mean"), Unit::kSeconds, 5},
               {"rank_max_s", title(several, "max"), Unit::kSeconds, 2},
               {"rank_max", title(several, "rank"), Unit::kCount, 3},
               {paths ? "callpath" : "function", paths ? "call path" : "function", Unit::kText}},
              {}};
  sheet.hidden_prefix = RootPrefix(f);
  for (const Row& row : rows) {
    const RankSpread spread = SpreadOver(row.ranks);
    const bool uneven = spread.max > spread.min * (1 + 1e-9);
    const auto& s = row.sums;
    sheet.rows.push_back({row.calls,
                          row.time,
                          f.time.Total() > 0 ? row.time / f.time.Total() : 0.0,
                          row.Moved(),
                          s[kMessagesSent],
                          s[kMessagesReceived],
                          s[kBytesSent],
                          s[kBytesReceived],
                          s[kCollectives],
                          s[kCollectiveOut],
                          s[kCollectiveIn],
                          s[kPut],
                          s[kGot],
                          s[kFileRead],
                          s[kFileWritten],
                          spread.min,
                          spread.mean,
                          spread.max,
                          uneven ? SheetCell(RankOfProcess(f, spread.worst)) : SheetCell(),
                          row.name});
  }
  return sheet;
}

// grid 4 x 3, 12 processes; periodic in 0
std::string DescribeTopology(const archive::Topology& topology) {
  std::string shape, periodic;
  for (size_t d = 0; d < topology.dimensions.size(); ++d) {
    const archive::Topology::Dimension& dimension = topology.dimensions[d];
    const std::string name = dimension.name.empty() ? std::to_string(d) : dimension.name;
    shape += (d == 0 ? "" : " x ") + std::to_string(dimension.size);
    if (dimension.periodic) periodic += (periodic.empty() ? "; periodic in " : ", ") + name;
  }
  // Many topologies are named only by their shape.
  const bool named = topology.name.size() < shape.size() ||
                     topology.name.compare(topology.name.size() - shape.size(), shape.size(), shape) != 0;
  return (named ? topology.name + ": " + shape : topology.name) + ", " + std::to_string(topology.locations.size()) +
         (topology.locations.size() == 1 ? " process" : " processes") + periodic;
}

Row TotalOf(const std::vector<Row>& rows) {
  Row total;
  for (const Row& row : rows) {
    total.calls += row.calls;
    total.time += row.time;
    for (size_t s = 0; s < kSums; ++s) total.sums[s] += row.sums[s];
    total.ranks.resize(row.ranks.size());
    for (size_t r = 0; r < row.ranks.size(); ++r) total.ranks[r] += row.ranks[r];
  }
  return total;
}

std::string HeaderText(const Figures& f, const Row& total, const ViewOptions& options) {
  const auto& s = total.sums;
  const RankSpread spread = SpreadOver(total.ranks);
  const auto bytes = [](uint64_t n) { return view::Bytes(static_cast<double>(n)); };
  const auto line = [&](const char* label, const std::string& text) {
    return view::Labelled(label, text, options.terminal.width);
  };
  std::string text = view::Percent(total.time, f.time.Total()) + " % of the time, " +
                     view::Seconds(total.time, options.terminal.unicode) + " in " + view::Plural(total.calls, "call");
  if (total.ranks.size() > 1) {
    text += "; a rank spends " + view::Seconds(spread.min, options.terminal.unicode) + " to " +
            view::Seconds(spread.max, options.terminal.unicode) + ", rank " +
            std::to_string(RankOfProcess(f, spread.worst)) + " most";
  }
  std::string out = line("MPI", text);
  if (s[kMessagesSent] + s[kMessagesReceived] > 0) {
    out += line("messages", view::Count(s[kMessagesSent]) + " sent, " + bytes(s[kBytesSent]) + "; " +
                                view::Count(s[kMessagesReceived]) + " received, " + bytes(s[kBytesReceived]));
    if (s[kMessagesSent] > 0 && s[kMessagesSent] != s[kMessagesReceived]) {
      out += options.terminal.Warning(
          line("",
               "sent and received differ: cancelled, never received, received in calls that were not measured, or the "
               "run ended early"));
    }
  }
  if (s[kCollectives] > 0) {
    out += line("collective", view::Plural(s[kCollectives], "call") + ", " + bytes(s[kCollectiveOut]) + " sent, " +
                                  bytes(s[kCollectiveIn]) + " received");
  }
  for (const archive::Topology& topology : f.profile.topologies) {
    constexpr std::ptrdiff_t kMostShown = 4;
    const std::ptrdiff_t at = &topology - f.profile.topologies.data();
    if (at < kMostShown) {
      out += line("topology", DescribeTopology(topology));
    } else if (at == kMostShown) {
      out += line("", "and " + std::to_string(f.profile.topologies.size() - kMostShown) + " more");
    }
  }
  if (s[kPut] + s[kGot] > 0) out += line("one-sided", bytes(s[kPut]) + " put, " + bytes(s[kGot]) + " got");
  if (s[kFileRead] + s[kFileWritten] > 0) {
    out += line("file I/O", bytes(s[kFileRead]) + " read, " + bytes(s[kFileWritten]) + " written");
  }
  return out + "\n";
}

// Names the other views, with the data that each of them shows.
std::string Next(const ViewOptions& options) {
  std::vector<std::pair<const char*, const char*>> others;
  if (!options.paths) others.emplace_back("`--mpi --paths`", "the callers");
  if (!options.matrix && options.traffic != nullptr) others.emplace_back("`--mpi --matrix`", "who sends to whom");
  others.emplace_back("`--load`", "each rank");
  others.emplace_back("`--pop`", "the efficiencies");
  std::string text;
  for (const auto& [option, what] : others) {
    text += (text.empty() ? "" : ", ") + std::string(option) + (text.empty() ? " shows " : " ") + what;
  }
  return text + ".";
}

}  // namespace

bool MakeMpi(const Figures& f, const ViewOptions& options, ViewData* view, std::string* error) {
  const Collector collector(f);
  const std::vector<Row> functions = collector.Collect(/*paths=*/false, options.sort);
  if (functions.empty()) {
    *error =
        "no MPI in this profile: the program made no MPI call, or none was seen (`epk run` tells which adapters saw "
        "something)";
    return false;
  }
  if (options.matrix && options.traffic == nullptr) {
    *error = "no communication matrix in this archive: no rank sent a message, or EPK_MPI_MATRIX=no";
    return false;
  }
  const std::vector<Row> paths = collector.Collect(/*paths=*/true, options.sort);
  const Row total = TotalOf(functions);
  const bool wide = options.terminal.width >= 120;
  const double share = f.time.Total() > 0 ? total.time / f.time.Total() : 0;
  view->totals = {{"calls", total.calls},
                  {"time_s", total.time},
                  {"share", share},
                  {"messages_sent", total.sums[kMessagesSent]},
                  {"messages_received", total.sums[kMessagesReceived]},
                  {"bytes_sent", total.sums[kBytesSent]},
                  {"bytes_received", total.sums[kBytesReceived]},
                  {"colls", total.sums[kCollectives]},
                  {"bytes_sent_coll", total.sums[kCollectiveOut]},
                  {"bytes_received_coll", total.sums[kCollectiveIn]}};
  view->sheets = {MakeSheet(f, functions, false, wide), MakeSheet(f, paths, true, wide)};
  if (options.paths) std::swap(view->sheets[0], view->sheets[1]);
  view->next = Next(options);
  view->text = HeaderText(f, total, options);
  if (options.traffic != nullptr) {
    Sheet matrix = MatrixSheet(*options.traffic);
    if (options.matrix) {
      view->text += DrawMatrix(*options.traffic, f.profile.processes.size(), options.terminal);
      view->sheets.insert(view->sheets.begin(), std::move(matrix));
      return true;
    }
    view->sheets.push_back(std::move(matrix));
  }
  view->text += RenderSheet(view->sheets[0], options.TopOr(kDefaultFunctions), options.terminal);
  return true;
}

}  // namespace epik::report
