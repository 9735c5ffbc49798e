// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/location_reader.h"

#include <algorithm>
#include <utility>

namespace epik::archive {

using event::RecordKind;

LocationReader::LocationReader(const ProcessFile* file, uint32_t location, ParentOf parent_of)
    : file_(file), location_(location), parent_of_(std::move(parent_of)) {
  block_places_.push_back(0);
  for (size_t i = 0; i < file->blocks().size(); ++i) {
    if (file->blocks()[i].location != location) continue;
    blocks_.push_back(i);
    block_places_.push_back(block_places_.back() + file->blocks()[i].events);
  }
  unknown_room_ = UnknownRoom();
}

uint64_t LocationReader::FirstTime() const {
  if (next_block_ >= blocks_.size()) return 0;
  return std::max(file_->blocks()[blocks_[next_block_]].first_time, skip_before_);
}

void LocationReader::Restart(size_t block) {
  open_ = false;
  resuming_ = false;
  stack_.clear();
  skip_before_ = skip_places_ = 0;
  sought_ = true;
  next_block_ = block;
  time_ = words_ = 0;
  unknown_room_ = UnknownRoom();
}

void LocationReader::Seek(uint64_t ticks) {
  const auto found = std::partition_point(blocks_.begin(), blocks_.end(),
                                          [&](size_t block) { return file_->blocks()[block].last_time < ticks; });
  Restart(static_cast<size_t>(found - blocks_.begin()));
  skip_before_ = ticks;
}

void LocationReader::SeekPlace(uint64_t place) {
  // Starts at the block of the event before: the reader may have to make up frames between two blocks.
  const auto behind = std::lower_bound(block_places_.begin() + 1, block_places_.end(), place);
  const auto block = std::min(static_cast<size_t>(behind - block_places_.begin()) - 1, blocks_.size());
  Restart(block);
  skip_places_ = place;
  sought_ = block != 0;
}

// Returns false when there are no more blocks. A block that cannot be read is skipped.
bool LocationReader::NextBlock() {
  open_ = false;
  while (next_block_ < blocks_.size()) {
    next_place_ = block_places_[next_block_];
    const size_t block = blocks_[next_block_++];
    std::string why;
    bool good = file_->ReadBlock(block, &decoder_, &why);
    if (good && decoder_.header().first_time < time_) {
      good = false;
      why = "it goes back in time";
    } else if (good && !IsDepthBorne()) {
      good = false;
      why = "it begins deeper than anything known could be";
    }
    if (good) {
      open_ = true;
      Resume();
      return true;
    }
    damage_.push_back({file_->blocks()[block].offset, 0, "a block is left out: " + why});
  }
  return false;
}

// A depth is only a number in a file, and the reader may have to make up each of its frames. So nearly all of them must
// be known: as frames that are open here, as frames in the block, or as their callers in the call tree.
bool LocationReader::IsDepthBorne() {
  const uint64_t depth = decoder_.header().depth;
  if (depth <= std::max<uint64_t>(stack_.size(), decoder_.header().open)) return true;
  const std::vector<uint32_t> open = decoder_.OpenNodes();
  uint64_t known = open.size();
  for (uint32_t caller = open.empty() ? 0 : open.front(); known < depth && parent_of_ != nullptr; ++known) {
    caller = parent_of_(caller);
    if (caller == 0) break;
  }
  const uint64_t unknown = depth - known;
  if (unknown > unknown_room_) return false;
  unknown_room_ -= unknown;
  return true;
}

// Makes up the next of these events: the gap itself, exits of frames that are not open behind it, enters of frames that
// are.
bool LocationReader::MakeUp(Event* event) {
  *event = Event();
  event->time = decoder_.header().first_time;
  event->location = location_;
  event->made_up = true;
  event->depth = static_cast<uint32_t>(stack_.size());
  if (gap_) {
    gap_ = false;
    event->kind = RecordKind::kGap;
    event->fields = 2;
    event->field[1] = time_ != 0 ? time_ : event->time;
  } else if (stack_.size() > same_) {
    event->kind = RecordKind::kExit;
    event->node = stack_.back();
    --event->depth;
  } else if (stack_.size() < target_.size()) {
    event->kind = RecordKind::kEnter;
    event->node = target_[stack_.size()];
    ++same_;
  } else {
    resuming_ = false;
    return false;
  }
  return true;
}

// The frames at the begin of a block must be the open frames. If they differ, events are missing.
void LocationReader::Resume() {
  const epilog::BlockHeader& header = decoder_.header();
  const std::vector<uint32_t> open = decoder_.OpenNodes();
  std::vector<uint32_t> stack(header.depth);
  std::copy_n(stack_.begin(), std::min(stack_.size(), stack.size()), stack.begin());
  std::copy(open.begin(), open.end(), stack.end() - static_cast<ptrdiff_t>(open.size()));
  // A block has the innermost frames, and the call tree has the callers below them.
  for (size_t i = stack.size() - open.size(); i-- > 0 && !open.empty() && parent_of_ != nullptr && stack[i] == 0;) {
    stack[i] = parent_of_(stack[i + 1]);
  }
  const bool follows = header.first_word == words_;
  words_ = header.first_word + header.words;
  if (sought_) {
    sought_ = false;
    stack_ = std::move(stack);
    return;
  }
  if (follows && stack == stack_) return;
  same_ = static_cast<size_t>(std::mismatch(stack.begin(), stack.end(), stack_.begin(), stack_.end()).first -
                              stack.begin());
  target_ = std::move(stack);
  resuming_ = true;
  gap_ = !follows;
  if (gap_) {
    damage_.push_back({file_->blocks()[blocks_[next_block_ - 1]].offset, 0, "what came before this block is missing"});
  }
}

inline void LocationReader::Take(Event* event) {
  if (event->kind == RecordKind::kEnter) {
    stack_.push_back(event->node);
  } else if (event->kind == RecordKind::kExit && !stack_.empty()) {
    // The block does not list frames that far out; the stack knows the node.
    if (event->node == 0) event->node = stack_.back();
    stack_.pop_back();
  } else if (event->node == 0 && !stack_.empty()) {
    event->node = stack_.back();
  }
  time_ = event->time;
}

inline bool LocationReader::NextOfBlock(Event* event) {
  if (!open_ || resuming_ || !decoder_.Next(event)) return false;
  event->made_up = false;
  place_ = next_place_++;
  return true;
}

bool LocationReader::Next(Event* event) {
  do {
    if (!EPIK_LIKELY(NextOfBlock(event)) && !NextOfOthers(event)) return false;
    Take(event);
  } while (event->time < skip_before_ || place_ < skip_places_);
  return true;
}

// Apart from Next, because a function that makes texts saves and checks more at each call.
[[gnu::noinline]] bool LocationReader::NextOfOthers(Event* event) {
  do {
    if (resuming_) {
      if (!MakeUp(event)) continue;
      place_ = next_place_;
      return true;
    }
    if (open_ && !decoder_.error().empty()) {
      damage_.push_back({file_->blocks()[blocks_[next_block_ - 1]].offset, 0, "in a block: " + decoder_.error()});
      words_ = ~uint64_t{0};  // no block follows this one
    }
    if (!NextBlock()) return false;
  } while (!NextOfBlock(event));
  return true;
}

}  // namespace epik::archive
