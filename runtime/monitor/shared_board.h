// SPDX-License-Identifier: BSD-3-Clause
// The board of the processes of a job that run on this machine: a file beside their arenas, which whoever comes first
// makes. The last ones remove it.
#ifndef EPIK_RUNTIME_MONITOR_SHARED_BOARD_H_
#define EPIK_RUNTIME_MONITOR_SHARED_BOARD_H_

#include <cstdint>

#include "runtime/monitor/board.h"
#include "runtime/monitor/pages.h"

namespace epik::monitor {

// For how many notes of each thread there is room.
struct BoardRoom {
  uint64_t cells = 0;  // of the board
  uint64_t calls = 0;  // on its pages
  bool IsNone() const { return cells == 0 && calls == 0; }
};

// Maps the board and its pages. Once; what cannot be had stays closed. REQUIRES: inside.
void OpenSharedBoard(const BoardRoom& room, Board* board, Pages* pages);
// Everybody has what it needs.
void RemoveSharedBoard();
// In a forked child.
void ForgetSharedBoard(Board* board, Pages* pages);

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_SHARED_BOARD_H_
