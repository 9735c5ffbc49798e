// SPDX-License-Identifier: BSD-3-Clause
// For tests: energy:: with another folder than the kernel's.
#ifndef EPIK_RUNTIME_METRICS_ENERGY_H_
#define EPIK_RUNTIME_METRICS_ENERGY_H_

#include "runtime/metrics/source.h"

namespace epik::metrics {

Source* MakeEnergyOf(const char* powercap);  // the text must stay valid

}  // namespace epik::metrics

#endif  // EPIK_RUNTIME_METRICS_ENERGY_H_
