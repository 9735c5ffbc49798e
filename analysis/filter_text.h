// SPDX-License-Identifier: BSD-3-Clause
// Filters and profiles from files, and filters that the tools write themselves: those begin with a line that says so,
// and only such a file is ever replaced.
#ifndef EPIK_ANALYSIS_FILTER_TEXT_H_
#define EPIK_ANALYSIS_FILTER_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "config/filter.h"

namespace epik::analysis {

inline constexpr char kWrittenByUs[] = "# A filter for EPIK, written by ";

std::optional<std::string> ReadText(const std::string& path);

// False and *error when it cannot be written, or when it is a file that somebody else wrote.
bool WriteFilter(const std::string& path, const std::string& text, std::string* error);

// Reads a filter; what is wrong with it goes to *complaints, a line each. False: there is no such file.
bool ReadFilter(const std::string& path, config::Filter* filter, std::vector<std::string>* complaints);

// "FILE:LINE: EXCLUDE REGION x matched nothing", one for each rule without a mark in `used`.
std::vector<std::string> TellUnused(const std::string& path, const config::Filter& filter,
                                    const std::vector<bool>& used);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_FILTER_TEXT_H_
