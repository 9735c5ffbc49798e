// SPDX-License-Identifier: BSD-3-Clause
// EPIK's messages inside a program: single lines on stderr, never on stdout, written without stdio or malloc.
#ifndef EPIK_RUNTIME_BASE_LOG_H_
#define EPIK_RUNTIME_BASE_LOG_H_

namespace epik::base {

// "[EPIK] …\n" in one write(2). Callable from signal handlers (arguments: only %s %d %u %lu %x %%).
void Say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Whether the descriptor is one that people read as the program's stderr, and no file of the program.
// Async-signal-safe.
bool IsPeoples(int fd);

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_LOG_H_
