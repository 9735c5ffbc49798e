// SPDX-License-Identifier: BSD-3-Clause
// Matches a pattern against texts that begin alike, such as the call paths of a tree: a copy of the match of a caller
// goes on with the name of its callee. So the time is that of the names, not of the paths.
#ifndef EPIK_CONFIG_GROWING_MATCH_H_
#define EPIK_CONFIG_GROWING_MATCH_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace epik::config {

class GrowingMatch {
 public:
  // The caller keeps the pattern.
  explicit GrowingMatch(std::string_view pattern);

  void Add(std::string_view text);
  // Returns the result of GlobMatches for the pattern and of all text that was added.
  bool Matches() const { return reached_.back() || same_ == pattern_.size(); }

 private:
  void Reach(size_t at, std::vector<bool>* reached) const;

  std::string_view pattern_;
  std::vector<bool> reached_;  // [i]: the text matches the first i characters of the pattern
  size_t same_ = 0;            // the text is the first characters of the pattern, as they stand; npos: it is not
};

namespace internal {

// One element of a pattern at `at` against `c`: any but a star. *next: the place of the element after it.
bool ElementMatches(std::string_view pattern, size_t at, char c, size_t* next);

}  // namespace internal

}  // namespace epik::config

#endif  // EPIK_CONFIG_GROWING_MATCH_H_
