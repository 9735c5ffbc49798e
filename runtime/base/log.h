// SPDX-License-Identifier: BSD-3-Clause
// What EPIK has to say inside a program: single lines on stderr, never on stdout, without stdio or malloc.
#ifndef EPIK_RUNTIME_BASE_LOG_H_
#define EPIK_RUNTIME_BASE_LOG_H_

namespace epik::base {

// "[EPIK] …\n" in one write(2). Callable from signal handlers (arguments: only %s %d %u %lu %x %%).
void Say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Whether what stands at a descriptor is what people look at as the program's stderr. Async-signal-safe.
bool IsPeoples(int fd);

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_LOG_H_
