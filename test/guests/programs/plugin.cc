// SPDX-License-Identifier: BSD-3-Clause
// A plugin, and a library that is linked: two of each kind are made, with other names and the same layout.
#include <stdexcept>

#include "guest.h"

#ifndef NAME
#define NAME plugin_a
#endif
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

static volatile int sink;

extern "C" {

MEASURED void JOIN(NAME, _leaf)() { sink = sink + 1; }

MEASURED void JOIN(NAME, _thrower)() { throw std::runtime_error("plugin"); }

MEASURED int JOIN(NAME, _catches)() {
  try {
    JOIN(NAME, _thrower)();
  } catch (const std::exception&) {
    JOIN(NAME, _leaf)();
    return 1;
  }
  return 0;
}

MEASURED int run_plugin() {
  for (int i = 0; i < 3; ++i) JOIN(NAME, _leaf)();
  return JOIN(NAME, _catches)();
}
}

struct Global {
  MEASURED Global() { JOIN(NAME, _leaf)(); }
  MEASURED ~Global() { JOIN(NAME, _leaf)(); }
};
static Global global;
