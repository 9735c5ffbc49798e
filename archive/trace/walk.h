// SPDX-License-Identifier: BSD-3-Clause
// Walks a part of a trace for a writer: calls are whole (a call that is open at the beginning of the part is entered
// there, a call that is open at the end is left there), and messages come with both ends.
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
  int64_t shortest = 0;     // shorter calls are left out, by formats that can do so
  uint64_t most_bytes = 0;  // the most output, for formats with viewers that cannot read more; 0: no limit
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
  // Every record that is not an enter or exit, records of messages included.
  virtual void Record(uint32_t /*stream*/, int64_t /*ns*/, const epilog::Event& /*event*/) {}
  // Called at the second end of a message, or later, when it is known which receive it went to. Both ends are in the
  // part.
  virtual void Message(const archive::Message& /*message*/) {}
};

struct WalkResult {
  uint64_t unmatched = 0;  // sends and receives whose other end is not in the part
  std::vector<std::string> problems;
};

// Visits events in order of time, except calls that are entered at `from` and left at the end. Memory: one block for
// each stream, and the messages that wait for their other end.
WalkResult Walk(const TracePart& part, TraceVisitor* visitor);

// The time of the first event, the end of the last process, the number of events. None of these reads events.
int64_t FirstNs(const TracePart& part);
int64_t LastNs(const TracePart& part);
uint64_t CountEvents(const TracePart& part);

// The name of the region that was entered; "(folded)" when its call path was not recorded.
std::string_view NameOf(const TracePart& part, uint32_t stream, const Frame& frame);
// The rank of a stream.
int32_t RankOf(const TracePart& part, uint32_t stream);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_WALK_H_
