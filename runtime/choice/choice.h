// SPDX-License-Identifier: BSD-3-Clause
// Starts filter and groups (EPK_FILTER, EPK_GROUPS) together.
#ifndef EPIK_RUNTIME_CHOICE_CHOICE_H_
#define EPIK_RUNTIME_CHOICE_CHOICE_H_

#include "runtime/episode/part.h"

namespace epik::choice {

extern const episode::Part choice_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_CHOICE_H_
