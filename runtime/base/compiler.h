// SPDX-License-Identifier: BSD-3-Clause
// Attributes for the compiler, under names that tell their purpose.
#ifndef EPIK_RUNTIME_BASE_COMPILER_H_
#define EPIK_RUNTIME_BASE_COMPILER_H_

// Runs for every event of the program: inlined, no call, no lock, no allocation.
#define EPIK_HOT inline __attribute__((always_inline))
// The rare branch of a hot function: kept out of its way.
#define EPIK_COLD __attribute__((noinline, cold))
// Visible to the program; everything else in the runtime is hidden.
#define EPIK_EXPORT __attribute__((visibility("default")))
// Never instrumented, even when a user builds the runtime with hooks.
#define EPIK_NO_HOOKS __attribute__((no_instrument_function))

#define EPIK_LIKELY(x) __builtin_expect(static_cast<bool>(x), 1)
#define EPIK_UNLIKELY(x) __builtin_expect(static_cast<bool>(x), 0)

// Orders stores for a reader on the same thread (a signal handler) or after the process died: no instruction.
#define EPIK_ORDER() __asm__ volatile("" ::: "memory")

#endif  // EPIK_RUNTIME_BASE_COMPILER_H_
