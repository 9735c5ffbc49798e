// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/library/cursor.h"

#include <algorithm>

namespace epik::library {

using event::RecordKind;

LocationCursor::LocationCursor(const Opened* opened, uint32_t location)
    : opened_(opened),
      process_(&opened->ProcessAt(location)),
      location_(location),
      reader_(&opened->FileAt(location), opened->locations()[location].number,
              [opened, p = opened->locations()[location].process](uint32_t node) {
                return opened->ParentOfNode(p, node);
              }) {}

void LocationCursor::SeekPlace(uint64_t place) {
  // One place earlier, because the record there may be the call path of this event.
  reader_.SeekPlace(place == 0 ? 0 : place - 1);
  from_place_ = place;
  from_ns_ = INT64_MIN;
  sought_ = true;
  at_path_ = EPIK_TRACE_NONE;
}

void LocationCursor::SeekNs(int64_t ns) {
  // Times further away than this do not fit into a clock.
  constexpr int64_t kFarthest = INT64_MAX / 4;
  const uint64_t ticks = process_->clock.Ticks(std::clamp(ns, -kFarthest, kFarthest));
  // One tick earlier, so that rounding leaves no event out.
  reader_.Seek(ticks == 0 ? 0 : ticks - 1);
  from_place_ = 0;
  from_ns_ = ns;
  sought_ = true;
  at_path_ = EPIK_TRACE_NONE;
}

// Restores the frames from before this event, which the reader has taken already.
void LocationCursor::Resume(const archive::Event& event) {
  sought_ = false;
  frames_.clear();
  folded_ = 0;
  if (!opened_->traces().HasFolded()) return;
  std::vector<uint32_t> stack = reader_.stack();
  if (event.kind == RecordKind::kEnter && !stack.empty()) stack.pop_back();
  if (event.kind == RecordKind::kExit) stack.push_back(event.node);
  for (const uint32_t node : stack) {
    const bool folds = FoldsHere(node);
    frames_.push_back({node, folds});
    folded_ += folds ? 1 : 0;
  }
}

// Whether the library shows this call, because it is one of the program's own. Keeps the frames.
bool LocationCursor::Shows(const archive::Event& event) {
  if (event.kind == RecordKind::kEnter) {
    const bool folds = FoldsHere(event.node);
    frames_.push_back({event.node, folds});
    folded_ += folds ? 1 : 0;
    return !folds;
  }
  if (event.kind != RecordKind::kExit || frames_.empty()) return true;
  const bool folded = frames_.back().folded;
  frames_.pop_back();
  folded_ -= folded ? 1 : 0;
  return !folded;
}

bool LocationCursor::Next(epik_trace_event* to) {
  archive::Event event;
  while (reader_.Next(&event)) {
    if (sought_) Resume(event);
    if (opened_->traces().HasFolded() && !Shows(event)) continue;
    if (event.kind == RecordKind::kAt) {
      at_path_ = process_->nodes.At(event.field[0]).path;
      continue;
    }
    to->ns = process_->clock.Ns(event.time);
    to->place = reader_.place();
    if (to->ns < from_ns_ || to->place < from_place_) {
      at_path_ = EPIK_TRACE_NONE;
      continue;
    }
    to->location = location_;
    to->call_path = at_path_ != EPIK_TRACE_NONE ? at_path_ : process_->nodes.At(event.node).path;
    to->depth = event.depth >= folded_ ? event.depth - folded_ : 0;
    to->kind = PublicKind(event.kind);
    to->fields = static_cast<uint8_t>(event.fields);
    to->flags = event.made_up ? EPIK_TRACE_MADE_UP : 0;
    at_path_ = EPIK_TRACE_NONE;
    if (event.fields == 0) {
      std::fill_n(to->field, EPIK_TRACE_FIELDS, 0);
    } else {
      std::copy_n(event.field, EPIK_TRACE_FIELDS, to->field);
      opened_->Translate(location_, event, to);
    }
    return true;
  }
  return false;
}

MergedCursor::MergedCursor(const Opened* opened, const std::vector<uint32_t>& locations, int64_t from_ns, int64_t to_ns)
    : opened_(opened), from_ns_(from_ns), to_ns_(to_ns) {
  // Each location gets its turn by the earliest possible time of its first event. Only then is a block of it read.
  for (const uint32_t location : locations) {
    const Opened::Location& facts = opened->locations()[location];
    if (facts.places == 0 || facts.last_ns < from_ns || facts.first_ns >= to_ns) continue;
    turns_.push_back({std::max(facts.first_ns, from_ns), static_cast<uint32_t>(sources_.size())});
    sources_.push_back({location, nullptr, {}});
  }
  std::make_heap(turns_.begin(), turns_.end());
}

bool MergedCursor::Advance(Source* source) {
  if (source->cursor->Next(&source->event) && source->event.ns < to_ns_) return true;
  source->cursor.reset();
  return false;
}

size_t MergedCursor::Next(epik_trace_event* to, size_t most) {
  size_t count = 0;
  while (count < most && !turns_.empty()) {
    const uint32_t number = turns_.front().source;
    Source& source = sources_[number];
    std::pop_heap(turns_.begin(), turns_.end());
    turns_.pop_back();
    bool more = true;
    if (source.cursor == nullptr) {
      source.cursor = std::make_unique<LocationCursor>(opened_, source.location);
      if (from_ns_ > opened_->locations()[source.location].first_ns) source.cursor->SeekNs(from_ns_);
      more = Advance(&source);
    } else {
      // Goes on while it is this location's turn. When no other location is left, it goes on to its end.
      do {
        to[count++] = source.event;
        more = Advance(&source);
      } while (more && count < most && (turns_.empty() || turns_.front() < Turn{source.event.ns, number}));
    }
    if (!more) continue;
    turns_.push_back({source.event.ns, number});
    std::push_heap(turns_.begin(), turns_.end());
  }
  return count;
}

}  // namespace epik::library
