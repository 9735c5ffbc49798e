// SPDX-License-Identifier: BSD-3-Clause
// The knowledge that all threads of a process share about the other processes of this machine: the board, and the
// members of communicators.
#ifndef EPIK_RUNTIME_MONITOR_KNOWN_H_
#define EPIK_RUNTIME_MONITOR_KNOWN_H_

#include <cstdint>

#include "runtime/base/spinlock.h"
#include "runtime/event/control.h"
#include "runtime/monitor/board.h"
#include "runtime/monitor/membership.h"
#include "runtime/monitor/pages.h"
#include "runtime/monitor/shared_board.h"
#include "runtime/monitor/table.h"

namespace epik::monitor {

// The lock guards all members: one thread of a process works at a time.
struct Known {
  base::SpinLock lock;
  Board board;
  Pages pages;
  Table<Membership> communicators;  // by number
  BoardRoom room;
};
extern Known known;

// Stores a communicator of this process.
void KnowCommunicator(uint32_t number, const Membership& members);
// Its size is 0 when it is not known. REQUIRES: locked.
Membership MembersOf(uint32_t communicator);

// REQUIRES: locked, inside.
void OpenBoard();
// In a forked child.
void ForgetKnown();

event::MappedArena OwnArena();

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_KNOWN_H_
