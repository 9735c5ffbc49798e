// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/metric_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "archive/metrics/counter_tree.h"
#include "archive/metrics/imbalance.h"
#include "archive/profile/region_class.h"

namespace epik::archive {

namespace {

// The source of the rows of a metric.
enum class From : uint8_t {
  kMeasured,  // the metric with that name, and its child metrics
  kTime,      // the time of regions whose metric of time is this one, or one below it
  kVisits     // the visits of regions whose metric of time is `of`
};

struct Row {
  const char *name, *parent, *display, *unit, *description;
  From from = From::kMeasured;
  const char* of = "";
};

// Parents first. The names are those of Scalasca and Score-P.
constexpr Row kTree[] = {
    {"time", "", "Time", "sec", "Time of all threads, without what was called", From::kTime},
    {"execution", "time", "Execution", "sec", "Time the program ran", From::kTime},
    {"comp", "execution", "Computation", "sec", "Time in the program's own code", From::kTime},
    {"mpi", "execution", "MPI", "sec", "Time in MPI calls", From::kTime},
    {"mpi_management", "mpi", "Management", "sec", "Setting MPI up and making its objects", From::kTime},
    {"mpi_init_exit", "mpi_management", "Init/Finalize", "sec", "Starting and ending MPI", From::kTime},
    {"mpi_mgmt_comm", "mpi_management", "Communicator", "sec", "Making and freeing communicators", From::kTime},
    {"mpi_mgmt_file", "mpi_management", "File", "sec", "Opening, closing and describing files", From::kTime},
    {"mpi_mgmt_win", "mpi_management", "Window", "sec", "Making and freeing windows", From::kTime},
    {"mpi_synchronization", "mpi", "Synchronization", "sec", "MPI calls that only synchronize", From::kTime},
    {"mpi_sync_collective", "mpi_synchronization", "Collective", "sec", "Barriers", From::kTime},
    {"mpi_rma_synchronization", "mpi_synchronization", "One-sided", "sec", "Epochs of windows", From::kTime},
    {"mpi_rma_sync_active", "mpi_rma_synchronization", "Active Target", "sec", "Fence, post, start, complete, wait",
     From::kTime},
    {"mpi_rma_sync_passive", "mpi_rma_synchronization", "Passive Target", "sec", "Lock, unlock, flush", From::kTime},
    {"mpi_communication", "mpi", "Communication", "sec", "MPI calls that move data", From::kTime},
    {"mpi_point2point", "mpi_communication", "Point-to-point", "sec", "Sends and receives", From::kTime},
    {"mpi_collective", "mpi_communication", "Collective", "sec", "Collective operations", From::kTime},
    {"mpi_rma_communication", "mpi_communication", "One-sided", "sec", "Put, get, accumulate", From::kTime},
    {"mpi_io", "mpi", "File I/O", "sec", "Reading and writing files by MPI", From::kTime},
    {"mpi_io_individual", "mpi_io", "Individual", "sec", "By one process", From::kTime},
    {"mpi_io_collective", "mpi_io", "Collective", "sec", "By all processes of a communicator", From::kTime},
    {"mpi_request_handling", "mpi", "Request Handling", "sec", "Starting and completing requests", From::kTime},
    {"mpi_request_start", "mpi_request_handling", "Request Start", "sec", "Start, Pready", From::kTime},
    {"mpi_request_completion", "mpi_request_handling", "Request Completion", "sec", "Wait, test, cancel, free",
     From::kTime},
    {"omp_time", "execution", "OpenMP", "sec", "Time in OpenMP's synchronization and management", From::kTime},
    {"omp_management", "omp_time", "Management", "sec", "Making teams and tasks", From::kTime},
    {"omp_fork", "omp_management", "Fork", "sec", "Starting teams", From::kTime},
    {"omp_synchronization", "omp_time", "Synchronization", "sec", "Waiting for other threads", From::kTime},
    {"omp_barrier", "omp_synchronization", "Barrier", "sec", "Waiting in barriers", From::kTime},
    {"omp_ebarrier", "omp_barrier", "Explicit", "sec", "Barriers the program asks for", From::kTime},
    {"omp_ibarrier", "omp_barrier", "Implicit", "sec", "Barriers at the ends of constructs", From::kTime},
    {"omp_critical", "omp_synchronization", "Critical", "sec", "Waiting to enter critical sections", From::kTime},
    {"omp_lock_api", "omp_synchronization", "Lock API", "sec", "Setting and releasing locks", From::kTime},
    {"omp_ordered", "omp_synchronization", "Ordered", "sec", "Waiting for the turn of an iteration", From::kTime},
    {"omp_taskwait", "omp_synchronization", "Task Wait", "sec", "Waiting for tasks", From::kTime},
    {"omp_flush", "omp_time", "Flush", "sec", "Flush directives", From::kTime},
    {"pthread_time", "execution", "Threads", "sec", "Time waiting for other threads, in libc's functions", From::kTime},
    {"pthread_management", "pthread_time", "Management", "sec", "Waiting for the end of threads", From::kTime},
    {"pthread_synchronization", "pthread_time", "Synchronization", "sec", "Waiting for what other threads do",
     From::kTime},
    {"pthread_lock_api", "pthread_synchronization", "Locks", "sec", "Waiting for mutexes and other locks", From::kTime},
    {"pthread_conditional", "pthread_synchronization", "Conditions", "sec", "Waiting in condition variables",
     From::kTime},
    {"pthread_barrier", "pthread_synchronization", "Barriers", "sec", "Waiting in barriers", From::kTime},
    {"pthread_semaphore", "pthread_synchronization", "Semaphores", "sec", "Waiting for semaphores", From::kTime},
    {"overhead", "time", "Overhead", "sec", "Time the measurement took for itself", From::kTime},
    {"omp_idle_threads", "time", "Idle threads", "sec", "OpenMP threads outside parallel regions", From::kTime},
    {"omp_limited_parallelism", "omp_idle_threads", "Limited parallelism", "sec",
     "While a parallel region has fewer threads", From::kTime},
    {"visits", "", "Visits", "occ", "How often the call path was entered"},
    {"syncs", "", "Synchronizations", "occ", "Synchronizing calls", From::kVisits},
    {"syncs_coll", "syncs", "Collective", "occ", "Barriers", From::kVisits, "mpi_sync_collective"},
    {"syncs_rma", "syncs", "One-sided", "occ", "Calls that begin or end epochs", From::kVisits},
    {"syncs_rma_active", "syncs_rma", "Active Target", "occ", "", From::kVisits, "mpi_rma_sync_active"},
    {"syncs_rma_passive", "syncs_rma", "Passive Target", "occ", "", From::kVisits, "mpi_rma_sync_passive"},
    {"comms", "", "Communications", "occ", "Messages, collective and one-sided operations"},
    {"comms_p2p", "comms", "Point-to-point", "occ", "Messages"},
    {"msgs_sent", "comms_p2p", "Sent", "occ", ""},
    {"msgs_received", "comms_p2p", "Received", "occ", ""},
    {"colls", "comms", "Collective", "occ", ""},
    {"comms_rma", "comms", "One-sided", "occ", ""},
    {"rma_puts", "comms_rma", "Puts", "occ", ""},
    {"rma_gets", "comms_rma", "Gets", "occ", ""},
    {"bytes", "", "Bytes transferred", "bytes", "By MPI"},
    {"bytes_p2p", "bytes", "Point-to-point", "bytes", ""},
    {"bytes_sent_p2p", "bytes_p2p", "Sent", "bytes", ""},
    {"bytes_received_p2p", "bytes_p2p", "Received", "bytes", ""},
    {"bytes_coll", "bytes", "Collective", "bytes", ""},
    {"bytes_sent_coll", "bytes_coll", "Outgoing", "bytes", ""},
    {"bytes_received_coll", "bytes_coll", "Incoming", "bytes", ""},
    {"bytes_rma", "bytes", "One-sided", "bytes", ""},
    {"bytes_put", "bytes_rma", "Sent", "bytes", ""},
    {"bytes_get", "bytes_rma", "Received", "bytes", ""},
    {"mpi_file_ops", "", "MPI file operations", "occ", ""},
    {"mpi_file_reads", "mpi_file_ops", "Reads", "occ", ""},
    {"mpi_file_writes", "mpi_file_ops", "Writes", "occ", ""},
    {"mpi_file_bytes", "", "MPI file bytes", "bytes", ""},
    {"mpi_file_bytes_read", "mpi_file_bytes", "Read", "bytes", ""},
    {"mpi_file_bytes_written", "mpi_file_bytes", "Written", "bytes", ""},
};
constexpr size_t kRows = std::size(kTree);

size_t RowOf(std::string_view name) {
  size_t row = 0;
  while (row < kRows && name != kTree[row].name) ++row;
  return row;
}

// Whether the row is computed: no metric of its own name is measured.
bool IsMade(const Row& row) {
  if (row.from != From::kMeasured) return std::string_view(row.name) != "time";
  return std::any_of(std::begin(kTree), std::end(kTree),
                     [&](const Row& other) { return std::string_view(row.name) == other.parent; });
}

// The measured metrics and the regions that go into one row of kTree.
struct Filling {
  std::vector<uint32_t> sources;
  std::vector<bool> regions;
};

class Filler {
 public:
  Filler(const std::vector<Metric>& measured, const std::vector<Region>& regions, const std::vector<bool>& used)
      : rows_(kRows) {
    const uint32_t time = Find(measured, "time"), visits = Find(measured, "visits");
    for (uint32_t r = 0; r < regions.size() && r < used.size(); ++r) {
      if (!used[r]) continue;
      const std::string_view metric = TimeMetricOf(regions[r]);
      if (time != kNone) AddRegion(RowOf(metric), time, r, regions.size());
      for (size_t row = 0; visits != kNone && row < kRows; ++row) {
        if (kTree[row].from == From::kVisits && metric == kTree[row].of) AddRegion(row, visits, r, regions.size());
      }
    }
    for (uint32_t m = 0; m < measured.size(); ++m) {
      const size_t row = RowOf(measured[m].unique_name);
      if (row == kRows || IsMade(kTree[row]) || kTree[row].from != From::kMeasured) continue;
      for (size_t at = row; at != kRows; at = RowOf(kTree[at].parent)) rows_[at].sources.push_back(m);
    }
    if (time != kNone) rows_[0] = {{time}, {}};
  }

  const Filling& at(size_t row) const { return rows_[row]; }

  static uint32_t Find(const std::vector<Metric>& measured, std::string_view name) {
    for (uint32_t m = 0; m < measured.size(); ++m) {
      if (measured[m].unique_name == name) return m;
    }
    return kNone;
  }

 private:
  void AddRegion(size_t row, uint32_t source, uint32_t region, size_t regions) {
    for (; row != kRows; row = RowOf(kTree[row].parent)) {
      rows_[row].sources = {source};
      rows_[row].regions.resize(regions);
      rows_[row].regions[region] = true;
    }
  }

  std::vector<Filling> rows_;
};

// A name for a metric that is called like a row of the tree. No other metric has it.
std::string FreeName(std::string name, const std::vector<Metric>& measured) {
  do name += " (user)";
  while (Filler::Find(measured, name) != kNone);
  return name;
}

}  // namespace

MetricTree::MetricTree(const std::vector<Metric>& measured, const std::vector<Region>& regions,
                       const std::vector<bool>& used) {
  const Filler filler(measured, regions, used);
  std::vector<uint32_t> place(kRows, kNone);
  for (size_t row = 0; row < kRows; ++row) {
    const Filling& filling = filler.at(row);
    if (filling.sources.empty()) continue;
    const Row& r = kTree[row];
    const size_t parent = RowOf(r.parent);
    place[row] = static_cast<uint32_t>(metrics_.size());
    Metric metric{r.name,
                  r.display,
                  r.unit,
                  r.description,
                  Type::kUint64,
                  Along::kExclusive,
                  parent == kRows ? kNone : place[parent]};
    if (r.from == From::kTime) metric.type = Type::kDouble;
    // A metric that was measured under this name keeps its type.
    if (!IsMade(r)) metric.type = measured[filling.sources[0]].type;
    if (!IsMade(r) && row != 0) metric.along = measured[filling.sources[0]].along;
    metrics_.push_back(metric);
    sources_.push_back(filling.sources);
    regions_of_.push_back(filling.regions);
  }
  const CounterTree counters = MakeCounterTree(measured);
  std::vector<uint32_t> at(measured.size(), kNone);
  for (const uint32_t m : counters.order) {
    Metric metric = counters.metrics[m];
    const size_t row = RowOf(metric.unique_name);
    if (row < kRows && !IsMade(kTree[row])) continue;
    if (metric.parent != kNone) metric.parent = at[metric.parent];
    // The tree has a metric with that name, in a file that EPIK did not write.
    if (row < kRows) metric.unique_name = FreeName(metric.unique_name, measured);
    at[m] = static_cast<uint32_t>(metrics_.size());
    metrics_.push_back(metric);
    sources_.push_back(counters.sources[m]);
    regions_of_.emplace_back();
  }
}

bool IsTreeMetric(std::string_view unique_name) { return RowOf(unique_name) < kRows || Imbalance::IsOne(unique_name); }

bool IsDerivedMetric(std::string_view unique_name) {
  const size_t row = RowOf(unique_name);
  return row < kRows ? IsMade(kTree[row]) : Imbalance::IsOne(unique_name);
}

namespace {

// Turns inclusive values into exclusive ones. A location with values only below a call path passed through it, and has
// no own time there.
Values ExclusiveOf(const Profile& profile, const Values& stored) {
  const size_t locations = profile.locations.size();
  // An exclusive row is the stored row without the rows of its children. These come later, so the walk is backwards.
  Values own(Type::kDouble, profile.call_paths.size(), locations);
  const std::vector<uint64_t> nothing(locations);
  for (auto p = static_cast<uint32_t>(profile.call_paths.size()); p-- > 0;) {
    if (!stored.Has(p) && !own.Has(p)) continue;
    const uint32_t parent = profile.call_paths[p].parent;
    if (parent != kNone) own.MutableRow(parent);  // before the pointers below are taken
    uint64_t* row = own.MutableRow(p);
    uint64_t* above = parent == kNone ? nullptr : own.MutableRow(parent);
    const uint64_t* from = stored.Has(p) ? stored.Row(p) : nothing.data();
    for (size_t l = 0; l < locations; ++l) {
      const auto whole = std::bit_cast<double>(from[l]), below = -std::bit_cast<double>(row[l]);
      const double inclusive = whole != 0 ? whole : below;
      double value = inclusive - below;
      if (value < 0 && value > -1e-9 * std::fabs(inclusive)) value = 0;  // the rest of a rounding
      row[l] = std::bit_cast<uint64_t>(value);
      if (above != nullptr) above[l] = std::bit_cast<uint64_t>(std::bit_cast<double>(above[l]) - inclusive);
    }
  }
  return own;
}

void AddRow(const Values& source, uint32_t path, Values* sum) {
  const uint64_t* from = source.Row(path);
  if (from == nullptr) return;
  const bool is_new = !sum->Has(path);
  uint64_t* to = sum->MutableRow(path);
  for (uint32_t l = 0; l < source.locations(); ++l) {
    const bool is_real = source.type() == Type::kDouble;
    const uint64_t both = is_real
                              ? std::bit_cast<uint64_t>(std::bit_cast<double>(to[l]) + std::bit_cast<double>(from[l]))
                              : to[l] + from[l];
    to[l] = is_new ? from[l] : both;
  }
}

}  // namespace

void ShapeMetrics(Profile* profile) {
  const uint32_t time = profile->FindMetric("time");
  if (time == kNone) return;
  for (const Metric& metric : profile->metrics) {
    if (metric.parent == time) return;
  }
  for (Region& region : profile->regions) CompleteRegion(&region);
  if (profile->metrics[time].along == Along::kInclusive) {
    profile->values[time] = ExclusiveOf(*profile, profile->values[time]);
    profile->metrics[time].along = Along::kExclusive;
  }
  std::vector<bool> used(profile->regions.size());
  const uint32_t visits = profile->FindMetric("visits");
  for (uint32_t p = 0; p < profile->call_paths.size(); ++p) {
    const bool any = profile->values[time].Has(p) || (visits != kNone && profile->values[visits].Has(p));
    if (any) used[profile->call_paths[p].region] = true;
  }
  const MetricTree tree(profile->metrics, profile->regions, used);
  std::vector<uint32_t> uses(profile->metrics.size());
  for (uint32_t m = 0; m < tree.metrics().size(); ++m) {
    for (uint32_t source : tree.Sources(m)) ++uses[source];
  }
  // Goes backwards: each kind of time is taken before the whole of it, whose rows need not be copied then.
  std::vector<Values> shaped(tree.metrics().size());
  for (auto m = static_cast<uint32_t>(shaped.size()); m-- > 0;) {
    const std::vector<uint32_t>& sources = tree.Sources(m);
    if (sources.size() == 1 && tree.CountsAll(m) && uses[sources[0]] == 1) {
      shaped[m] = std::move(profile->values[sources[0]]);
      continue;
    }
    shaped[m] = Values(tree.metrics()[m].type, profile->call_paths.size(), profile->locations.size());
    for (uint32_t p = 0; p < profile->call_paths.size(); ++p) {
      if (!tree.Counts(m, profile->call_paths[p].region)) continue;
      for (uint32_t source : sources) AddRow(profile->values[source], p, &shaped[m]);
    }
    for (uint32_t source : sources) --uses[source];
  }
  profile->metrics = tree.metrics();
  profile->values = std::move(shaped);
}

}  // namespace epik::archive
