// SPDX-License-Identifier: BSD-3-Clause
// The operating system's view of processes and their threads.
#ifndef EPIK_TOOLS_TOP_PROC_H_
#define EPIK_TOOLS_TOP_PROC_H_

#include <string>
#include <vector>

namespace epik::top {

bool ProcessExists(int pid);

// "running", "sleeping", "waiting for disk", "stopped", "ended"; empty when it is not known.
std::string ThreadState(int pid, int thread);

enum class Maps { kRead, kNoProcess, kDenied };

// The arenas among a process's mapped files; files that were removed meanwhile end in " (deleted)".
Maps MappedArenas(int pid, std::vector<std::string>* paths);

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_PROC_H_
