// SPDX-License-Identifier: BSD-3-Clause
// Memory of a thread that few threads need, behind a pointer of the thread. Thread-local variables of a library are
// static: a program that was linked without it has room for some hundred bytes of them when it loads it later.
#ifndef EPIK_RUNTIME_EPISODE_ROOM_H_
#define EPIK_RUNTIME_EPISODE_ROOM_H_

#include "runtime/event/layout.h"

namespace epik::episode {

// What it is for; each has its part.
enum class Room : uint32_t { kHeldLocks = 0, kLedTeams = 768, kEnd = 1280 };

// The part of the thread that has this location, zeroed: to be asked for once, and kept by the thread. It is used again
// by the thread that has the location next. Null: no memory. Async-signal-safe.
void* TakeRoom(const event::Location* location, Room room, uint32_t bytes);

// In a forked child: its threads have the locations of others.
void ForgetRooms();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_ROOM_H_
