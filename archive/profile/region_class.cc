// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/region_class.h"

#include <iterator>
#include <string>
#include <unordered_map>

#include "config/paradigms.h"

namespace epik::archive {
namespace {

struct MpiClass {
  std::string_view metric, role;
};

// Classes of functions, by the kind of their time. Roles are those of Score-P, because its remapping uses them.
// Non-blocking and persistent collectives have the row of the blocking function.
struct MpiRow {
  MpiClass is;
  std::string_view names;  // without MPI_, separated by blanks
};

constexpr MpiRow kPlain[] = {
    {{"mpi_init_exit", "function"}, "Init Init_thread Finalize Session_init Session_finalize"},
    {{"mpi_mgmt_comm", "function"},
     "Comm_create Comm_create_group Comm_create_from_group Comm_dup Comm_dup_with_info Comm_idup Comm_idup_with_info "
     "Comm_split Comm_split_type Comm_free Comm_accept Comm_connect Comm_disconnect Comm_join Comm_spawn "
     "Comm_spawn_multiple Open_port Close_port Intercomm_create Intercomm_create_from_groups Intercomm_merge "
     "Cart_create Cart_sub Graph_create Dist_graph_create Dist_graph_create_adjacent"},
    {{"mpi_mgmt_file", "file io metadata"}, "File_open File_close File_delete"},
    {{"mpi_mgmt_file", "function"},
     "File_set_size File_set_view File_set_info File_set_atomicity File_preallocate File_get_amode File_get_atomicity "
     "File_get_byte_offset File_get_group File_get_info File_get_position "
     "File_get_position_shared File_get_size File_get_type_extent File_get_view"},
    {{"mpi_mgmt_win", "function"},
     "Win_create Win_create_dynamic Win_attach Win_detach Win_free Win_shared_query Win_set_info Win_get_info "
     "Win_get_group"},
    {{"mpi_mgmt_win", "allocate"}, "Win_allocate Win_allocate_shared"},
    {{"mpi_rma_sync_active", "function"}, "Win_fence Win_start Win_complete Win_post Win_wait Win_test"},
    {{"mpi_rma_sync_passive", "function"},
     "Win_lock Win_lock_all Win_unlock Win_unlock_all Win_flush Win_flush_all Win_flush_local Win_flush_local_all "
     "Win_sync"},
    {{"mpi_rma_communication", "rma"}, "Put Get Rput Rget"},
    {{"mpi_rma_communication", "atomic"},
     "Accumulate Raccumulate Get_accumulate Rget_accumulate Fetch_and_op Compare_and_swap"},
    {{"mpi_point2point", "point2point"},
     "Send Bsend Rsend Ssend Isend Ibsend Irsend Issend Recv Irecv Mrecv Imrecv Probe Iprobe Mprobe Improbe Sendrecv "
     "Sendrecv_replace Isendrecv Isendrecv_replace Send_init Bsend_init Rsend_init Ssend_init Recv_init Psend_init "
     "Precv_init"},
    {{"mpi_point2point", "function"}, "Buffer_detach Buffer_flush Comm_flush_buffer"},
    {{"mpi_request_start", "function"}, "Start Startall Pready Pready_list Pready_range"},
    {{"mpi_request_completion", "function"},
     "Wait Waitall Waitany Waitsome Test Testall Testany Testsome Request_get_status Request_free Cancel Parrived"},
    {{"mpi_io_individual", "file io"},
     "File_read File_read_at File_read_shared File_iread File_iread_at File_iread_shared File_write File_write_at "
     "File_write_shared File_iwrite File_iwrite_at File_iwrite_shared"},
    {{"mpi_io_individual", "file io metadata"}, "File_seek"},
    {{"mpi_io_collective", "file io metadata"}, "File_seek_shared"},
    // These have no class, but may wait for other processes.
    {{"mpi", "function"}, "Publish_name Unpublish_name Lookup_name"},
    {{"mpi_io_collective", "file io"},
     "File_read_all File_read_all_begin File_read_all_end File_read_at_all File_read_at_all_begin "
     "File_read_at_all_end File_read_ordered File_read_ordered_begin File_read_ordered_end File_iread_all "
     "File_iread_at_all File_write_all File_write_all_begin File_write_all_end File_write_at_all "
     "File_write_at_all_begin File_write_at_all_end File_write_ordered File_write_ordered_begin "
     "File_write_ordered_end File_iwrite_all File_iwrite_at_all File_sync"},
};

constexpr MpiRow kCollective[] = {
    {{"mpi_sync_collective", "barrier"}, "Barrier"},
    {{"mpi_collective", "one2all"}, "Bcast Scatter Scatterv"},
    {{"mpi_collective", "all2one"}, "Gather Gatherv Reduce"},
    {{"mpi_collective", "all2all"},
     "Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Reduce_scatter Reduce_scatter_block "
     "Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw"},
    {{"mpi_collective", "other collective"}, "Scan Exscan"},
};

using MpiTable = std::unordered_map<std::string, MpiClass>;

// Calls each(name) for each word.
template <class Each>
void EachName(std::string_view names, Each&& each) {
  while (!names.empty()) {
    const size_t end = names.find(' ');
    each(std::string(names.substr(0, end)));
    names.remove_prefix(end == names.npos ? names.size() : end + 1);
  }
}

MpiTable MakeMpiTable() {
  MpiTable table;
  for (const MpiRow& row : kPlain) EachName(row.names, [&](const std::string& name) { table[name] = row.is; });
  for (const MpiRow& row : kCollective) {
    EachName(row.names, [&](const std::string& name) {
      std::string immediate = "I" + name;  // Ibarrier, Ineighbor_alltoall
      immediate[1] = static_cast<char>(immediate[1] - 'A' + 'a');
      table[name] = table[immediate] = table[name + "_init"] = row.is;
    });
  }
  return table;
}

const MpiClass* FindMpi(std::string_view name) {
  static const MpiTable table = MakeMpiTable();
  // Open MPI 4 has persistent collective operations with the prefix of extensions.
  if (!name.starts_with("MPI_") && !name.starts_with("MPIX_")) return nullptr;
  name.remove_prefix(name.find('_') + 1);
  auto found = table.find(std::string(name));
  if (found == table.end() && name.ends_with("_c")) found = table.find(std::string(name.substr(0, name.size() - 2)));
  return found == table.end() ? nullptr : &found->second;
}

struct OmpRow {
  std::string_view role, metric;
};

// Code in a construct is the user's, so its exclusive time is computation.
constexpr OmpRow kOmp[] = {
    {"parallel", "comp"},
    {"teams", "comp"},
    {"loop", "comp"},
    {"workshare", "comp"},
    {"sections", "comp"},
    {"section", "comp"},
    {"single", "comp"},
    {"single sblock", "comp"},
    {"master", "comp"},
    {"masked", "comp"},
    {"scope", "comp"},
    {"task", "comp"},
    {"untied task", "comp"},
    {"taskloop", "comp"},
    {"target", "comp"},
    {"critical sblock", "comp"},
    {"ordered sblock", "comp"},
    {"barrier", "omp_ebarrier"},
    {"implicit barrier", "omp_ibarrier"},
    {"critical", "omp_critical"},
    {"atomic", "omp_critical"},
    {"lock", "omp_lock_api"},
    {"ordered", "omp_ordered"},
    {"taskwait", "omp_taskwait"},
    {"taskgroup", "omp_taskwait"},
    {"flush", "omp_flush"},
    {"fork", "omp_fork"},
    {"join", "omp_management"},
    {"task create", "omp_management"},
    {"taskyield", "omp_management"},
    {"management", "omp_management"},
};

std::string_view OmpMetric(const Region& region) {
  if (region.role == "artificial" && region.name == "idle") return "omp_idle_threads";
  if (region.role == "artificial" && region.name == "limited parallelism") return "omp_limited_parallelism";
  for (const OmpRow& row : kOmp) {
    if (region.role == row.role) return row.metric;
  }
  const std::string_view name = region.name;
  if (name.starts_with("omp_") && name.find("_lock") != name.npos) return "omp_lock_api";
  return "omp_time";
}

struct ThreadRow {
  std::string_view word, metric;
};

// Functions in which threads wait for each other, found by a word in their name. The first row that matches counts.
constexpr ThreadRow kWaits[] = {
    {"join", "pthread_management"}, {"cond_", "pthread_conditional"},  {"cnd_", "pthread_conditional"},
    {"barrier", "pthread_barrier"}, {"sem_", "pthread_semaphore"},     {"lock", "pthread_lock_api"},
    {"once", "pthread_management"}, {"futex_", "pthread_conditional"},
};

// The thread itself is user code.
std::string_view ThreadMetric(const Region& region) {
  const bool waits = region.name.starts_with("pthread_") || region.name.starts_with("mtx_") ||
                     region.name.starts_with("cnd_") || region.name.starts_with("thrd_") ||
                     region.name.starts_with("sem_") || region.name == "call_once" || region.name == "futex_wait";
  for (const ThreadRow& row : kWaits) {
    if (waits && region.name.find(row.word) != region.name.npos) return row.metric;
  }
  return config::kParadigms[static_cast<size_t>(RegionKind::kThread)].metric;
}

}  // namespace

RegionKind KindOf(const Region& region) {
  const bool is_artificial = region.role == "artificial";
  for (size_t i = 0; i < std::size(config::kParadigms); ++i) {
    const config::Paradigm& row = config::kParadigms[i];
    const auto kind = static_cast<RegionKind>(i);
    if (kind == RegionKind::kUser || kind == RegionKind::kCompiler) continue;
    const bool is_named = region.paradigm == row.word, is_said = region.description == row.class_word;
    // Score-P's region PARALLEL, the root of the work of threads, has the paradigm of MPI; the code in it is the
    // program's.
    if (kind == RegionKind::kMpi && is_named && is_artificial) continue;
    // The root of the call tree is artificial, too.
    if (kind == RegionKind::kMeasurement && is_artificial && !is_said) continue;
    if (is_named || is_said) return kind;
  }
  return RegionKind::kUser;
}

std::string_view ClassWord(RegionKind kind) { return config::kParadigms[static_cast<size_t>(kind)].class_word; }

std::string_view TimeMetricOf(const Region& region) {
  switch (KindOf(region)) {
    case RegionKind::kMpi: {
      const MpiClass* found = FindMpi(region.name);
      return found == nullptr ? "mpi" : found->metric;
    }
    case RegionKind::kOpenMp: return OmpMetric(region);
    case RegionKind::kThread: return ThreadMetric(region);
    case RegionKind::kMeasurement: return region.name == "paused" ? "execution" : "overhead";
    default: return config::kParadigms[static_cast<size_t>(KindOf(region))].metric;
  }
}

bool IsLocalMpi(std::string_view name) { return FindMpi(name) == nullptr; }

std::string_view MpiRole(std::string_view name) {
  const MpiClass* found = FindMpi(name);
  return found == nullptr ? "function" : found->role;
}

void CompleteRegion(Region* region) {
  const RegionKind kind = KindOf(*region);
  if (kind == RegionKind::kMpi && (region->role == "function" || region->role.empty())) {
    region->role = MpiRole(region->name);
  }
  const bool says = kind != RegionKind::kUser && kind != RegionKind::kThread;
  if (says && region->description.empty()) region->description = ClassWord(kind);
}

}  // namespace epik::archive
