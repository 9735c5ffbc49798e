// SPDX-License-Identifier: BSD-3-Clause
// Cuts the time of a thread in a barrier by the events that it waited for.
#include <algorithm>

#include "analysis/replay/facts.h"

namespace epik::replay {

bool Gathering::KnowsAll() const {
  return std::all_of(members.begin(), members.end(), [](const Member& member) { return member.knows_enter; });
}

size_t Gathering::Last() const {
  const auto by_enter = [](const Member& a, const Member& b) { return a.enter < b.enter; };
  return static_cast<size_t>(std::max_element(members.begin(), members.end(), by_enter) - members.begin());
}

namespace {

using Why = TaskStretch::Why;

// Returns when the last task ended that another member ran in that time. If no task ended, the stretch ends at `from`.
TaskStretch LastEnd(const Gathering& barrier, size_t member, int64_t from, int64_t to) {
  TaskStretch last{Why::kEnded, kNone, from, from};
  for (size_t m = 0; m < barrier.members.size(); ++m) {
    if (m == member) continue;
    const std::vector<TaskRun>& tasks = barrier.members[m].tasks;
    const auto after = std::upper_bound(tasks.begin(), tasks.end(), to,
                                        [](int64_t until, const TaskRun& task) { return until < task.to; });
    if (after == tasks.begin() || std::prev(after)->ended <= last.to) continue;
    last.to = std::prev(after)->ended;
    last.whom = barrier.members[m].location;
  }
  return last;
}

}  // namespace

std::vector<TaskStretch> StretchesOf(const Gathering& barrier, size_t number) {
  const Gathering::Member& member = barrier.members[number];
  const Gathering::Member& last = barrier.members[barrier.Last()];
  std::vector<TaskStretch> stretches;
  int64_t from = member.enter;
  const auto take = [&](TaskStretch stretch) {
    stretch.from = from;
    if (stretch.to <= from) return;
    from = stretch.to;
    stretches.push_back(stretch);
  };
  const auto piece = [&](int64_t to, const TaskRun* next) {
    if (next != nullptr && next->creator != member.location && next->created <= to) {
      take({Why::kCreated, next->creator, 0, next->created});
    }
    if (next != nullptr && next->ready.by != member.location && next->ready.ns <= to) {
      take({Why::kEnded, next->ready.by, 0, next->ready.ns});
    }
    take({Why::kTeam, last.location, 0, std::min(to, last.enter)});
    if (to > from) take(LastEnd(barrier, number, from, to));
  };
  for (const TaskRun& task : member.tasks) {
    piece(std::min(task.from, member.leave), &task);
    from = std::max(from, task.to);
  }
  piece(member.leave, nullptr);
  return stretches;
}

}  // namespace epik::replay
