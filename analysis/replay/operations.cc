// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/operations.h"

#include <cctype>
#include <string>

namespace epik::replay {

namespace {

struct Row {
  std::string_view name;  // without MPI_
  Operation operation;
};

constexpr Row kPlain[] = {
    {"Send", {Role::kSend}},
    {"Ssend", {Role::kSend, Mode::kSynchronous}},
    {"Bsend", {Role::kSend, Mode::kBuffered}},
    {"Rsend", {Role::kSend, Mode::kReady}},
    {"Isend", {Role::kSend, Mode::kStandard, true}},
    {"Issend", {Role::kSend, Mode::kSynchronous, true}},
    {"Ibsend", {Role::kSend, Mode::kBuffered, true}},
    {"Irsend", {Role::kSend, Mode::kReady, true}},
    {"Recv", {Role::kReceive}},
    {"Mrecv", {Role::kReceive}},
    {"Irecv", {Role::kReceive, Mode::kStandard, true}},
    {"Imrecv", {Role::kReceive, Mode::kStandard, true}},
    {"Sendrecv", {Role::kSendReceive}},
    {"Sendrecv_replace", {Role::kSendReceive}},
    {"Isendrecv", {Role::kSendReceive, Mode::kStandard, true}},
    {"Isendrecv_replace", {Role::kSendReceive, Mode::kStandard, true}},
    {"Start", {Role::kStart, Mode::kStandard, true}},
    {"Startall", {Role::kStart, Mode::kStandard, true}},
    {"Pready", {Role::kStart, Mode::kStandard, true}},
    {"Pready_list", {Role::kStart, Mode::kStandard, true}},
    {"Pready_range", {Role::kStart, Mode::kStandard, true}},
    {"Wait", {Role::kComplete}},
    {"Waitall", {Role::kComplete}},
    {"Waitany", {Role::kComplete, Mode::kStandard, false, true}},
    {"Waitsome", {Role::kComplete, Mode::kStandard, false, true}},
    {"Buffer_detach", {Role::kComplete, Mode::kBuffered}},
    {"Buffer_flush", {Role::kComplete, Mode::kBuffered}},
    {"Test", {Role::kTest, Mode::kStandard, false, false, Asks::kOne}},
    {"Testall", {Role::kTest, Mode::kStandard, false, false, Asks::kSeveral}},
    {"Testany", {Role::kTest, Mode::kStandard, false, true, Asks::kSeveral}},
    {"Testsome", {Role::kTest, Mode::kStandard, false, true, Asks::kSeveral}},
    {"Request_free", {Role::kTest}},
    {"Request_get_status", {Role::kTest}},
    {"Probe", {Role::kProbe}},
    {"Mprobe", {Role::kProbe}},
    {"Iprobe", {Role::kTest}},
    {"Improbe", {Role::kTest}},
    {"Win_fence", {Role::kFence}},
    {"Win_post", {Role::kPost}},
    {"Win_start", {Role::kBeginAccess}},
    {"Win_complete", {Role::kEndAccess}},
    {"Win_wait", {Role::kEndExposure}},
    {"Win_test", {Role::kTest}},
    {"Win_lock", {Role::kLockWindow}},
    {"Win_lock_all", {Role::kLockWindow}},
    {"Win_unlock", {Role::kUnlockWindow}},
    {"Win_unlock_all", {Role::kUnlockWindow}},
    {"Win_flush", {Role::kFlush}},
    {"Win_flush_all", {Role::kFlush}},
    {"Win_flush_local", {Role::kFlush}},
    {"Win_flush_local_all", {Role::kFlush}},
    {"Put", {Role::kAccess}},
    {"Get", {Role::kAccess}},
    {"Accumulate", {Role::kAccess}},
    {"Get_accumulate", {Role::kAccess}},
    {"Fetch_and_op", {Role::kAccess}},
    {"Compare_and_swap", {Role::kAccess}},
    {"Rput", {Role::kAccess}},
    {"Rget", {Role::kAccess}},
    {"Raccumulate", {Role::kAccess}},
    {"Rget_accumulate", {Role::kAccess}},
    {"Comm_dup", {Role::kMakeComm}},
    {"Comm_dup_with_info", {Role::kMakeComm}},
    {"Comm_idup", {Role::kMakeComm, Mode::kStandard, true}},
    {"Comm_idup_with_info", {Role::kMakeComm, Mode::kStandard, true}},
    {"Comm_spawn", {Role::kMakeComm}},
    {"Comm_spawn_multiple", {Role::kMakeComm}},
    {"Comm_accept", {Role::kMakeComm}},
    {"Comm_connect", {Role::kMakeComm}},
    {"Comm_create", {Role::kMakeComm}},
    {"Comm_create_group", {Role::kMakeComm}},
    {"Comm_split", {Role::kMakeComm}},
    {"Comm_split_type", {Role::kMakeComm}},
    {"Intercomm_create", {Role::kMakeComm}},
    {"Intercomm_merge", {Role::kMakeComm}},
    {"Cart_create", {Role::kMakeComm}},
    {"Cart_sub", {Role::kMakeComm}},
    {"Graph_create", {Role::kMakeComm}},
    {"Dist_graph_create", {Role::kMakeComm}},
    {"Dist_graph_create_adjacent", {Role::kMakeComm}},
    {"Comm_free", {Role::kFreeComm}},
    {"Comm_disconnect", {Role::kFreeComm}},
    {"Win_create", {Role::kMakeWindow}},
    {"Win_create_dynamic", {Role::kMakeWindow}},
    {"Win_allocate", {Role::kMakeWindow}},
    {"Win_allocate_shared", {Role::kMakeWindow}},
    {"Win_free", {Role::kFreeWindow}},
    {"File_open", {Role::kFile}},
    {"File_close", {Role::kFile}},
    {"File_set_view", {Role::kFile}},
    {"File_set_size", {Role::kFile}},
    {"File_preallocate", {Role::kFile}},
    {"File_sync", {Role::kFile}},
    {"File_set_atomicity", {Role::kFile}},
    {"File_set_info", {Role::kFile}},
    // These also exist with _begin and _end behind.
    {"File_read_all", {Role::kFileData}},
    {"File_read_at_all", {Role::kFileData}},
    {"File_read_ordered", {Role::kFileData}},
    {"File_write_all", {Role::kFileData}},
    {"File_write_at_all", {Role::kFileData}},
    {"File_write_ordered", {Role::kFileData}},
    {"Init", {Role::kInit}},
    {"Init_thread", {Role::kInit}},
    {"Finalize", {Role::kFinalize}},
};

// These also exist with I before and _init behind.
constexpr Row kCollective[] = {
    {"Barrier", {Role::kBarrier}},
    {"Allreduce", {Role::kAllToAll}},
    {"Allgather", {Role::kAllToAll}},
    {"Allgatherv", {Role::kAllToAll}},
    {"Alltoall", {Role::kAllToAll}},
    {"Alltoallv", {Role::kAllToAll}},
    {"Alltoallw", {Role::kAllToAll}},
    {"Reduce_scatter", {Role::kAllToAll}},
    {"Reduce_scatter_block", {Role::kAllToAll}},
    {"Bcast", {Role::kOneToAll}},
    {"Scatter", {Role::kOneToAll}},
    {"Scatterv", {Role::kOneToAll}},
    {"Reduce", {Role::kAllToOne}},
    {"Gather", {Role::kAllToOne}},
    {"Gatherv", {Role::kAllToOne}},
    {"Scan", {Role::kScan}},
    {"Exscan", {Role::kScan}},
    {"Neighbor_allgather", {Role::kNeighbours}},
    {"Neighbor_allgatherv", {Role::kNeighbours}},
    {"Neighbor_alltoall", {Role::kNeighbours}},
    {"Neighbor_alltoallv", {Role::kNeighbours}},
    {"Neighbor_alltoallw", {Role::kNeighbours}},
};

Operation FindCollective(std::string name) {
  bool immediate = false;
  if (name.ends_with("_init")) {
    name.resize(name.size() - 5);
    immediate = true;
  } else if (name.size() > 1 && name[0] == 'I' && std::islower(static_cast<unsigned char>(name[1])) != 0) {
    name.erase(0, 1);
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    immediate = true;
  }
  for (const Row& row : kCollective) {
    if (row.name == name) return {row.operation.role, Mode::kStandard, immediate};
  }
  return {};
}

}  // namespace

Operation OperationOf(std::string_view region) {
  // Open MPI 4 has persistent collectives with the prefix of extensions.
  if (!region.starts_with("MPI_") && !region.starts_with("MPIX_")) return {};
  region.remove_prefix(region.find('_') + 1);
  if (region.ends_with("_c")) region.remove_suffix(2);
  if (region.starts_with("File_")) {
    for (const std::string_view half : {"_begin", "_end"}) {
      if (region.ends_with(half)) region.remove_suffix(half.size());
    }
  }
  for (const Row& row : kPlain) {
    if (row.name == region) return row.operation;
  }
  return FindCollective(std::string(region));
}

Operation OperationOfConstruct(std::string_view time_metric) {
  struct Construct {
    std::string_view metric;
    Role role;
  };
  static constexpr Construct kConstructs[] = {{"omp_ebarrier", Role::kExplicitBarrier},
                                              {"omp_ibarrier", Role::kImplicitBarrier},
                                              {"omp_taskwait", Role::kTaskWait},
                                              {"omp_critical", Role::kCritical},
                                              {"omp_lock_api", Role::kLock},
                                              {"omp_ordered", Role::kOrdered},
                                              {"omp_idle_threads", Role::kIdle},
                                              {"pthread_lock_api", Role::kMutex},
                                              {"pthread_management", Role::kJoin},
                                              {"pthread_conditional", Role::kCondition},
                                              {"pthread_semaphore", Role::kSemaphore},
                                              {"pthread_barrier", Role::kThreadBarrier}};
  for (const Construct& construct : kConstructs) {
    if (construct.metric == time_metric) return {construct.role};
  }
  return {};
}

}  // namespace epik::replay
