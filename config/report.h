// SPDX-License-Identifier: BSD-3-Clause
// The configuration as text: for people (`epk config`), for programs (JSON) and for EPIK itself (EPIK.CONF, which the
// runtime also leaves in the archive as epik.conf). Pure functions; nothing is printed here.
#ifndef EPIK_CONFIG_REPORT_H_
#define EPIK_CONFIG_REPORT_H_

#include <string>
#include <string_view>

#include "config/settings.h"

namespace epik::config {

// Every variable by section. Marks the variables that are set, and shows their source and default. No line is wider
// than `width` columns (at least 40). `color`: variables that are set are bold.
std::string RenderTable(const Loaded& loaded, int width, bool color);

// Everything about one variable.
std::string RenderVariable(const Loaded& loaded, const Description& row, int width, bool color);

// A file that gives the same settings when it is read. Variables that are set become KEY = value. Defaults become
// comments, because a starting size that is set would be a limit.
std::string RenderConf(const Settings& settings);
// Reads settings that RenderConf has written.
Settings ReadConf(std::string_view text);

// {"variables": [{"name": …, "value": …, …}], "messages": [{"kind": …, "text": …}]}
std::string RenderJson(const Loaded& loaded);

// The names, one a line.
std::string RenderNames();

}  // namespace epik::config

#endif  // EPIK_CONFIG_REPORT_H_
