// SPDX-License-Identifier: BSD-3-Clause
// POSIX extended regular expressions, for rules that globs cannot say. Internal to the filter.
#ifndef EPIK_CONFIG_FILTER_REGEX_H_
#define EPIK_CONFIG_FILTER_REGEX_H_

#include <regex.h>

#include <string>
#include <string_view>

namespace epik::config {

class FilterRegex {
 public:
  // When the pattern is not valid, *error says why.
  FilterRegex(const std::string& pattern, std::string* error);
  ~FilterRegex();
  FilterRegex(const FilterRegex&) = delete;
  FilterRegex& operator=(const FilterRegex&) = delete;
  bool Matches(std::string_view text) const;
  bool valid() const { return valid_; }

 private:
  regex_t compiled_;
  bool valid_ = false;
};

}  // namespace epik::config

#endif  // EPIK_CONFIG_FILTER_REGEX_H_
