// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/event_pairs.h"

#include <gtest/gtest.h>

namespace epik::archive {
namespace {

TEST(EventPairs, KnowFunctionsOfMpiByNameAndRole) {
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Send"), 1.5);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Isend_c"), 1.5) << "with large counts";
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Recv"), 1.05);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Waitall"), 2);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Allreduce"), 1.4);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Ibcast"), 1.85);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Alltoallv"), 2.2);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Get"), 1.15);
}

TEST(EventPairs, TakeAllOthersAsPlain) {
  for (const char* function :
       {"MPI_Barrier", "MPI_Type_size", "MPI_Comm_rank", "MPI_Sen", "MPI_end", "MPI_", "", "_c"}) {
    EXPECT_DOUBLE_EQ(PairsOfMpi(function), 0.85) << function;
  }
}

TEST(EventPairs, KnowConstructsOfBothRuntimes) {
  using enum OpenMpRuntime;
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("parallel @a.c:3", kGomp), 1.8);
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("parallel @a.c:3", kOmp), 1.9);
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("for dynamic @a.c:3", kOmp), 2.4);
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("critical block(sum) @a.c:3", kGomp), 0.88);
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("task @a.c:3", kGomp), 1.4);
  for (const char* region : {"omp_set_lock", "single @a.c:3", "idle", "", "(", " @"}) {
    EXPECT_DOUBLE_EQ(PairsOfOpenMp(region, kGomp), 0.8) << region;
  }
}

TEST(EventPairs, FindTheRuntimeAmongModules) {
  using enum OpenMpRuntime;
  EXPECT_EQ(RuntimeBy("/usr/lib/llvm-14/lib/libomp.so.5", kGomp), kOmp);
  EXPECT_EQ(RuntimeBy("libiomp5.so", kGomp), kOmp);
  EXPECT_EQ(RuntimeBy("/usr/lib/libgomp.so.1.0.0", kOmp), kGomp);
  EXPECT_EQ(RuntimeBy("/libomp.so/prog", kGomp), kGomp);
  EXPECT_EQ(RuntimeBy("", kOmp), kOmp);
}

TEST(EventPairs, ScaleCalibratedPrices) {
  EXPECT_DOUBLE_EQ(PairsOfCalibratedMpi(), 1.5);
  EXPECT_DOUBLE_EQ(PairsOfCalibratedOpenMp(), 1.76);
}

}  // namespace
}  // namespace epik::archive
