// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/cost_text.h"

#include <algorithm>

#include "view/number.h"

namespace epik::archive {
namespace {

// A narrower bracket is not mentioned; with a wider one, the figure in it means nothing.
constexpr double kNarrow = 1.1, kTooWide = 2;
constexpr double kNoticed = 0.001;  // s

}  // namespace

std::string CostInWords(const Manifest& m, bool unicode) {
  const std::string text = view::Seconds(m.cost_seconds, unicode);
  if (m.cpu_seconds <= 0) return text;
  return text + " of CPU time, " + view::Share(m.cost_percent / 100) + " of the program's " +
         view::Seconds(m.cpu_seconds, unicode);
}

std::string OwnWorkInWords(const Manifest& m) {
  const std::string flushes = m.trace.flushes != 0 ? "flushes of the trace" : "";
  const std::string computing = m.computed_in_run.empty() ? "" : "computing " + m.computed_in_run;
  if (flushes.empty() && computing.empty()) return "starting";
  if (flushes.empty() || computing.empty()) return "starting and " + flushes + computing;
  return "starting, " + flushes + " and " + computing;
}

std::string WithoutItInWords(const Manifest& m, bool unicode) {
  if (m.cpu_seconds <= 0 || m.wall_seconds <= 0) return "";
  const auto seconds = [unicode](double s) { return view::Seconds(s, unicode); };
  std::string text = "without it about " + seconds(m.cpu_without_seconds) + " of CPU time";
  const double cost_least = m.cost_least_seconds >= 0 ? m.cost_least_seconds : m.cost_seconds - m.cost_error_seconds;
  const double most_cpu = std::min(std::max(m.cpu_seconds - cost_least, m.cpu_without_seconds), m.cpu_seconds);
  if (most_cpu > kTooWide * m.cpu_without_seconds) text += " (at most " + seconds(most_cpu) + ")";
  const double least = m.wall_without_least_seconds, most = m.wall_without_most_seconds;
  const bool many = m.ranks > 1 || m.threads > 1, wide = most > kTooWide * least && most - least > kNoticed;
  const std::string bracket = seconds(least) + " to " + seconds(most);
  // A profile does not tell which thread waits for which.
  if (many && wide) return text + "; the wall time without it cannot be told: " + bracket;
  text += ", " + seconds(m.wall_without_seconds) + " wall";
  return most > kNarrow * least && most - least > kNoticed ? text + " (" + bracket + ")" : text;
}

bool IsOversubscribed(const Manifest& m) {
  constexpr double kMuch = 0.1, kNoteworthy = 0.01;  // s: a shorter wait explains nothing
  return m.queued_seconds >= kNoteworthy && m.QueuedShare() >= kMuch;
}

std::string OversubscribedInWords(const Manifest& m) {
  if (!IsOversubscribed(m)) return "";
  return "the machine was oversubscribed: of the time threads were ready to run, others had the processors for " +
         view::Share(m.QueuedShare()) + "; wall times say little";
}

}  // namespace epik::archive
