// SPDX-License-Identifier: BSD-3-Clause
// Walks a part of a trace for a writer. Calls are whole: a call that is open at the begin of the part is entered there,
// and a call that is open at its end is left there. Messages come with both ends.
#ifndef EPIK_ARCHIVE_TRACE_WALK_H_
#define EPIK_ARCHIVE_TRACE_WALK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/trace/messages.h"
#include "archive/trace/trace_archive.h"

namespace epik::archive {

// A part of a trace. Times are nanoseconds since the job began.
struct TracePart {
  const TraceArchive* archive = nullptr;
  std::vector<uint32_t> streams;  // indices into the archive's streams
  int64_t from = INT64_MIN, to = INT64_MAX;
  int64_t shortest = 0;     // formats that can do so leave out shorter calls
  uint64_t most_bytes = 0;  // limit of the output, for formats whose viewers cannot read more; 0: no limit
};

struct Frame {
  uint32_t node;       // in its process
  uint32_t call_path;  // in the definitions; kNone: none
  int64_t begin;
};

class TraceVisitor {
 public:
  virtual ~TraceVisitor() = default;
  virtual void Enter(uint32_t /*stream*/, int64_t /*ns*/, const Frame& /*frame*/) {}
  virtual void Leave(uint32_t /*stream*/, int64_t /*ns*/, const Frame& /*frame*/) {}
  // Takes each record that is not an enter or exit, including the records of messages.
  virtual void Record(uint32_t /*stream*/, int64_t /*ns*/, const Event& /*event*/) {}
  // Takes a message, at its second end or later, when its receive is known. Both ends are in the part.
  virtual void Message(const archive::Message& /*message*/) {}
};

struct WalkResult {
  uint64_t unmatched = 0;  // sends and receives without their other end in the part
  std::vector<std::string> problems;
};

// Visits events in order of time, except that open calls are entered at `from` and left at the end. Memory: one block
// for each stream, and the messages that wait for their other end.
WalkResult Walk(const TracePart& part, TraceVisitor* visitor);

// The time of the first event, the end of the last process, and the number of events. These functions read no events.
int64_t FirstNs(const TracePart& part);
int64_t LastNs(const TracePart& part);
uint64_t CountEvents(const TracePart& part);

// The name of the region that was entered; "(folded)" when its call path was not recorded.
std::string_view NameOf(const TracePart& part, uint32_t stream, const Frame& frame);
// The rank of a stream.
int32_t RankOf(const TracePart& part, uint32_t stream);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_WALK_H_
