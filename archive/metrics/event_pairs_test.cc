// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/event_pairs.h"

#include <gtest/gtest.h>

namespace epik::archive {
namespace {

using enum Processor;

TEST(EventPairs, KnowFunctionsOfMpiByNameAndRole) {
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Send", kHidesMost), 1.3);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Isend_c", kHidesMost), 1.3) << "with large counts";
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Recv", kHidesMost), 1.05);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Waitall", kHidesMost), 1.9);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Allreduce", kHidesMost), 1.4);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Ibcast", kHidesMost), 1.85);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Alltoallv", kHidesMost), 2.2);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Get", kHidesMost), 1.05);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPIX_Alltoallv", kHidesMost), 2.2);
}

TEST(EventPairs, TakeAllOthersAsPlain) {
  for (const char* function :
       {"MPI_Barrier", "MPI_Type_size", "MPI_Comm_rank", "MPI_Sen", "MPI_end", "MPI_", "", "_c"}) {
    EXPECT_DOUBLE_EQ(PairsOfMpi(function, kHidesMost), 0.85) << function;
  }
}

TEST(EventPairs, KnowConstructsOfBothRuntimes) {
  using enum OpenMpRuntime;
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("parallel @a.c:3", kGomp, kHidesMost), 1.8);
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("parallel @a.c:3", kOmp, kHidesMost), 1.9);
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("for dynamic @a.c:3", kOmp, kHidesMost), 2.4);
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("critical block(sum) @a.c:3", kGomp, kHidesMost), 0.88);
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("task @a.c:3", kGomp, kHidesMost), 1.4);
  for (const char* region : {"omp_set_lock", "single @a.c:3", "idle", "", "(", " @"}) {
    EXPECT_DOUBLE_EQ(PairsOfOpenMp(region, kGomp, kHidesMost), 0.8) << region;
  }
}

TEST(EventPairs, AreMoreWhereReadingTheClockHidesLittle) {
  EXPECT_EQ(ProcessorBy("Intel(R) Xeon(R) Processor"), kHidesLittle);
  EXPECT_EQ(ProcessorBy("AMD EPYC 9B45"), kHidesMost);
  EXPECT_EQ(ProcessorBy(""), kHidesMost);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Irecv", kHidesLittle), 2.2);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Bcast", kHidesLittle), 1.85);
  EXPECT_DOUBLE_EQ(PairsOfMpi("MPI_Comm_rank", kHidesLittle), 1.2);
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("single @a.c:3", OpenMpRuntime::kGomp, kHidesLittle), 1.3);
  EXPECT_DOUBLE_EQ(PairsOfOpenMp("omp_set_lock", OpenMpRuntime::kOmp, kHidesLittle), 1.7);
  EXPECT_DOUBLE_EQ(PairsOfCalibratedMpi(kHidesLittle), 1.85);
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
  EXPECT_DOUBLE_EQ(PairsOfCalibratedMpi(kHidesMost), 1.3);
  EXPECT_DOUBLE_EQ(PairsOfCalibratedOpenMp(kHidesMost), 1.76);
}

}  // namespace
}  // namespace epik::archive
