// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/known.h"

#include "runtime/base/arena.h"

namespace epik::monitor {

constinit Known known;

namespace {

constexpr uint32_t kMostCommunicators = 1u << 24;

}  // namespace

event::MappedArena OwnArena() { return {base::arena_base, event::Process()->arena.bytes}; }

void KnowCommunicator(uint32_t number, const Membership& members) {
  if (known.room.IsNone() || number >= kMostCommunicators) return;
  const base::Locked lock(known.lock);
  if (Membership* slot = known.communicators.Slot(number)) *slot = members;
}

Membership MembersOf(uint32_t communicator) {
  if (communicator == 0) return {0, event::Process()->rank, event::Process()->ranks, false};
  return communicator < known.communicators.size() ? known.communicators[communicator] : Membership();
}

void OpenBoard() { OpenSharedBoard(known.room, &known.board, &known.pages); }

void ForgetKnown() {
  known.room = {};
  known.lock.Reset();
  ForgetSharedBoard(&known.board, &known.pages);
}

}  // namespace epik::monitor
