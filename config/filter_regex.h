// SPDX-License-Identifier: BSD-3-Clause
// POSIX extended regular expressions, for rules that globs cannot say. Internal to the filter.
#ifndef EPIK_CONFIG_FILTER_REGEX_H_
#define EPIK_CONFIG_FILTER_REGEX_H_

#include <regex.h>

#include <string>
#include <string_view>

#include "config/filter.h"

namespace epik::config {

struct Filter::Regex {
  regex_t compiled;
  bool valid = false;

  // *error says why it is not valid.
  Regex(const std::string& pattern, std::string* error);
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;
  bool Matches(std::string_view text) const;
};

}  // namespace epik::config

#endif  // EPIK_CONFIG_FILTER_REGEX_H_
