// SPDX-License-Identifier: BSD-3-Clause
// Which executable and shared objects were mapped where: what turns addresses into names, later and elsewhere.
#ifndef EPIK_RUNTIME_EPISODE_MODULES_H_
#define EPIK_RUNTIME_EPISODE_MODULES_H_

#include "runtime/event/layout.h"

namespace epik::episode {

// Records every module that is mapped now and was not before.
void ScanModules();

// How many there have been; grows when one comes.
uint32_t ModuleCount();

// Whatever is mapped now, by the path of its file and the distance of running addresses from those in it.
void ForEachMappedModule(void (*look)(const char* path, uint64_t bias, void* context), void* context);

// The same for the one that has this address among its code.
void FindMappedModule(uint64_t address, void (*look)(const char* path, uint64_t bias, void* context), void* context);

// Whether one of them, other than we, wants something from elsewhere whose name begins so.
bool IsMentionedByModules(const char* beginning);

// Called when a call path is made: an address outside all known modules means that one was loaded since.
// Also keeps the clock's scale fresh, for a process that may be killed any time.
void NoteNewPath(event::Key key);

// Whether it is code of a module that is known already.
bool IsKnownCode(event::Key key);

// The latest reading of both clocks, at the end of the measurement: no later one is made.
void NoteLastClockPair();

// After a dlclose: addresses of modules that are gone must not be taken for those of whatever comes there next.
// Their nodes get region keys of their own, resolved against the module that was there.
void RetireUnmappedModules();

void ForgetModules();  // in a forked child

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_MODULES_H_
