// SPDX-License-Identifier: BSD-3-Clause
// The largest costs of running in parallel, each with its function and the place to look at.
#ifndef EPIK_REPORT_VIEWS_BOTTLENECKS_H_
#define EPIK_REPORT_VIEWS_BOTTLENECKS_H_

#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "report/figures.h"

namespace epik::report {

struct Bottleneck {
  enum class Kind : unsigned char { kUneven, kAlone, kFirstThreads, kExclusion, kPolling, kIo, kOversubscribed };

  Kind kind = Kind::kUneven;
  double seconds = 0;              // the most run time that it costs
  std::string text;                // a sentence
  size_t title = 0;                // so many of its bytes name the finding; the rest tells more
  uint32_t path = archive::kNone;  // the call path to look at
};

// " of push", ", mostly of push": the function that calls the region most of the time, such as that of a lock or of
// MPI, whose name gives no place. Empty if no function does, and for constructs, which have a line in their names.
std::string CallerOf(const Figures& figures, uint32_t region, bool unicode);

// The bottlenecks that matter, the costliest first.
std::vector<Bottleneck> FindBottlenecks(const Figures& figures, const archive::Manifest& manifest, bool unicode);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_BOTTLENECKS_H_
