// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a process's locations, which people read as its threads.
#ifndef EPIK_RUNTIME_EPISODE_NUMBERS_H_
#define EPIK_RUNTIME_EPISODE_NUMBERS_H_

#include <cstdint>

namespace epik::episode {

// The wanted number, or the lowest one that is free and not smaller. REQUIRES: one caller at a time.
uint32_t TakeNumber(uint32_t wanted);
void ForgetNumbers();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_NUMBERS_H_
