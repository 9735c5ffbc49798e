// SPDX-License-Identifier: BSD-3-Clause
// Shows a moment of a job to people and to programs.
#ifndef EPIK_TOOLS_MONITOR_SHOW_H_
#define EPIK_TOOLS_MONITOR_SHOW_H_

#include <cstddef>
#include <string>

#include "tools/monitor/job.h"
#include "view/terminal.h"

namespace epik::monitor {

// One object in one line. of_user: the user described the scopes, which have an object each.
std::string ShowJson(const Job& job, const Moment& moment, bool of_user);

// `height`: lines there is room for; 0: any number.
std::string ShowText(const Job& job, const Moment& moment, size_t height, const view::Terminal& terminal);

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_SHOW_H_
