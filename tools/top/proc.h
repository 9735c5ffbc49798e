// SPDX-License-Identifier: BSD-3-Clause
// The operating system's view of processes and their threads.
#ifndef EPIK_TOOLS_TOP_PROC_H_
#define EPIK_TOOLS_TOP_PROC_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "archive/image/process_image.h"

namespace epik::top {

bool ProcessExists(int pid);

// The process that has a number when this object is made. It stays that one when another gets the number later.
class ProcessHandle {
 public:
  explicit ProcessHandle(pid_t pid);
  // `descriptors`: how many this program may have; a process beyond them costs none, and HasEnded takes longer.
  ProcessHandle(pid_t pid, uint64_t descriptors);
  ~ProcessHandle();
  ProcessHandle(const ProcessHandle&) = delete;
  ProcessHandle& operator=(const ProcessHandle&) = delete;

  // A zombie has ended, although its parent has not waited for it yet.
  bool HasEnded() const;

 private:
  pid_t pid_;
  int fd_;                // the kernel's handle of the process; -1: none
  uint64_t started_ = 0;  // without a handle: when it started, in the kernel's unit; 0: it had ended
};

// "running", "sleeping", "waiting for disk", "stopped", "ended"; empty when it is not known.
std::string ThreadState(int pid, int thread);

// Takes the kernel's account of the threads' CPU time: the process itself reads it rarely (runtime/episode/effort.h).
void ReadCpuTimes(int pid, archive::ProcessImage* image);

enum class Maps { kRead, kNoProcess, kDenied };

// The arenas among a process's mapped files; files that were removed meanwhile end in " (deleted)".
Maps MappedArenas(int pid, std::vector<std::string>* paths);

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_PROC_H_
