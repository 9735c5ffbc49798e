// SPDX-License-Identifier: BSD-3-Clause
// A library that takes room for thread-local variables away from those that a program loads later.
static __thread char filler[64] __attribute__((tls_model("initial-exec")));

// The access makes the loader reserve the room at once.
char* filler_of_this_thread(void) { return filler; }
