// SPDX-License-Identifier: BSD-3-Clause
//
// The measured program as a child: same process group, same terminal, same end.
#ifndef EPIK_TOOLS_LAUNCH_CHILD_H_
#define EPIK_TOOLS_LAUNCH_CHILD_H_

#include <string>
#include <utility>
#include <vector>

namespace epik::launch {

struct Ending {
  int status = 0;  // of exit, or 127/126 when it could not be started
  int signal = 0;  // not 0: killed by it
  int error = 0;   // errno, when it could not be started
  int pid = 0;     // its number
};

// Runs the command and waits. Signals of the terminal reach the child directly. Signals that another process sends to
// us (SIGTERM by a batch system) are handed on. Blocks these signals while it waits, so it is only for a program with
// one thread.
Ending RunChild(const std::vector<std::string>& command,
                const std::vector<std::pair<std::string, std::string>>& environment);

// The exit status to return, or death by the same signal.
int EndLike(const Ending& ending);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_CHILD_H_
