// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/cost_text.h"

#include <algorithm>
#include <cstdio>

namespace epik::archive {
namespace {

// A bracket this narrow is not worth a word; one this wide says that the figure in it says nothing.
constexpr double kNarrow = 1.1, kTooWide = 2;
constexpr double kNoticed = 0.001;  // s

std::string Percent(double share) {
  char text[32];
  if (share < 0.1) return "less than 0.1 %";
  std::snprintf(text, sizeof text, share < 10 ? "%.1f %%" : "%.0f %%", share);
  return text;
}

}  // namespace

std::string CostInWords(const Manifest& m, const SecondsText& seconds) {
  std::string text = seconds(m.cost_seconds);
  if (m.cpu_seconds <= 0) return text;
  return text + " of CPU time, " + Percent(m.cost_percent) + " of the program's " + seconds(m.cpu_seconds);
}

std::string WithoutItInWords(const Manifest& m, const SecondsText& seconds) {
  if (m.cpu_seconds <= 0 || m.wall_seconds <= 0) return "";
  std::string text = "without it about " + seconds(m.cpu_without_seconds) + " of CPU time";
  const double most_cpu = std::min(m.cpu_without_seconds + m.cost_error_seconds, m.cpu_seconds);
  if (most_cpu > kTooWide * m.cpu_without_seconds) text += " (at most " + seconds(most_cpu) + ")";
  const double least = m.wall_without_least_seconds, most = m.wall_without_most_seconds;
  const bool many = m.ranks > 1 || m.threads > 1, wide = most > kTooWide * least && most - least > kNoticed;
  const std::string bracket = seconds(least) + " to " + seconds(most);
  // Who waits for whom is not in a profile.
  if (many && wide) return text + "; the wall time without it cannot be told: " + bracket;
  text += ", " + seconds(m.wall_without_seconds) + " wall";
  return most > kNarrow * least && most - least > kNoticed ? text + " (" + bracket + ")" : text;
}

std::string OversubscribedInWords(const Manifest& m) {
  constexpr double kMuch = 0.1;
  const double ready = m.cpu_seconds + m.queued_seconds;
  if (ready <= 0 || m.queued_seconds < kMuch * ready) return "";
  char text[160];
  std::snprintf(text, sizeof text,
                "the machine was oversubscribed: of the time threads were ready to run, others had the processors for "
                "%.0f %%; wall times say little",
                100 * m.queued_seconds / ready);
  return text;
}

}  // namespace epik::archive
