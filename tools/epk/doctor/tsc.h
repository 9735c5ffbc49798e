// SPDX-License-Identifier: BSD-3-Clause
// The processor's time stamp counter, if it has one. The build picks the file for the processor.
#ifndef EPIK_TOOLS_EPK_DOCTOR_TSC_H_
#define EPIK_TOOLS_EPK_DOCTOR_TSC_H_

#include <cstdint>

namespace epik::epk::doctor {

bool TscPresent();
bool TscInvariant();  // ticks at one rate in every power state
uint64_t ReadTsc();

}  // namespace epik::epk::doctor

#endif  // EPIK_TOOLS_EPK_DOCTOR_TSC_H_
