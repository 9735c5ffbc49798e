// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/scope.h"

#include <utility>

namespace epik::scopes {

namespace {

template <class Row>
void Append(const std::vector<Row>& more, std::vector<Row>* rows) {
  rows->insert(rows->end(), more.begin(), more.end());
}

// If rows are requested too rarely, the oldest parts are dropped and counted.
constexpr size_t kMostParts = 1 << 20;

}  // namespace

void Scope::Add(const Part& part, const std::vector<LinkNote>& links, bool names_match) {
  if (!names_match || !FiguresMatch(description_, part)) return;
  if (description_.source == Source::kLinks) return links_.Add(part, links);
  if (description_.source != Source::kCalls) return;
  if (uses_computed_) {
    return gatherer_.Add(Meeting{part.communicator, part.sequence, 1, part.rank, part.path, part.entered, 0});
  }
  if (description_.reduce != Reduce::kNone) return gatherer_.Add(part);
  if (rows_.parts.size() == kMostParts) {
    rows_.incomplete += rows_.parts.size() / 2;
    rows_.parts.erase(rows_.parts.begin(), rows_.parts.begin() + kMostParts / 2);
  }
  rows_.parts.push_back(part);
}

void Scope::Add(int process, const Work& work, const StandingRow& standing) {
  Worker& worker = workers_[process];
  worker.work.Follow(work);
  worker.standing = standing;
}

void Scope::Add(const Rows& rows) {
  if (description_.reduce == Reduce::kNone) {
    Append(rows.parts, &rows_.parts);
  } else {
    for (const Part& part : rows.parts) gatherer_.Add(part);
  }
  for (const Meeting& meeting : rows.meetings) gatherer_.Add(meeting);
  for (const HalfLink& half : rows.halves) links_.Add(half);
  for (const StandingRow& row : rows.standing) standings_.Add(row);
  Append(rows.arrivals, &rows_.arrivals);
  Append(rows.wrappers, &rows_.wrappers);
  Append(rows.computed, &rows_.computed);
  Append(rows.stages, &rows_.stages);
  Append(rows.links, &rows_.links);
  rows_.work.Merge(rows.work);
  rows_.waited += rows.waited;
  rows_.gathered += rows.gathered;
  rows_.incomplete += rows.incomplete;
  rows_.unknown += rows.unknown;
}

Rows Scope::Take(bool at_root) {
  for (const auto& [process, worker] : std::exchange(workers_, {})) {
    rows_.work.Merge(worker.work);
    if (worker.standing.count != 0) standings_.Add(worker.standing);
  }
  Rows rows = std::exchange(rows_, {});
  gatherer_.Take(&rows);
  links_.Take(&rows);
  standings_.Take(&rows.standing);
  if (at_root) return rows;
  gatherer_.TakeOpen(&rows);
  links_.TakeOpen(&rows);
  return rows;
}

}  // namespace epik::scopes
