// SPDX-License-Identifier: BSD-3-Clause
// Runs scripts of tests in processes of their own, because the adapter's state is that of a process.
#ifndef EPIK_ADAPTERS_MPI_TEST_PROCESS_H_
#define EPIK_ADAPTERS_MPI_TEST_PROCESS_H_

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "adapters/abi/abi.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/counting.h"
#include "adapters/mpi/fake_mpi.h"
#include "adapters/mpi/types.h"

namespace epik::mpi {

using Lines = std::vector<std::string>;

// Runs the script as this rank, and returns the text that the script returned.
inline std::string RunAs(int rank, int size, const std::function<std::string()>& script) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    FakeMpi::Start(rank, size);
    KnowComms();
    FakeMpi::noted = kEpikCollects | kEpikSteps;
    RememberWhatCounts();
    FakeMpi::noted = 0;
    KnowTypes();
    FakeMpi::Told();
    const std::string text = script();
    [[maybe_unused]] const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  close(ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t n = 0; (n = read(ends[0], bytes, sizeof bytes)) > 0;) text.append(bytes, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? text : "failed: " + text;
}

inline void Script(const std::function<void()>& script) {
  EXPECT_EQ(RunAs(1, 4, [&] { return script(), std::string("done"); }), "done");
}

inline MPI_Status StatusOfMessage(int source, int tag, int bytes) {
  MPI_Status status = {};
  status.MPI_SOURCE = source;
  status.MPI_TAG = tag;
  status.count_lo = bytes;
  return status;
}

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_TEST_PROCESS_H_
