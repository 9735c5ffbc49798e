// SPDX-License-Identifier: BSD-3-Clause
// The board of the processes of a job that run on this machine: a file beside their arenas, which whoever comes first
// makes. The last ones remove it.
#ifndef EPIK_RUNTIME_MONITOR_SHARED_BOARD_H_
#define EPIK_RUNTIME_MONITOR_SHARED_BOARD_H_

#include <cstdint>

#include "runtime/monitor/board.h"

namespace epik::monitor {

// Maps the board; `notes`: that each thread has room for. Once; a board that cannot be had stays closed. REQUIRES:
// inside.
void OpenSharedBoard(uint64_t notes, Board* board);
// Everybody has what it needs.
void RemoveSharedBoard();
// In a forked child.
void ForgetSharedBoard(Board* board);

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_SHARED_BOARD_H_
