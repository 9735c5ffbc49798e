// SPDX-License-Identifier: BSD-3-Clause
// Records where the executable and shared objects were mapped, so that readers can turn addresses into names later.
#ifndef EPIK_RUNTIME_EPISODE_MODULES_H_
#define EPIK_RUNTIME_EPISODE_MODULES_H_

#include "runtime/event/layout.h"

namespace epik::episode {

// Records every module that is mapped now and was not before.
void ScanModules();

// The number of modules so far; it grows with each new one.
uint32_t ModuleCount();

// Visits every mapped module: the path of its file, and the distance of running addresses from those in the file.
void ForEachMappedModule(void (*look)(const char* path, uint64_t bias, void* context), void* context);

// The same for the module that has code at this address.
void FindMappedModule(uint64_t address, void (*look)(const char* path, uint64_t bias, void* context), void* context);

// Whether a module other than ours imports a symbol whose name begins like this.
bool IsMentionedByModules(const char* beginning);

// Called when a call path is made: an address outside all known modules means that one was loaded since.
// Also keeps the clock's scale fresh, for a process that may be killed any time.
void NoteNewPath(event::Key key);

// Whether the key is code of a known module.
bool IsKnownCode(event::Key key);

// Reads both clocks at the end of the measurement, for the last time.
void NoteLastClockPair();

// After a dlclose: the addresses of an unloaded module must not be taken for those of the next module there. Its nodes
// get keys of their own, which are resolved against the unloaded module.
void RetireUnmappedModules();

// The last code of the module at this address has run, and the module is about to be unmapped. Until the loader gives
// its lock back, no other module comes to its addresses.
void RetireLeavingModule(uint64_t address);

void ForgetModules();  // in a forked child

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_MODULES_H_
