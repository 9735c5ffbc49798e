// SPDX-License-Identifier: BSD-3-Clause
// This file is compiled with hooks, unlike all other code of EPIK. It calls nothing of the C++ library: the linker
// could give copies with hooks to other code.
#include "tools/calibrate/callees.h"

namespace epik::calibrate {
namespace {

template <uint32_t number>
__attribute__((noinline)) void Called() {
  __asm__ volatile("");
}

}  // namespace

#define EIGHT(n) \
  Called<n>, Called<n + 1>, Called<n + 2>, Called<n + 3>, Called<n + 4>, Called<n + 5>, Called<n + 6>, Called<n + 7>
#define SIXTY_FOUR(n) \
  EIGHT(n), EIGHT(n + 8), EIGHT(n + 16), EIGHT(n + 24), EIGHT(n + 32), EIGHT(n + 40), EIGHT(n + 48), EIGHT(n + 56)

void (*const callees[kCallees])() = {SIXTY_FOUR(0),   SIXTY_FOUR(64),  SIXTY_FOUR(128), SIXTY_FOUR(192),
                                     SIXTY_FOUR(256), SIXTY_FOUR(320), SIXTY_FOUR(384), SIXTY_FOUR(448)};

}  // namespace epik::calibrate
