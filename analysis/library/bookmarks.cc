// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/library/bookmarks.h"

#include <algorithm>

namespace epik::library {

namespace {

constexpr uint32_t kNone = EPIK_TRACE_NONE;

epik_trace_frame FrameOf(const epik_trace_event& event) {
  return {event.call_path, (event.flags & EPIK_TRACE_MADE_UP) == 0 ? 1u : 0u, event.place, event.ns};
}

}  // namespace

Bookmarks::Bookmarks(const Opened* opened, uint32_t location) : opened_(opened), location_(location) {
  LocationCursor cursor(opened, location);
  block_places_ = cursor.block_places();
  const size_t blocks = block_places_.size() - 1;
  std::vector<Open> open;
  epik_trace_event event;
  while (cursor.Next(&event)) {
    while (innermost_.size() < blocks && event.place >= block_places_[innermost_.size()]) {
      innermost_.push_back(Keep(&open));
    }
    if (event.kind == EPIK_TRACE_ENTER) open.push_back({FrameOf(event), kNone});
    if (event.kind == EPIK_TRACE_EXIT && !open.empty()) open.pop_back();
  }
  while (innermost_.size() < blocks) innermost_.push_back(Keep(&open));
}

uint32_t Bookmarks::Keep(std::vector<Open>* open) {
  size_t first = open->size();
  while (first > 0 && (*open)[first - 1].kept == kNone) --first;
  for (size_t i = first; i < open->size(); ++i) {
    (*open)[i].kept = static_cast<uint32_t>(frames_.size());
    frames_.push_back({(*open)[i].frame, i == 0 ? kNone : (*open)[i - 1].kept, static_cast<uint32_t>(i)});
  }
  return open->empty() ? kNone : open->back().kept;
}

// REQUIRES: there are blocks.
size_t Bookmarks::BlockOf(uint64_t place) const {
  const auto behind = std::upper_bound(block_places_.begin() + 1, block_places_.end() - 1, place);
  return static_cast<size_t>(behind - block_places_.begin()) - 1;
}

// The stack before the first event at this place.
std::vector<epik_trace_frame> Bookmarks::StackBefore(uint64_t place) const {
  std::vector<epik_trace_frame> stack;
  if (innermost_.empty()) return stack;
  const size_t block = BlockOf(place);
  for (uint32_t at = innermost_[block]; at != kNone; at = frames_[at].around) stack.push_back(frames_[at].frame);
  std::reverse(stack.begin(), stack.end());
  LocationCursor cursor(opened_, location_);
  cursor.SeekPlace(block_places_[block]);
  epik_trace_event event;
  while (cursor.Next(&event) && event.place < place) {
    if (event.kind == EPIK_TRACE_ENTER) stack.push_back(FrameOf(event));
    if (event.kind == EPIK_TRACE_EXIT && !stack.empty()) stack.pop_back();
  }
  return stack;
}

std::vector<epik_trace_frame> Bookmarks::StackAt(uint64_t place) const {
  return StackBefore(place == UINT64_MAX ? place : place + 1);
}

// Whether the call that was entered at `place` is open where the block begins.
bool Bookmarks::IsOpenAt(size_t block, uint64_t place, uint32_t depth) const {
  uint32_t at = innermost_[block];
  while (at != kNone && frames_[at].depth > depth) at = frames_[at].around;
  return at != kNone && frames_[at].depth == depth && frames_[at].frame.enter_place == place;
}

std::optional<epik_trace_ref> Bookmarks::PartnerOf(const epik_trace_event& event) const {
  if (innermost_.empty()) return std::nullopt;
  if (event.kind == EPIK_TRACE_EXIT) {
    const std::vector<epik_trace_frame> stack = StackBefore(event.place);
    // Made-up exits before it at the same place have ended the inner calls.
    if (stack.size() <= event.depth || stack[event.depth].known == 0) return std::nullopt;
    return epik_trace_ref{stack[event.depth].enter_place, location_, EPIK_TRACE_ENTER};
  }
  if (event.kind != EPIK_TRACE_ENTER) return std::nullopt;
  // The exit is in the last block at whose beginning the call is open.
  size_t block = BlockOf(event.place), behind = innermost_.size();
  while (block + 1 < behind) {
    const size_t middle = block + (behind - block) / 2;
    (IsOpenAt(middle, event.place, event.depth) ? block : behind) = middle;
  }
  LocationCursor cursor(opened_, location_);
  cursor.SeekPlace(std::max(block_places_[block], event.place + 1));
  const uint64_t end = block_places_[std::min(block + 2, block_places_.size() - 1)];
  for (epik_trace_event next; cursor.Next(&next) && next.place <= end;) {
    if (next.kind == EPIK_TRACE_EXIT && next.depth <= event.depth) {
      return epik_trace_ref{next.place, location_, EPIK_TRACE_EXIT};
    }
  }
  return std::nullopt;
}

}  // namespace epik::library
