// SPDX-License-Identifier: BSD-3-Clause
// The process that `epk calibrate` measures: it makes the events of one kind, very often, and times them. The
// environment decides whether and how they are measured: the same probe runs bare and under measurement.
#ifndef EPIK_TOOLS_CALIBRATE_PROBE_H_
#define EPIK_TOOLS_CALIBRATE_PROBE_H_

#include <string>

namespace epik::calibrate {

// Prints "small NS large NS": the time of one event with few data in use, and with many. Then ends the process by
// SIGKILL, so that no archive is made. Returns when the event cannot be made here.
void Probe(const std::string& event);

// Keeps a processor and its caches busy until standard input ends.
void BeBusy();

}  // namespace epik::calibrate

#endif  // EPIK_TOOLS_CALIBRATE_PROBE_H_
