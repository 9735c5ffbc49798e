// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "report/views/found.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/text.h"

namespace epik::report {

namespace {

constexpr double kMatters = 0.02;  // of the run

}  // namespace

std::string SlowLinksInWords(const findings::Findings& found, size_t most, const std::string& label,
                             const view::Terminal& terminal) {
  const double run = found.critical.end_s - found.critical.begin_s;
  std::string text;
  size_t said = 0;
  for (const findings::Link& link : found.links) {
    if (link.lost_s < kMatters * run || said == most) break;
    const auto time = [&](double seconds) { return view::Seconds(seconds, terminal.unicode); };
    text += view::Labelled(said++ == 0 ? label : "",
                           "rank " + std::to_string(link.from) + " to rank " + std::to_string(link.to) +
                               ": a message of " + view::Bytes(static_cast<double>(link.bytes)) + " takes " +
                               time(link.seconds) + ", and " + time(link.usual_s) + " between others; " +
                               time(link.lost_s) + " lost by " + view::Plural(link.messages, "message") +
                               ". Look at this connection, or place the ranks elsewhere.",
                           terminal.width);
  }
  return text;
}

}  // namespace epik::report
