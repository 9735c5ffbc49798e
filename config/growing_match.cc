// SPDX-License-Identifier: BSD-3-Clause
#include "config/growing_match.h"

namespace epik::config {

GrowingMatch::GrowingMatch(std::string_view pattern) : pattern_(pattern), reached_(pattern.size() + 1) {
  Reach(0, &reached_);
}

// A star also stands for no text.
void GrowingMatch::Reach(size_t at, std::vector<bool>* reached) const {
  (*reached)[at] = true;
  while (at < pattern_.size() && pattern_[at] == '*') (*reached)[++at] = true;
}

void GrowingMatch::Add(std::string_view text) {
  if (same_ != std::string_view::npos) {
    const bool is_same = pattern_.substr(same_).starts_with(text);
    same_ = is_same ? same_ + text.size() : std::string_view::npos;
  }
  std::vector<bool> next(reached_.size());
  for (const char c : text) {
    next.assign(next.size(), false);
    for (size_t at = 0; at < pattern_.size(); ++at) {
      size_t after = 0;
      if (!reached_[at]) continue;
      if (pattern_[at] == '*') {
        Reach(at, &next);
      } else if (internal::ElementMatches(pattern_, at, c, &after)) {
        Reach(after, &next);
      }
    }
    reached_.swap(next);
  }
}

}  // namespace epik::config
