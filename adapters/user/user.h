// SPDX-License-Identifier: BSD-3-Clause
// Shared by the C and the Fortran interface. `stack` is the frame of the entry point.
#ifndef EPIK_ADAPTERS_USER_USER_H_
#define EPIK_ADAPTERS_USER_USER_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::user {

// 0 when nothing is measured, or there is no room for more.
uint32_t MakeRegion(const char* name, const char* file, int line, event::Role role);

void Enter(uint32_t region, const void* stack);
void Exit(uint32_t region, const void* stack);

// Both end a parameter of the same name first: a loop over values must not nest them.
void EnterParameter(const char* name, int64_t value, const void* stack);
void EnterParameter(const char* name, const char* value, const void* stack);
void ExitParameter(const void* stack);

void AddToMetric(uint32_t metric, double value);

void FlushTrace();
void SwitchTrace(bool on);
void SwitchGroup(const char* name, bool on);

}  // namespace epik::user

#endif  // EPIK_ADAPTERS_USER_USER_H_
