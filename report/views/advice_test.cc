// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/advice.h"

#include <gtest/gtest.h>

#include "report/views/test_job.h"

namespace epik::report {
namespace {

std::string Sentences(const epitome::Profile& profile) {
  std::string all = "\n";
  for (const std::string& sentence : Advise(Figures(profile), {}, "load", "", true)) all += sentence + "\n";
  return all;
}

TEST(Advice, StartingAndEndingMpiIsNoCommunication) {
  epitome::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {4, 4});
  Add(&profile, "MPI_Init", "mpi", "function", {5, 4.8});
  Add(&profile, "MPI_Finalize", "mpi", "function", {0.5, 0.7});
  Add(&profile, "MPI_Allreduce", "mpi", "all2all", {0.5, 0.5});
  const std::string sentences = Sentences(profile);
  EXPECT_EQ(sentences.find("\nMPI takes"), std::string::npos) << sentences;
  EXPECT_NE(sentences.find("Starting and ending MPI takes 55 % of the time"), std::string::npos) << sentences;
}

TEST(Advice, CommunicationIsNamedWithoutStartAndEnd) {
  epitome::Profile profile = Job(2, 1);
  Add(&profile, "main", "compiler", "function", {6, 6});
  Add(&profile, "MPI_Init", "mpi", "function", {1, 1});
  Add(&profile, "MPI_Send", "mpi", "point2point", {3, 3});
  const std::string sentences = Sentences(profile);
  EXPECT_NE(sentences.find("\nMPI takes 30 % of the time, most on rank 0, 100 % of it in MPI_Send."), std::string::npos)
      << sentences;
  EXPECT_EQ(sentences.find("Starting"), std::string::npos) << sentences;
}

}  // namespace
}  // namespace epik::report
