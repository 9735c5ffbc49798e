// SPDX-License-Identifier: BSD-3-Clause
// Follows `depend` clauses: which tasks must have ended before another task of the same creator may begin. Tasks that
// name an object in the same way are a group, if this way lets them run together. A task needs the group before its
// own.
#ifndef EPIK_ANALYSIS_REPLAY_DEPENDENCES_H_
#define EPIK_ANALYSIS_REPLAY_DEPENDENCES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/replay/facts.h"

namespace epik::replay {

// Knows the tasks of one process. REQUIRES: calls come in the order of time.
class Dependences {
 public:
  // `how` has the values of the record: 1 in, 2 out or inout, 3 mutexinoutset, 4 inoutset.
  void Add(uint64_t creator, uint64_t task, uint64_t object, uint64_t how);
  // Returns, for each location that ran tasks that this task needs, their last end. REQUIRES: the task begins now, or
  // has begun after the tasks that it needs have ended.
  std::vector<TaskReady> Of(uint64_t task) const;
  void End(uint64_t task, int64_t ns, uint32_t location);

 private:
  struct Group {
    uint64_t how = 0;
    uint32_t open = 0;             // tasks that have not ended
    std::vector<TaskReady> ended;  // the last end on each location
  };
  struct Object {
    std::shared_ptr<Group> now, before;
  };
  struct Task {
    std::vector<std::shared_ptr<Group>> in, needs;
  };
  void Prune();

  std::map<std::pair<uint64_t, uint64_t>, Object> objects_;  // by creator and address
  size_t prune_at_ = 1 << 12;
  std::unordered_map<uint64_t, Task> tasks_;  // that have not ended
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_DEPENDENCES_H_
