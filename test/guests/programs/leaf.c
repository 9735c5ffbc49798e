// SPDX-License-Identifier: BSD-3-Clause
// A library of one function, of which many copies can be loaded.
#include "guest.h"

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

static volatile int sink;

MEASURED int JOIN(NAME, _leaf)(void) { return sink = sink + 1; }

BARE int run_plugin(void) { return JOIN(NAME, _leaf)() > 0 ? 1 : 0; }
