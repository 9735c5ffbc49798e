// SPDX-License-Identifier: BSD-3-Clause
// The events of a stream in the order that readers of OTF2 expect: fork, team begin, enter parallel … leave parallel,
// team end, join; task switch, enter task … leave task, task complete; thread begin … thread end around a thread. EPIK
// records them in the order of the runtime's callbacks, where the calls lie outside. The times of calls stay, and the
// records move to them.
#ifndef EPIK_ARCHIVE_OTF2_OPENMP_ORDER_H_
#define EPIK_ARCHIVE_OTF2_OPENMP_ORDER_H_

#include <optional>
#include <utility>
#include <vector>

#include "archive/trace/walk.h"

namespace epik::archive {

class OpenMpOrder : public TraceVisitor {
 public:
  // `to` must live as long as this object. Serves one stream, of a process of the archive.
  OpenMpOrder(const TraceArchive& archive, TraceVisitor* to) : archive_(archive), to_(*to) {}

  void Enter(uint32_t stream, int64_t ns, const Frame& frame) override;
  void Leave(uint32_t stream, int64_t ns, const Frame& frame) override;
  void Record(uint32_t stream, int64_t ns, const Event& event) override;

 private:
  enum class Kind : uint8_t { kOther, kParallel, kTask, kIdle, kThread };
  struct Open {
    Kind kind;
    std::vector<Event> behind;  // records that follow the leave of the frame
  };

  Kind KindOf(const Frame& frame) const;
  void Release(uint32_t stream);  // writes the held call, with the records before it

  const TraceArchive& archive_;
  TraceVisitor& to_;
  std::vector<Open> open_;
  std::optional<std::pair<int64_t, Frame>> held_;  // a parallel region, task or thread that was just entered
  std::vector<Event> before_;                      // records that come before it
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_OTF2_OPENMP_ORDER_H_
