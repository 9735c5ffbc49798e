// SPDX-License-Identifier: BSD-3-Clause
// Reads the events of one location, block after block. The events come in order of time and properly nested, even from
// a damaged file. Where events are missing, the reader gives a record of kind kGap, and closes and opens the frames
// that differ before and after it (Event::made_up).
#ifndef EPIK_ARCHIVE_TRACE_LOCATION_READER_H_
#define EPIK_ARCHIVE_TRACE_LOCATION_READER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "archive/trace/process_file.h"

namespace epik::archive {

// The parent of a node in the call tree; 0 when it is not known.
using ParentOf = std::function<uint32_t(uint32_t node)>;

class LocationReader {
 public:
  // `file` outlives the reader. One reader holds one block in memory.
  LocationReader(const ProcessFile* file, uint32_t location, ParentOf parent_of = nullptr);

  // The time of the first event of the location, or of the first event that is left after Seek; 0 if no event is left.
  // It reads no block.
  uint64_t FirstTime() const;
  // Gives the next event; returns false at the end.
  bool Next(Event* event);
  // Goes to the first event that is not before `ticks`.
  void Seek(uint64_t ticks);
  // Goes to the event at a place. It reads two blocks at most.
  void SeekPlace(uint64_t place);

  // Events have places 0, 1, 2 … in their location, also those in blocks that cannot be read. A made-up event has the
  // place of the next event in the file.
  uint64_t place() const { return place_; }
  // The places of the first event of each block, and the place behind the last event.
  const std::vector<uint64_t>& block_places() const { return block_places_; }

  // Nodes of the frames that are open after the last event, outermost first. A node is 0 when it is not known. That is
  // so after Seek or damage, for frames further out than kMostOpen, unless parent_of gives them.
  const std::vector<uint32_t>& stack() const { return stack_; }
  // The damage that was found so far.
  const std::vector<Damage>& damage() const { return damage_; }
  uint32_t location() const { return location_; }

 private:
  void Restart(size_t block);
  bool NextBlock();
  bool IsDepthBorne();
  uint64_t UnknownRoom() const { return epilog::kMostOpen * (1 + uint64_t{blocks_.size()}); }
  void Resume();
  void Take(Event* event);
  bool MakeUp(Event* event);
  bool NextOfBlock(Event* event);   // of the open block, if nothing must be made up before it
  bool NextOfOthers(Event* event);  // of the next block, or one that must be made up; false at the end

  const ProcessFile* file_;
  uint32_t location_;
  ParentOf parent_of_;
  std::vector<size_t> blocks_;
  std::vector<uint64_t> block_places_;
  size_t next_block_ = 0;
  uint64_t place_ = 0, next_place_ = 0;
  BlockDecoder decoder_;
  bool open_ = false;
  bool sought_ = false;
  uint64_t words_ = 0;  // words of the stream before the next block
  uint64_t time_ = 0;
  uint64_t unknown_room_ = 0;  // the number of unknown frames that may still be made up
  std::vector<uint32_t> stack_;
  // Whether frames must be made up before the open block goes on.
  bool resuming_ = false;
  bool gap_ = false;
  std::vector<uint32_t> target_;  // the open frames at the begin of the block
  size_t same_ = 0;               // the number of common frames of `target_` and `stack_`
  uint64_t skip_before_ = 0, skip_places_ = 0;
  std::vector<Damage> damage_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_LOCATION_READER_H_
