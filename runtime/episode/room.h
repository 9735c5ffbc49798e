// SPDX-License-Identifier: BSD-3-Clause
// Thread-local memory that few threads need, behind one thread-local pointer. A program that loads a library late has
// room for only some hundred bytes of the library's thread-local variables.
#ifndef EPIK_RUNTIME_EPISODE_ROOM_H_
#define EPIK_RUNTIME_EPISODE_ROOM_H_

#include "runtime/event/layout.h"

namespace epik::episode {

// The uses of this memory, as offsets of their parts.
enum class Room : uint32_t { kHeldLocks = 0, kLedTeams = 768, kEnd = 1280 };

// The zeroed part for this use, of the thread that has this location. A thread asks once and keeps the pointer. The
// next thread with this location gets the same memory. Null: no memory. Async-signal-safe.
void* TakeRoom(const event::Location* location, Room room, uint32_t bytes);

// In a forked child: its threads have the locations of others.
void ForgetRooms();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_ROOM_H_
