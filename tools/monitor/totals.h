// SPDX-License-Identifier: BSD-3-Clause
// The figures of one scope at the front end: of the last interval, and of all notes that were read.
#ifndef EPIK_TOOLS_MONITOR_TOTALS_H_
#define EPIK_TOOLS_MONITOR_TOTALS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/scopes/description.h"
#include "tools/scopes/rows.h"

namespace epik::monitor {

using scopes::LastArrival;
using scopes::LinkKey;
using scopes::LinkRow;
using scopes::Part;
using scopes::StageRow;
using scopes::Summary;
using scopes::Work;
using scopes::WrapperKey;
using scopes::WrapperRow;

// A busy machine makes some messages late, and seems to show the time of a few calls even where the parent always comes
// after its child. So the time of a link is known if it is that of a tenth of its calls.
inline bool KnowsLatency(const LinkRow& link) {
  return link.latency.count != 0 && link.latency.count * 10 >= link.behind.count;
}

class Totals {
 public:
  explicit Totals(const scopes::Description& description) : description_(description) {}

  void Add(scopes::Rows rows) {
    by_job_ = by_job_ || !rows.computed.empty();
    for (const scopes::ComputedRow& row : rows.computed) wrappers_[row.calls.key] = row.calls;
    for (const WrapperRow& row : rows.wrappers) {
      if (by_job_) break;  // these calls were complete before the job computed all statistics
      WrapperRow& all = wrappers_[row.key];
      all.total.Merge(row.total);
      all.arrival.Merge(row.arrival);
      all.departure.Merge(row.departure);
    }
    for (const StageRow& row : rows.stages) {
      StageRow& all = stages_[row.key];
      all.down.Merge(row.down);
      all.onward.Merge(row.onward);
      all.up.Merge(row.up);
    }
    for (const LinkRow& row : rows.links) {
      LinkRow& all = links_[row.key];
      all.latency.Merge(row.latency);
      all.behind.Merge(row.behind);
      all.last += row.last;
    }
    gathered_ += rows.gathered;
    incomplete_ += rows.incomplete;
    unknown_ += rows.unknown;
    SetArrivals(rows.arrivals);
    now_ = std::move(rows);
  }

  const scopes::Description& description() const { return description_; }
  // The rows of the last interval.
  const scopes::Rows& now() const { return now_; }
  // The same, sorted by the time that they cost others, largest first.
  const std::vector<LastArrival>& arrivals() const { return arrivals_; }
  double ShareOf(const LastArrival& arrival) const {
    return static_cast<double>(arrival.count) / static_cast<double>(calls_.at({arrival.communicator, arrival.path}));
  }
  // Rows of the notes that the buffers had when the monitor came, and of all later ones; or since the program began if
  // the job computes them.
  const std::map<WrapperKey, WrapperRow>& wrappers() const { return wrappers_; }
  const std::map<WrapperKey, StageRow>& stages() const { return stages_; }
  const std::map<LinkKey, LinkRow>& links() const { return links_; }
  uint64_t gathered() const { return gathered_; }
  uint64_t incomplete() const { return incomplete_; }
  bool by_job() const { return by_job_; }
  uint64_t unknown() const { return unknown_; }

 private:
  // Merges rows of several stations for the same rank.
  void SetArrivals(const std::vector<LastArrival>& rows) {
    std::map<std::tuple<uint64_t, uint32_t, int32_t>, LastArrival> by_rank;
    calls_.clear();
    for (const LastArrival& row : rows) {
      LastArrival& one = by_rank
                             .try_emplace({row.communicator, row.path, row.rank},
                                          LastArrival{row.communicator, row.path, row.rank, 0, 0})
                             .first->second;
      one.count += row.count;
      one.late += row.late;
      calls_[{row.communicator, row.path}] += row.count;
    }
    arrivals_.clear();
    for (const auto& [key, arrival] : by_rank) arrivals_.push_back(arrival);
    std::stable_sort(arrivals_.begin(), arrivals_.end(),
                     [](const LastArrival& a, const LastArrival& b) { return a.late > b.late; });
  }

  scopes::Description description_;
  scopes::Rows now_;
  std::vector<LastArrival> arrivals_;
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> calls_;  // of the interval, by communicator and path
  std::map<WrapperKey, WrapperRow> wrappers_;
  std::map<WrapperKey, StageRow> stages_;
  std::map<LinkKey, LinkRow> links_;
  uint64_t gathered_ = 0, incomplete_ = 0, unknown_ = 0;
  bool by_job_ = false;
};

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_TOTALS_H_
