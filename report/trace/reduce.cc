// SPDX-License-Identifier: BSD-3-Clause
#include "report/trace/reduce.h"

namespace epik::report {

void SayLeftOut(const TracePart& part, const LeftOut& what, std::vector<std::string>* notes) {
  const std::string limit = ", to stay within " + std::to_string(part.most_bytes) + " bytes";
  if (what.short_calls > 0) {
    notes->push_back("left out: " + std::to_string(what.short_calls) + " calls" +
                     (what.shortest == INT64_MAX ? "" : " shorter than " + std::to_string(what.shortest) + " ns") +
                     (what.shortest == part.shortest ? "" : limit));
  }
  if (what.beyond > 0) notes->push_back("left out: " + std::to_string(what.beyond) + " events" + limit);
  if (what.unmatched > 0) {
    notes->push_back("without an arrow: " + std::to_string(what.unmatched) +
                     " sends and receives whose other end is not here");
  }
}

}  // namespace epik::report
