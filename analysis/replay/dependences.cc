// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/dependences.h"

#include <algorithm>

namespace epik::replay {

namespace {

enum : uint64_t { kIn = 1, kInOutSet = 4 };
bool RunTogether(uint64_t how) { return how == kIn || how == kInOutSet; }

}  // namespace

void Dependences::Add(uint64_t creator, uint64_t task, uint64_t object, uint64_t how) {
  if (objects_.size() >= prune_at_) Prune();
  Object& known = objects_[{creator, object}];
  Task& mine = tasks_[task];
  const bool joins = known.now != nullptr && known.now->how == how && RunTogether(how);
  const bool names_it_again =
      known.now != nullptr && std::find(mine.in.begin(), mine.in.end(), known.now) != mine.in.end();
  if (names_it_again && joins) return;
  if (names_it_again) {
    known.now->how = 0;  // in and out at the same time: for others, it is both
    return;
  }
  if (!joins) {
    known.before = std::move(known.now);
    known.now = std::make_shared<Group>();
    known.now->how = how;
  }
  ++known.now->open;
  mine.in.push_back(known.now);
  if (known.before != nullptr) mine.needs.push_back(known.before);
}

std::vector<TaskReady> Dependences::Of(uint64_t task) const {
  std::vector<TaskReady> needs;
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return needs;
  for (const auto& group : found->second.needs) {
    for (const TaskReady& end : group->ended) KeepLast(&needs, end);
  }
  return needs;
}

void Dependences::End(uint64_t task, int64_t ns, uint32_t location) {
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  for (const auto& group : found->second.in) {
    --group->open;
    KeepLast(&group->ended, {ns, location});
  }
  tasks_.erase(found);
}

// Forgets objects whose tasks have all ended: the next task that names them need not wait.
void Dependences::Prune() {
  std::erase_if(objects_, [](const auto& object) { return object.second.now->open == 0; });
  prune_at_ = std::max<size_t>(1 << 12, 2 * objects_.size());
}

}  // namespace epik::replay
