// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/job/launcher.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace epik::job {
namespace {

using Variable = const char* (*)(const char* name);

// -1: it has no number.
int Number(Variable variable, const char* name) {
  const char* text = variable(name);
  if (text == nullptr || *text == '\0') return -1;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  return *end == '\0' && number >= 0 && number <= INT_MAX ? static_cast<int>(number) : -1;
}

// When the process began, in ticks since the machine started; "" if it cannot be read. Needed because a later process
// may get the same number.
std::string StartOf(pid_t process) {
  char path[64], text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(process));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t size = read(fd, text, sizeof text - 1);
  close(fd);
  text[size > 0 ? size : 0] = '\0';
  const char* at = std::strrchr(text, ')');  // the name may have any character
  constexpr int kStartAfterName = 20;
  for (int field = 0; at != nullptr && field < kStartAfterName; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr ? "" : std::string(at + 1, std::strspn(at + 1, "0123456789"));
}

// Hydra's process on this host, at the other end of the socket that the ranks there got from it.
std::string HydraJob(Variable variable) {
  const int fd = Number(variable, "PMI_FD");
  ucred other;
  socklen_t size = sizeof other;
  if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) != 0 || other.pid <= 0) return "";
  const std::string start = StartOf(other.pid);
  return start.empty() ? "" : "pmi" + std::to_string(other.pid) + "-" + start;
}

// Only letters and digits: it becomes part of a file's name.
std::string Clean(const char* text) {
  std::string clean;
  constexpr size_t kMost = 40;
  for (; *text != '\0' && clean.size() < kMost; ++text) {
    const bool is_plain =
        (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
    clean += is_plain ? *text : '-';
  }
  return clean;
}

}  // namespace

Launched LaunchedBy(Variable variable) {
  if (const char* spawned = variable("PMI_SPAWNED"); spawned != nullptr && *spawned == '1') return {};
  Launched launched;
  if (variable("PMI_FD") != nullptr) {
    launched = {HydraJob(variable), Number(variable, "PMI_RANK"), Number(variable, "PMI_SIZE")};
  } else if (const char* space = variable("PMIX_NAMESPACE");
             space != nullptr && variable("OMPI_COMM_WORLD_SIZE") != nullptr) {
    launched = {"ompi" + Clean(space), Number(variable, "OMPI_COMM_WORLD_RANK"),
                Number(variable, "OMPI_COMM_WORLD_SIZE")};
  } else if (const char* job = variable("SLURM_JOB_ID"); job != nullptr && variable("SLURM_STEP_ID") != nullptr) {
    launched = {"slurm" + Clean(job) + "-" + Clean(variable("SLURM_STEP_ID")), Number(variable, "SLURM_PROCID"),
                Number(variable, "SLURM_STEP_NUM_TASKS")};
  }
  const bool is_whole =
      !launched.job.empty() && launched.rank >= 0 && launched.ranks > 1 && launched.rank < launched.ranks;
  return is_whole ? launched : Launched{};
}

}  // namespace epik::job
