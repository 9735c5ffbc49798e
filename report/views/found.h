// SPDX-License-Identifier: BSD-3-Clause
// How findings of an analysis read.
#ifndef EPIK_REPORT_VIEWS_FOUND_H_
#define EPIK_REPORT_VIEWS_FOUND_H_

#include <string>
#include <vector>

#include "analysis/findings/findings.h"
#include "report/figures.h"
#include "view/terminal.h"

namespace epik::report {

std::string NameOf(const findings::Who& who);  // "rank:thread"

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
