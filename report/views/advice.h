// SPDX-License-Identifier: BSD-3-Clause
// The next steps: rules on a profile and its manifest.
#ifndef EPIK_REPORT_VIEWS_ADVICE_H_
#define EPIK_REPORT_VIEWS_ADVICE_H_

#include <string>
#include <string_view>
#include <vector>

#include "archive/files/manifest.h"
#include "report/figures.h"

namespace epik::findings {
struct Findings;
}

namespace epik::report {

inline constexpr double kMuchCost = 10;  // percent of the time; above, the measurement distorts its own results

// A sentence, and the finding in it.
struct Advice {
  enum class Level : unsigned char { kBad, kWarning };

  Level level = Level::kWarning;
  std::string title, rest = {};    // of the sentence: the finding, and what tells more
  uint32_t path = archive::kNone;  // the call path to look at
};

// The most important findings, at most `most`, for those who have other ways than options to see more. `found` may be
// null; otherwise it is the result of `epk analyze`.
std::vector<Advice> AdviseWithoutOptions(const Figures& figures, const archive::Manifest& manifest,
                                         const findings::Findings* found, size_t most);

// Returns the one or two most important sentences for the end of a view. If the view has a
// next step of its own, `next` tells it. `found` is as above.
std::vector<std::string> Advise(const Figures& figures, const archive::Manifest& manifest,
                                const findings::Findings* found, std::string_view view, const std::string& next,
                                bool unicode = true);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_ADVICE_H_
