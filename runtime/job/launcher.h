// SPDX-License-Identifier: BSD-3-Clause
// Facts about the job that a launcher gives a process before MPI is up.
#ifndef EPIK_RUNTIME_JOB_LAUNCHER_H_
#define EPIK_RUNTIME_JOB_LAUNCHER_H_

#include <string>

namespace epik::job {

struct Launched {
  std::string job;  // the same for all processes of a job, or of its part on one host; "": not known
  int rank = 0;
  int ranks = 0;
};

// `variable` is getenv, or a test's.
Launched LaunchedBy(const char* (*variable)(const char* name));

}  // namespace epik::job

#endif  // EPIK_RUNTIME_JOB_LAUNCHER_H_
