// SPDX-License-Identifier: BSD-3-Clause
// A program's runs over time, as `epk history` shows them.
#ifndef EPIK_REPORT_HISTORY_SHOW_H_
#define EPIK_REPORT_HISTORY_SHOW_H_

#include <string>

#include "analysis/history/history.h"
#include "report/sink.h"
#include "view/terminal.h"

namespace epik::report {

void ShowHistoryText(const analysis::History& history, const view::Terminal& terminal, const Sink& sink);
// Shows all figures, unrounded: docs/algebra.md.
void ShowHistoryJson(const analysis::History& history, const Sink& sink);
// One page without scripts: a curve for each figure, and the runs.
void ShowHistoryHtml(const analysis::History& history, const Sink& sink);

namespace internal {

std::string Value(const analysis::Figure& figure, double value);   // "1.23 s", "87.1 %", "-"
std::string Change(double before, double after);                   // "+5.3 %"
std::string ShortRevision(const std::string& revision);            // 8 digits, or "-"
std::string Day(const std::string& started);                       // "2026-11-22 10:00"
std::string When(const analysis::HistoryRun& run);                 // the revision, if there is one, and the day
std::string SizeOf(const analysis::Series& series, bool unicode);  // "4 ranks × 2 threads"
std::string RunsIn(const analysis::Series& series);                // "1 run"
// Why computation may be more than CPU time; "" where no run was on an oversubscribed machine.
std::string WhyMoreThanCpuTime(const analysis::History& history);

}  // namespace internal
}  // namespace epik::report

#endif  // EPIK_REPORT_HISTORY_SHOW_H_
