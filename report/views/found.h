// SPDX-License-Identifier: BSD-3-Clause
// How findings of an analysis read.
#ifndef EPIK_REPORT_VIEWS_FOUND_H_
#define EPIK_REPORT_VIEWS_FOUND_H_

#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/findings.h"
#include "analysis/patterns/patterns.h"
#include "report/figures.h"
#include "report/views/views.h"
#include "view/terminal.h"

namespace epik::report {

std::string NameOf(const findings::Who& who);  // "rank:thread"

// The wait state of that unique name, and the one that contains another one; null: none.
const patterns::PatternInfo* InfoOf(std::string_view pattern);
const patterns::PatternInfo* WholeOf(const patterns::PatternInfo& part);

// The name of a wait state for people. Analyses of earlier versions have none: then the kind of its cause has a name.
std::string WaitStateInWords(const std::string& pattern, const std::string& kind);

// Some rows of a table count in others, too: "Messages in Wrong Order is a part of Late Sender." `column` has the
// names.
std::string PartsInWords(const Sheet& table, size_t column, const view::Terminal& terminal);

// Says where the times of calls come from that the trace lacks.
std::string EstimateInWords(const view::Terminal& terminal);

// "label    41.2 ms: rank 3 waits in …", a line for each chain, 0: all.
std::string ChainsInWords(const findings::Findings& found, size_t most, const std::string& label,
                          const view::Terminal& terminal);

// How many of the largest chains, `most` at most, cause more than a trifle of all waiting; at least one.
size_t ChainsThatMatter(const findings::Findings& found, size_t most);

// The same of the longest waits, without those that are a trifle beside the longest one.
std::string InstancesInWords(const Figures& figures, const findings::Findings& found, size_t most,
                             const std::string& label, const view::Terminal& terminal);

// The slow links that cost something, the costliest first: "rank 1 to rank 2: a message of 1.0 MiB takes 12 ms …"
struct SlowLink {
  double lost_s;
  std::string text;
};
// In an oversubscribed run, a message is slow only if it takes longer than its receiver may be without a processor.
std::vector<SlowLink> SlowLinksThatMatter(const findings::Findings& found, bool oversubscribed, bool unicode);

// "label    rank 1 to rank 2: 1.0 MiB takes 12 ms, and 2 ms elsewhere …", a line for each slow link that matters.
std::string SlowLinksInWords(const findings::Findings& found, bool oversubscribed, size_t most,
                             const std::string& label, const view::Terminal& terminal);

// All waiting over the run in one line; "" where that is not known.
std::string WaitingInWords(const findings::Findings& found, const std::string& label, const view::Terminal& terminal);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_FOUND_H_
