// SPDX-License-Identifier: BSD-3-Clause
// The events of one location, block after block. Whatever is missing or damaged, what comes out is ordered in time and
// nested: where a part is missing there is a record of kind kGap, and frames are closed and opened that were or are
// open there (Event::made_up).
#ifndef EPIK_ARCHIVE_TRACE_LOCATION_READER_H_
#define EPIK_ARCHIVE_TRACE_LOCATION_READER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "archive/trace/process_file.h"

namespace epik::epilog {

// The node that a call path hangs below, as the call tree has it; 0: not known.
using ParentOf = std::function<uint32_t(uint32_t node)>;

class LocationReader {
 public:
  // `file` outlives the reader. One reader holds one block in memory.
  LocationReader(const TraceFile* file, uint32_t location, ParentOf parent_of = nullptr);

  // The first event of the location, or of what is left after Seek; 0: there is none. Reads nothing.
  uint64_t FirstTime() const;
  // The next one; false at the end.
  bool Next(Event* event);
  // Goes to the first event that is not before `ticks`.
  void Seek(uint64_t ticks);

  // Nodes of the frames that are open after the event Next gave last, outermost first. 0: not known, which only happens
  // below kMostOpen others after Seek or damage, and when nobody says what their parents are.
  const std::vector<uint32_t>& stack() const { return stack_; }
  // What was wrong so far.
  const std::vector<Damage>& damage() const { return damage_; }
  uint32_t location() const { return location_; }

 private:
  bool NextBlock();
  bool IsDepthBorne();
  uint64_t UnknownRoom() const { return kMostOpen * (1 + uint64_t{blocks_.size()}); }
  void Resume();
  void Take(Event* event);
  bool MakeUp(Event* event);

  const TraceFile* file_;
  uint32_t location_;
  ParentOf parent_of_;
  std::vector<size_t> blocks_;
  size_t next_block_ = 0;
  BlockDecoder decoder_;
  bool open_ = false;
  bool sought_ = false;
  uint64_t words_ = 0;  // of the stream, before what comes
  uint64_t time_ = 0;
  uint64_t unknown_room_ = 0;  // frames that may still be made up without anybody knowing them
  std::vector<uint32_t> stack_;
  // What has to be made up before the block that is open goes on.
  bool resuming_ = false;
  bool gap_ = false;
  std::vector<uint32_t> target_;  // its open frames
  size_t same_ = 0;               // of these and `stack_`
  uint64_t skip_before_ = 0;
  std::vector<Damage> damage_;
};

}  // namespace epik::epilog

#endif  // EPIK_ARCHIVE_TRACE_LOCATION_READER_H_
