// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "report/views/found.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/text.h"

namespace epik::report {

namespace {

constexpr double kLeastOfRun = 0.02;        // of the run
constexpr double kWithoutProcessor = 0.02;  // seconds for which other threads may have it
constexpr size_t kMostSenders = 4;
constexpr const char* kTogether =
    "These messages come together in the same calls, and the trace cannot tell which is late. ";

// "rank 1", or "rank 1 or 3"
std::string Senders(const findings::Link& link) {
  std::string text = "rank " + std::to_string(link.from);
  const size_t others = link.or_from.size();
  if (others >= kMostSenders) return text + " or one of " + std::to_string(others) + " others";
  for (size_t i = 0; i < others; ++i) text += (i + 1 == others ? " or " : ", ") + std::to_string(link.or_from[i]);
  return text;
}

}  // namespace

std::vector<SlowLink> SlowLinksThatMatter(const findings::Findings& found, bool oversubscribed, bool unicode) {
  const double run = found.critical.end_s - found.critical.begin_s;
  const auto time = [&](double seconds) { return view::Seconds(seconds, unicode); };
  std::vector<SlowLink> links;
  for (const findings::Link& link : found.links) {
    if (link.lost_s < kLeastOfRun * run) break;
    if (oversubscribed && link.seconds < kWithoutProcessor) continue;
    const std::string between =
        link.or_back ? "between rank " + std::to_string(link.from) + " and rank " + std::to_string(link.to)
                     : Senders(link) + " to rank " + std::to_string(link.to);
    links.push_back({link.lost_s, between + ": a message of " + view::Bytes(static_cast<double>(link.bytes)) +
                                      " takes " + time(link.seconds) + ", and " + time(link.usual_s) +
                                      " between others; " + time(link.lost_s) + " lost by " +
                                      view::Plural(link.messages, "message") + ". " +
                                      (link.or_from.empty() && !link.or_back ? "" : kTogether) +
                                      "Look at this connection, or place the ranks elsewhere."});
  }
  return links;
}

std::string SlowLinksInWords(const findings::Findings& found, bool oversubscribed, size_t most,
                             const std::string& label, const view::Terminal& terminal) {
  std::string text;
  size_t said = 0;
  for (const SlowLink& link : SlowLinksThatMatter(found, oversubscribed, terminal.unicode)) {
    if (said == most) break;
    text += view::Labelled(said++ == 0 ? label : "", link.text, terminal.width);
  }
  return text;
}

}  // namespace epik::report
