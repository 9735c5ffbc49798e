// SPDX-License-Identifier: BSD-3-Clause
// All threads of a process share this knowledge of the others on this machine: the board, and who is in which
// communicator.
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

// All under the lock: one thread of a process works at a time.
struct Known {
  base::SpinLock lock;
  Board board;
  Pages pages;
  Table<Membership> communicators;  // by number
  BoardRoom room;
};
extern Known known;

// A communicator of this process.
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
