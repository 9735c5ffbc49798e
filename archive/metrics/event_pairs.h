// SPDX-License-Identifier: BSD-3-Clause
// The cost of measuring an event of MPI or OpenMP, in pairs: the enter and exit of a function that does nothing. A
// process calibrates a pair when it starts. `./dev bench events` measured these ratios (docs/performance.md has them).
// They differ between kinds of processors: AMD's hide most of an event's work behind reading the clock, which takes
// long there. Intel's read the clock fast, so they hide little.
#ifndef EPIK_ARCHIVE_METRICS_EVENT_PAIRS_H_
#define EPIK_ARCHIVE_METRICS_EVENT_PAIRS_H_

#include <cstdint>
#include <string_view>

namespace epik::archive {

enum class Processor : uint8_t { kHidesMost, kHidesLittle };
// Finds the kind by the name of a model: "Intel(R) Xeon(R) Processor".
Processor ProcessorBy(std::string_view model);

// Returns the price of a visit of an MPI function. Non-blocking and persistent collectives cost as much as the blocking
// ones.
double PairsOfMpi(std::string_view function, Processor processor);

// libomp calls EPIK back, which takes longer than a call from a program to EPIK in place of libgomp.
enum class OpenMpRuntime : uint8_t { kGomp, kOmp };
// Finds the runtime of a process by a file that it has mapped. Returns `before` when the file is neither runtime.
OpenMpRuntime RuntimeBy(std::string_view module, OpenMpRuntime before);

// Returns the price of a visit of an OpenMP construct or function with this region: `for dynamic @solver.c:44`.
double PairsOfOpenMp(std::string_view region, OpenMpRuntime runtime, Processor processor);

// The price of MPI and of OpenMP as `epk calibrate` measures it, in pairs of these tables: that of a send, and that of
// a critical section of libgomp, which has two visits.
double PairsOfCalibratedMpi(Processor processor);
double PairsOfCalibratedOpenMp(Processor processor);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_EVENT_PAIRS_H_
