// SPDX-License-Identifier: BSD-3-Clause
// The page, and all that goes into it beside the profile.
#ifndef EPIK_REPORT_HTML_EXTRAS_H_
#define EPIK_REPORT_HTML_EXTRAS_H_

#include <cstddef>
#include <functional>
#include <string>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"

namespace epik::report {

inline constexpr char kHtmlTemplate[] = "report.html";  // in share/epik
inline constexpr char kHtmlDataMark[] = "EPIK-DATA-HERE";
inline constexpr size_t kHtmlMost = 5'000'000;  // bytes that a report should not exceed

struct HtmlExtras {
  std::string page;           // the bundle: text of kHtmlTemplate
  std::string communication;  // text of the archive's communication.csv; empty: none
  size_t most = kHtmlMost;
  std::string timeline = {};    // a drawing of the trace (docs/formats.md); empty: none
  std::string analysis = {};    // what epk analyze found (analysis.h); empty: nothing
  std::string prediction = {};  // what epk predict found: the object of its JSON; empty: nothing
  bool asks_server = false;     // the page asks whoever served it for the timeline: `epk view`
  // Is told what is being done now, where it may take a while.
  std::function<void(const std::string&)> progress = {};
};

// Another run, with which the page compares the profile.
struct HtmlBase {
  const epitome::Profile* profile = nullptr;
  const archive::Manifest* manifest = nullptr;
};

}  // namespace epik::report

#endif  // EPIK_REPORT_HTML_EXTRAS_H_
