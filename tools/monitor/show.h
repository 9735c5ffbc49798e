// SPDX-License-Identifier: BSD-3-Clause
// A moment of a job as people and machines read it.
#ifndef EPIK_TOOLS_MONITOR_SHOW_H_
#define EPIK_TOOLS_MONITOR_SHOW_H_

#include <cstddef>
#include <string>

#include "tools/monitor/job.h"
#include "view/terminal.h"

namespace epik::monitor {

// One object in one line.
std::string ShowJson(const Job& job, const Moment& moment);

// `height`: lines there is room for; 0: any number.
std::string ShowText(const Job& job, const Moment& moment, size_t height, const view::Terminal& terminal);

// What cannot be shown, and what to do about it; empty: nothing is missing.
std::string Missing(const Moment& moment);

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_SHOW_H_
