// SPDX-License-Identifier: BSD-3-Clause
// The page, and its content beside the profile.
#ifndef EPIK_REPORT_HTML_EXTRAS_H_
#define EPIK_REPORT_HTML_EXTRAS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"

namespace epik::findings {
struct Findings;
}

namespace epik::report {

inline constexpr char kHtmlTemplate[] = "report.html";  // in share/epik
inline constexpr char kHtmlDataMark[] = "EPIK-DATA-HERE";
inline constexpr size_t kHtmlMost = 5'000'000;  // in bytes; a report should not be larger

struct HtmlExtras {
  std::string page;           // the bundle: text of kHtmlTemplate
  std::string communication;  // text of the archive's communication.csv; empty: none
  size_t most = kHtmlMost;
  std::string timeline = {};                     // a drawing of the trace (docs/formats.md); empty: none
  std::string analysis = {};                     // the results of epk analyze (analysis.h); empty: none
  const findings::Findings* findings = nullptr;  // what these results tell beside a profile; null: none
  std::string prediction = {};                   // the results of epk predict: the object of its JSON; empty: none
  bool asks_server = false;  // the page asks the server that it came from for the timeline: `epk view`
  // The run that is compared has, for each of its call paths, the number of the same one in the page's profile here;
  // archive::kNone where that profile lacks it.
  std::vector<uint32_t> same = {};
  // Called with the name of a step that may take a while.
  std::function<void(const std::string&)> progress = {};
};

// The run with which the page compares the profile.
struct HtmlBase {
  const archive::Profile* profile = nullptr;
  const archive::Manifest* manifest = nullptr;
};

}  // namespace epik::report

#endif  // EPIK_REPORT_HTML_EXTRAS_H_
