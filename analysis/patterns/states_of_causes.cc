// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/states_of_causes.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/patterns/patterns.h"

namespace epik::patterns {

namespace {

struct Row {
  causes::Class kind;
  std::vector<std::string_view> states;
};

const std::vector<Row>& Rows() {
  static const std::vector<Row> kRows = {
      {causes::kLateSender, {"mpi_latesender"}},
      {causes::kLateReceiver, {"mpi_latereceiver"}},
      {causes::kLateProgress, {"mpi_lateprogress"}},
      {causes::kBarrier, {"mpi_barrier_wait"}},
      {causes::kNxN, {"mpi_wait_nxn"}},
      {causes::kOneToN, {"mpi_latebroadcast"}},
      {causes::kNToOne, {"mpi_earlyreduce", "mpi_earlyreduce_last"}},
      {causes::kScan, {"mpi_earlyscan"}},
      {causes::kNeighbours, {"mpi_wait_nxn"}},
      {causes::kInit, {"mpi_init_wait"}},
      {causes::kManagement, {"mpi_comm_wait", "mpi_rma_wait_at_create", "mpi_rma_wait_at_free"}},
      {causes::kFile, {"mpi_io_wait", "mpi_file_wait"}},
      {causes::kFence, {"mpi_rma_wait_at_fence"}},
      {causes::kLatePost, {"mpi_rma_sync_late_post", "mpi_rma_comm_late_post"}},
      {causes::kEarlyWait, {"mpi_rma_early_wait"}},
      {causes::kWindowLock, {"mpi_rma_sync_lock_competition", "mpi_rma_comm_lock_competition"}},
      {causes::kFinalize, {"mpi_finalize_wait"}},
      // Before the last thread comes to a barrier, a thread may wait for tasks there, too; and for threads after that,
      // where clocks are wrong.
      {causes::kTeamBarrier, {"omp_ibarrier_wait", "omp_ebarrier_wait", "omp_ibarrier_tasks", "omp_ebarrier_tasks"}},
      {causes::kTaskCreation,
       {"omp_ibarrier_creation", "omp_ebarrier_creation", "omp_taskwait_creation", "omp_ibarrier_tasks",
        "omp_ebarrier_tasks"}},
      {causes::kTask,
       {"omp_ibarrier_tasks", "omp_ebarrier_tasks", "omp_taskwait_wait", "omp_ibarrier_wait", "omp_ebarrier_wait"}},
      {causes::kLock, {"omp_lock_contention_critical", "omp_lock_contention_api", "omp_lock_contention_ordered"}},
      {causes::kMutex, {"pthread_lock_contention_mutex_lock"}},
      {causes::kJoin, {"pthread_join_wait"}},
      {causes::kCondition, {"pthread_condition_wait"}},
      {causes::kSemaphore, {"pthread_semaphore_wait"}},
      {causes::kOnce, {"pthread_once_wait"}},
      {causes::kThreadBarrier, {"pthread_barrier_wait"}},
  };
  return kRows;
}

uint32_t NumberOf(std::string_view name) {
  const auto& all = AllPatterns();
  const auto found = std::find_if(all.begin(), all.end(), [&](const PatternInfo* info) { return info->name == name; });
  return static_cast<uint32_t>(found - all.begin());
}

bool IsPart(const PatternInfo& info) { return NumberOf(info.parent) < AllPatterns().size(); }

// Whether the wait state is that one, or contains it.
bool Contains(std::string_view state, std::string_view part) {
  for (const PatternInfo* info : AllPatterns()) {
    if (info->name == part) return state == part || Contains(state, info->parent);
  }
  return false;
}

}  // namespace

std::vector<uint32_t> StatesOf(causes::Class kind) {
  std::vector<uint32_t> states;
  for (const Row& row : Rows()) {
    if (row.kind != kind) continue;
    for (const std::string_view state : row.states) states.push_back(NumberOf(state));
  }
  return states;
}

std::vector<causes::Class> KindsOf(uint32_t state) {
  const std::string_view name = AllPatterns()[state]->name;
  std::vector<std::pair<size_t, causes::Class>> found;  // the kind that names it first comes first
  for (const Row& row : Rows()) {
    const auto its = std::find_if(row.states.begin(), row.states.end(),
                                  [&](std::string_view state) { return Contains(name, state); });
    if (its != row.states.end()) found.emplace_back(its - row.states.begin(), row.kind);
  }
  std::sort(found.begin(), found.end());
  // A part that is in no row has the kinds of the whole.
  if (found.empty() && IsPart(*AllPatterns()[state])) return KindsOf(NumberOf(AllPatterns()[state]->parent));
  std::vector<causes::Class> kinds;
  for (const auto& [position, kind] : found) kinds.push_back(kind);
  return kinds;
}

const Severities::Row* StateOf(const Severities& severities, const causes::Group& waits) {
  const auto& rows = severities.rows();
  for (const uint32_t state : StatesOf(waits.kind)) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
      return row.pattern == state && row.location == waits.location && row.path == waits.path;
    });
    if (found != rows.end()) return &*found;
  }
  return nullptr;
}

}  // namespace epik::patterns
