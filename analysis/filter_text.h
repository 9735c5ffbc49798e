// SPDX-License-Identifier: BSD-3-Clause
// Reads filters and profiles from files, and writes filters. A filter that the tools write begins with a line that says
// so. Only such a file, or an empty one, is ever replaced.
#ifndef EPIK_ANALYSIS_FILTER_TEXT_H_
#define EPIK_ANALYSIS_FILTER_TEXT_H_

#include <string>
#include <vector>

#include "config/filter.h"

namespace epik::analysis {

inline constexpr char kWrittenByUs[] = "# A filter for EPIK, written by ";

// Reads a filter or rules. Returns false, with the reason, when this is no regular file or has more than 16 MiB: pipes
// and devices would keep the tool waiting, or never end.
bool ReadText(const std::string& path, std::string* text, std::string* error);

// Returns false and sets *error when the file cannot be written, when other tools wrote it, or when there is one that
// cannot be read.
bool WriteFilter(const std::string& path, const std::string& text, std::string* error);

// Reads a filter; its errors go to *complaints, a line each. Returns false when ReadText does.
bool ReadFilter(const std::string& path, config::Filter* filter, std::vector<std::string>* complaints,
                std::string* error);

// "FILE:LINE: EXCLUDE REGION x matched nothing", one for each rule without a mark in `used`.
std::vector<std::string> TellUnused(const std::string& path, const config::Filter& filter,
                                    const std::vector<bool>& used);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_FILTER_TEXT_H_
