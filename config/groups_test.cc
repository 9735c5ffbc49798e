// SPDX-License-Identifier: BSD-3-Clause
#include "config/groups.h"

#include <gtest/gtest.h>

#include "config/filter.h"

namespace epik::config {
namespace {

bool Measured(const std::vector<std::string>& groups, FilterSubject subject) {
  std::vector<FilterProblem> problems;
  const Filter filter = Filter::Parse(FilterOfGroups(groups), &problems);
  EXPECT_TRUE(problems.empty());
  return filter.Measures(subject);
}

constexpr FilterSubject kSolve = {"solver::Solve(int)", "_ZN6solver5SolveEi", "/home/me/src/physics/solve.cc",
                                  "/home/me/bin/solver", "compiler"};
constexpr FilterSubject kMain = {"main", "main", "/home/me/src/main.cc", "/home/me/bin/solver", "compiler"};
constexpr FilterSubject kSend = {"MPI_Send", "", "", "", "mpi"};

TEST(Groups, MeasureWhatTheyName) {
  for (const char* group : {"solver::*", "region=solver::Solve", "file=solve.cc", "dir=src/physics", "dir=src/physics/",
                            "src/physics/", "object=solver"}) {
    EXPECT_TRUE(Measured({group}, kSolve)) << group;
    EXPECT_FALSE(Measured({std::string("-") + group}, kSolve)) << group;
    EXPECT_FALSE(Measured({group}, {"other", "other", "/home/me/lib/other.c", "/lib/libother.so", "compiler"}))
        << group;
  }
  EXPECT_TRUE(Measured({"fft*", "solver::*"}, kSolve));
  EXPECT_FALSE(Measured({"solver::*", "-file=solve.cc"}, kSolve));
}

TEST(Groups, MainIsAlwaysOn) {
  EXPECT_TRUE(Measured({"fft*"}, kMain));
  EXPECT_TRUE(Measured({"-main", "-region=*"}, kMain));
}

TEST(Groups, MpiIsAGroupOfItsOwn) {
  EXPECT_TRUE(Measured({"fft*"}, kSend));
  EXPECT_TRUE(Measured({"mpi"}, kSend));
  EXPECT_FALSE(Measured({"mpi"}, kSolve));
  EXPECT_FALSE(Measured({"-mpi"}, kSend));
  EXPECT_TRUE(Measured({"-mpi"}, kSolve));
}

}  // namespace
}  // namespace epik::config
