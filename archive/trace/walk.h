// SPDX-License-Identifier: BSD-3-Clause
// What every writer of traces needs: the events of a part of a trace, with calls that are whole (those open at its
// beginning are entered there, those open at its end left there), and messages with both their ends.
#ifndef EPIK_ARCHIVE_TRACE_WALK_H_
#define EPIK_ARCHIVE_TRACE_WALK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/trace/messages.h"
#include "archive/trace/trace_archive.h"

namespace epik::report {

// A part of a trace. Times are nanoseconds since the job began.
struct TracePart {
  const archive::TraceArchive* archive = nullptr;
  std::vector<uint32_t> streams;  // of the archive's
  int64_t from = INT64_MIN, to = INT64_MAX;
  int64_t shortest = 0;     // calls that took less are left out, by formats that can
  uint64_t most_bytes = 0;  // of output, by formats that are read by viewers; 0: any
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
  // All that is no enter or exit, those of messages as well.
  virtual void Record(uint32_t /*stream*/, int64_t /*ns*/, const epilog::Event& /*event*/) {}
  // When the second of its ends was met; both are in the part.
  virtual void Message(const report::Message& /*message*/) {}
};

struct WalkResult {
  uint64_t unmatched = 0;  // sends and receives whose other end is not in the part
  std::vector<std::string> problems;
};

// In the order of one time, but for what is entered at `from` and left at the end. Memory: a block of each stream, and
// messages under way.
WalkResult Walk(const TracePart& part, TraceVisitor* visitor);

// Without reading events: when the first one was, when the processes ended, how many there are.
int64_t FirstNs(const TracePart& part);
int64_t LastNs(const TracePart& part);
uint64_t CountEvents(const TracePart& part);

// The name of what is entered; "(folded)" for what is no call path.
std::string_view NameOf(const TracePart& part, uint32_t stream, const Frame& frame);
// "rank 3", and "thread 1" of it.
int32_t RankOf(const TracePart& part, uint32_t stream);

}  // namespace epik::report

#endif  // EPIK_ARCHIVE_TRACE_WALK_H_
