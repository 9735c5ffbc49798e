// SPDX-License-Identifier: BSD-3-Clause
// Traces written as text, for tests: a line for each thread, its events between bars.
//
//   0: 0 > main | 10 > MPI_Send | 11 send 1 5 w 8 | 20 < | 90 <
//   1: 0 > main | 5 > MPI_Recv | 21 receive 0 5 w 8 | 22 < | 90 <
//
// "RANK:" or "RANK.THREAD:", then TIME and the event: "> region", "<", or a record of records.def by its name with '_'
// for blanks, and its fields. A communicator is w (world), s (MPI_COMM_SELF), or the number that Script::Group gave; an
// operation is its region's name. Window 0 is one of all processes. Time is in nanoseconds.
#ifndef EPIK_ANALYSIS_REPLAY_TEST_SCRIPT_H_
#define EPIK_ANALYSIS_REPLAY_TEST_SCRIPT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/replay/source.h"
#include "analysis/replay/world.h"

namespace epik::replay {

class Script {
 public:
  explicit Script(int ranks);

  // Adds another communicator; it has two groups when `remote` is given. Returns its number.
  uint32_t Group(std::vector<int32_t> ranks, std::vector<int32_t> remote = {});
  void Add(const std::string& text);
  void Partial(int rank) { partial_[rank] = true; }
  // All processes end at this time. Otherwise, each thread's last event is its end.
  void End(uint64_t ticks) { end_ticks_ = ticks; }
  // The trace has windows of this call path.
  void Window(const std::string& path) { window_ = path; }

  // Call it after the last Add.
  const World& world() {
    Build();
    return world_;
  }
  std::vector<std::unique_ptr<EventSource>> Sources() const;
  std::string PathName(uint32_t path) const { return path < paths_.size() ? paths_[path] : "?"; }

 private:
  void AddEvent(int rank, int thread, const std::string& part, std::vector<archive::Event>* events);
  uint64_t Field(std::string_view kind, const std::string& word);
  uint64_t RegionOf(const std::string& name);
  uint32_t PathOf(uint32_t parent, const std::string& region);
  void Build();

  World world_;
  std::map<std::pair<int, int>, std::vector<archive::Event>> events_;  // by rank and thread
  std::map<std::pair<int, int>, std::vector<uint32_t>> stacks_;
  std::map<std::string, uint32_t> path_of_;
  std::vector<std::string> paths_, regions_;
  std::vector<Operation> operations_;
  std::map<int, bool> partial_;
  std::string window_;
  uint64_t end_ticks_ = 0;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_TEST_SCRIPT_H_
