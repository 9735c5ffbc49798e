// SPDX-License-Identifier: BSD-3-Clause
// Turns a call of a hook in a filtered function into an instruction that does nothing (x86-64). One byte of the
// program's text changes when the call comes for the first time, and only
//   - where the bytes before the return address are a call of exactly this hook, directly or by the module's own
//   linkage
//     table: the call itself tells the function, so patching is right for inlined copies, too;
//   - while the process has one thread;
//   - in a segment that the kernel lets us write to for that moment.
// Everything else stays a call, and is filtered by the table. docs/choosing.md.
#ifndef EPIK_RUNTIME_CHOICE_PATCH_H_
#define EPIK_RUNTIME_CHOICE_PATCH_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/episode/part.h"

namespace epik::choice {

// `stack`: frame of the hook, as it gave it to Enter or Exit. False: nothing can be patched any more.
EPIK_COLD bool PatchCall(uint64_t stack, bool is_enter);

extern const episode::Part patch_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_PATCH_H_
