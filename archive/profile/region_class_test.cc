// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/region_class.h"

#include <gtest/gtest.h>

#include <string>

namespace epik::archive {
namespace {

Region Make(const char* name, const char* paradigm, const char* role = "function", const char* description = "") {
  Region region;
  region.name = name;
  region.paradigm = paradigm;
  region.role = role;
  region.description = description;
  return region;
}

TEST(RegionClass, MpiFunctionsByName) {
  const auto metric = [](const char* name) { return std::string(TimeMetricOf(Make(name, "mpi"))); };
  EXPECT_EQ(metric("MPI_Init_thread"), "mpi_init_exit");
  EXPECT_EQ(metric("MPI_Send"), "mpi_point2point");
  EXPECT_EQ(metric("MPI_Barrier"), "mpi_sync_collective");
  EXPECT_EQ(metric("MPI_Win_fence"), "mpi_rma_sync_active");
  EXPECT_EQ(metric("MPI_Win_flush_local_all"), "mpi_rma_sync_passive");
  EXPECT_EQ(metric("MPI_Fetch_and_op"), "mpi_rma_communication");
  EXPECT_EQ(metric("MPI_File_open"), "mpi_mgmt_file");
  EXPECT_EQ(metric("MPI_File_read"), "mpi_io_individual");
  EXPECT_EQ(metric("MPI_File_iwrite_at_all"), "mpi_io_collective");
  EXPECT_EQ(metric("MPI_Waitall"), "mpi_request_completion");
  EXPECT_EQ(metric("MPI_Startall"), "mpi_request_start");
  EXPECT_EQ(metric("MPI_Buffer_detach"), "mpi_point2point");
  EXPECT_EQ(metric("MPI_Cart_create"), "mpi_mgmt_comm");
  EXPECT_EQ(metric("MPI_Win_allocate"), "mpi_mgmt_win");
  EXPECT_EQ(metric("MPI_Comm_rank"), "mpi");
  EXPECT_EQ(metric("something_else"), "mpi");
}

TEST(RegionClass, NonBlockingPersistentAndLargeCountFormsFollow) {
  for (const char* name : {"MPI_Ineighbor_alltoallw", "MPI_Neighbor_alltoallw_init", "MPI_Iallreduce_c",
                           "MPI_Allreduce_init_c", "MPI_Reduce_scatter_block_init", "MPIX_Allreduce_init"}) {
    EXPECT_EQ(TimeMetricOf(Make(name, "mpi")), "mpi_collective") << name;
    EXPECT_EQ(MpiRole(name), "all2all") << name;
  }
  EXPECT_EQ(MpiRole("MPI_Ibarrier"), "barrier");
  EXPECT_EQ(MpiRole("MPIX_Barrier_init"), "barrier");
  EXPECT_EQ(MpiRole("MPIX_Comm_agree"), "function");
  EXPECT_EQ(MpiRole("MPI_Ibcast"), "one2all");
  EXPECT_EQ(MpiRole("MPI_Isend_c"), "point2point");
  EXPECT_EQ(MpiRole("MPI_Comm_c2f"), "function");
}

TEST(RegionClass, LocalFunctionsOfMpi) {
  for (const char* name : {"MPI_Wtime", "MPI_Comm_rank", "MPI_Type_commit", "MPI_Get_count", "MPI_Reduce_local"}) {
    EXPECT_TRUE(IsLocalMpi(name)) << name;
  }
  for (const char* name :
       {"MPI_Send", "MPI_Test", "MPI_Ibarrier", "MPI_Allreduce_init", "MPI_Put", "MPI_Comm_dup", "MPI_File_read_all",
        "MPI_Win_test", "MPI_Recv_c", "MPI_Finalize", "MPI_Buffer_detach", "MPI_Lookup_name"}) {
    EXPECT_FALSE(IsLocalMpi(name)) << name;
  }
}

TEST(RegionClass, OpenMpConstructsByRole) {
  const auto metric = [](const char* role) { return TimeMetricOf(Make("x", "openmp", role)); };
  EXPECT_EQ(metric("parallel"), "comp");
  EXPECT_EQ(metric("task"), "comp");
  EXPECT_EQ(metric("implicit barrier"), "omp_ibarrier");
  EXPECT_EQ(metric("barrier"), "omp_ebarrier");
  EXPECT_EQ(metric("task create"), "omp_management");
  EXPECT_EQ(metric("lock"), "omp_lock_api");
  EXPECT_EQ(metric("unheard of"), "omp_time");
  EXPECT_EQ(TimeMetricOf(Make("idle", "openmp", "artificial")), "omp_idle_threads");
  EXPECT_EQ(TimeMetricOf(Make("limited parallelism", "openmp", "artificial")), "omp_limited_parallelism");
  EXPECT_EQ(TimeMetricOf(Make("omp_set_nest_lock", "openmp")), "omp_lock_api");
}

TEST(RegionClass, TheRestIsComputationOrOurs) {
  EXPECT_EQ(TimeMetricOf(Make("solve", "compiler")), "comp");
  EXPECT_EQ(TimeMetricOf(Make("MPI_Send", "compiler")), "comp");  // the user's own function with that name
  EXPECT_EQ(TimeMetricOf(Make("thread", "pthread", "thread create")), "comp");
  EXPECT_EQ(TimeMetricOf(Make("solver", "measurement", "artificial")), "comp");
  EXPECT_EQ(KindOf(Make("solver", "measurement", "artificial")), RegionKind::kUser);
  EXPECT_EQ(TimeMetricOf(Make("PARALLEL", "mpi", "artificial")), "comp");  // Score-P's root
  EXPECT_EQ(TimeMetricOf(Make("measurement", "measurement", "artificial", "EPIK")), "overhead");
  EXPECT_EQ(TimeMetricOf(Make("paused", "measurement", "artificial", "EPIK")), "execution");
  EXPECT_EQ(TimeMetricOf(Make("TRACE BUFFER FLUSH", "measurement", "function")), "overhead");
}

// Score-P's remapping uses these roles to put calls into its tree.
TEST(RegionClass, RolesOfMpiAreScorePs) {
  const std::pair<const char*, std::string_view> roles[] = {
      {"MPI_Isend", "point2point"},
      {"MPI_Waitall", "function"},
      {"MPI_Testsome", "function"},
      {"MPI_Start", "function"},
      {"MPI_Win_fence", "function"},
      {"MPI_Win_unlock", "function"},
      {"MPI_Put", "rma"},
      {"MPI_Accumulate", "atomic"},
      {"MPI_Win_allocate", "allocate"},
      {"MPI_File_open", "file io metadata"},
      {"MPI_File_get_size", "function"},
      {"MPI_File_seek", "file io metadata"},
      {"MPI_Ibcast", "one2all"},
      {"MPI_Comm_dup", "function"},
  };
  for (const auto& [name, role] : roles) EXPECT_EQ(MpiRole(name), role) << name;
  EXPECT_EQ(TimeMetricOf(Make("MPI_Waitall", "mpi")), "mpi_request_completion");
  EXPECT_EQ(TimeMetricOf(Make("MPI_File_get_size", "mpi")), "mpi_mgmt_file");
  EXPECT_EQ(TimeMetricOf(Make("MPI_Win_allocate", "mpi")), "mpi_mgmt_win");
}

TEST(RegionClass, CompletionKeepsWhatIsThere) {
  Region send = Make("MPI_Send", "mpi");
  CompleteRegion(&send);
  EXPECT_EQ(send.role, "point2point");
  EXPECT_EQ(send.description, "MPI");
  Region barrier = Make("x", "openmp", "barrier", "ours");
  CompleteRegion(&barrier);
  EXPECT_EQ(barrier.role, "barrier");
  EXPECT_EQ(barrier.description, "ours");
  Region user = Make("f", "compiler");
  CompleteRegion(&user);
  EXPECT_EQ(user, Make("f", "compiler"));
}

}  // namespace
}  // namespace epik::archive
