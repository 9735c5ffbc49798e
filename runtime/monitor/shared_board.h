// SPDX-License-Identifier: BSD-3-Clause
// The board of the processes of a job that run on this machine: a file beside their arenas. The first process that
// needs it makes it, and the last ones remove it.
#ifndef EPIK_RUNTIME_MONITOR_SHARED_BOARD_H_
#define EPIK_RUNTIME_MONITOR_SHARED_BOARD_H_

#include <cstdint>

#include "runtime/monitor/board.h"
#include "runtime/monitor/pages.h"

namespace epik::monitor {

// The number of notes of each thread for which there is room.
struct BoardRoom {
  uint64_t cells = 0;  // of the board
  uint64_t calls = 0;  // on its pages
  bool IsNone() const { return cells == 0 && calls == 0; }
};

// Maps the board and its pages, once. If one of them cannot be mapped, it stays closed. REQUIRES: inside.
void OpenSharedBoard(const BoardRoom& room, Board* board, Pages* pages);
// Removes the file: all processes have the times that they need.
void RemoveSharedBoard();
// In a forked child.
void ForgetSharedBoard(Board* board, Pages* pages);

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_SHARED_BOARD_H_
