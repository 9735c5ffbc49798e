// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/cost_text.h"

#include <algorithm>

#include "view/number.h"

namespace epik::archive {
namespace {

// A narrower bracket is not mentioned; with a wider one, the figure in it means nothing.
constexpr double kNarrow = Manifest::kNarrow, kTooWide = 2;
constexpr double kNoticed = Manifest::kNoticed;

// Prices of visits add up to much more than the CPU time: so they are too high, and nobody knows by how much.
bool PricesAreTooHigh(const Manifest& m) { return m.cost_by_prices_seconds > kNarrow * m.cpu_seconds; }

}  // namespace

std::string CostInWords(const Manifest& m, bool unicode) {
  const std::string text = view::Seconds(m.cost_seconds, unicode);
  if (m.cpu_seconds <= 0) return text;
  if (!m.IsCpuBracket() && PricesAreTooHigh(m) && m.cost_least_seconds >= 0) {
    return view::Seconds(m.cost_least_seconds, unicode) + " to " + text + " of CPU time, " +
           view::Share(m.cost_least_seconds / m.cpu_seconds) + " to " + view::Share(m.cost_percent / 100) +
           " of the program's " + view::Seconds(m.cpu_seconds, unicode);
  }
  const std::string share = view::Share(m.cost_percent / 100), time = view::Seconds(m.cpu_seconds, unicode);
  if (!m.IsCpuBracket()) return text + " of CPU time, " + share + " of the program's " + time;
  const std::string least = view::Share(m.cost_seconds / m.cpu_most_seconds);
  return text + " of CPU time, " + (least == share ? share : least + " to " + share) + " of the program's " + time +
         " to " + view::Seconds(m.cpu_most_seconds, unicode);
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
  const double most = std::max(m.cpu_most_seconds, m.cpu_seconds);
  const double most_cpu = std::min(std::max(most - cost_least, m.cpu_without_seconds), most);
  if (m.IsCpuBracket() || most_cpu > kTooWide * m.cpu_without_seconds) text += " (at most " + seconds(most_cpu) + ")";
  const double least = m.wall_without_least_seconds, longest = m.wall_without_most_seconds;
  if (!m.IsCpuBracket() && PricesAreTooHigh(m)) {
    return "without it at most " + seconds(most_cpu) + " of CPU time, " + seconds(longest) + " wall";
  }
  const bool many = m.ranks > 1 || m.threads > 1, wide = longest > kTooWide * least && longest - least > kNoticed;
  const std::string bracket = seconds(least) + " to " + seconds(longest);
  // A profile does not tell which thread waits for which.
  if (many && wide) return text + "; the wall time without it cannot be told: " + bracket;
  text += ", " + seconds(m.wall_without_seconds) + " wall";
  return longest > kNarrow * least && longest - least > kNoticed ? text + " (" + bracket + ")" : text;
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
