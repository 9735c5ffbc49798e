// SPDX-License-Identifier: BSD-3-Clause
// EPK_RECURSION: from how many call paths on recursive calls are folded (runtime/epitome/folding.h).
#ifndef EPIK_RUNTIME_CHOICE_RECURSION_H_
#define EPIK_RUNTIME_CHOICE_RECURSION_H_

#include "runtime/episode/part.h"

namespace epik::choice {

extern const episode::Part recursion_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_RECURSION_H_
