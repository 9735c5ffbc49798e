// SPDX-License-Identifier: BSD-3-Clause
// The meaning of a call path: the program's own work, or waiting; and the cost of measuring a visit of it in relation
// to that of a function.
#ifndef EPIK_ARCHIVE_PARTS_EVENT_KINDS_H_
#define EPIK_ARCHIVE_PARTS_EVENT_KINDS_H_

#include <array>
#include <cstddef>
#include <unordered_map>

#include "archive/image/process_image.h"
#include "runtime/event/layout.h"

namespace epik::archive {

// The kind of work that a node stands for.
enum class Doing : uint8_t {
  kCall,        // a function, a user region
  kWorkMpi,     // MPI_Wtime, MPI_Type_size: functions that need no other process
  kWaitMpi,     // the thread waits or communicates
  kWorkOpenMp,  // a construct that contains the user's code
  kWaitOpenMp,  // barriers, locks, idle threads
  kWait,        // threads wait for each other
  kOwn,         // the measurement's own region
  kNothing      // no call path
};

// Whether a node is a call path, and does not only hold values of one.
bool IsPath(const event::Node& node);

struct EventKind {
  Doing doing = Doing::kCall;
  double pairs = 1;  // archive/metrics/event_pairs.h
};

// Knows the kind of event of each call path of one process.
class EventKinds {
 public:
  explicit EventKinds(const ProcessImage& image);
  EventKind Of(const event::Node& node) const;

 private:
  std::array<EventKind, static_cast<size_t>(event::Construct::kLast) + 1> constructs_ = {};
  std::unordered_map<uint32_t, EventKind> regions_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_EVENT_KINDS_H_
