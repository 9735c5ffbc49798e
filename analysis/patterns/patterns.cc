// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/patterns.h"

namespace epik::patterns {

const std::vector<const PatternInfo*>& AllPatterns() {
  static const std::vector<const PatternInfo*> all = {
#define PATTERN(Name) &k##Name##Info,
#include "analysis/patterns/patterns.def"
#undef PATTERN
  };
  return all;
}

std::vector<std::unique_ptr<Pattern>> MakePatterns(Severities* severities) {
  std::vector<std::unique_ptr<Pattern>> all;
#define PATTERN(Name) all.push_back(Make##Name(static_cast<uint32_t>(all.size()), severities));
#include "analysis/patterns/patterns.def"
#undef PATTERN
  return all;
}

}  // namespace epik::patterns
