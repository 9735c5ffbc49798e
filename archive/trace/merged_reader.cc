// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/merged_reader.h"

#include <algorithm>
#include <utility>

namespace epik::archive {

uint32_t MergedReader::Add(const ProcessFile* file, uint32_t location, const Clock* clock, ParentOf parent_of) {
  sources_.push_back({file, location, clock, std::move(parent_of), nullptr, Event(), false, {}});
  return static_cast<uint32_t>(sources_.size() - 1);
}

void MergedReader::Seek(int64_t ns) { from_ = ns; }

// Each source gets its turn by the time of its first event. Only then is its first block read.
void MergedReader::Start() {
  started_ = true;
  for (uint32_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    source.reader = std::make_unique<LocationReader>(source.file, source.location, source.parent_of);
    if (from_ != INT64_MIN) {
      const uint64_t ticks = source.clock->Ticks(from_);
      // One tick earlier, so that rounding leaves no event out.
      source.reader->Seek(ticks == 0 ? 0 : ticks - 1);
    }
    if (const uint64_t first = source.reader->FirstTime()) {
      turns_.push_back({source.clock->Ns(first), i});
    } else {
      source.reader.reset();
    }
  }
  std::make_heap(turns_.begin(), turns_.end());
}

void MergedReader::Advance(uint32_t number) {
  Source& source = sources_[number];
  if (!source.reader->Next(&source.event)) {
    source.damage = source.reader->damage();
    source.reader.reset();
    return;
  }
  turns_.push_back({source.clock->Ns(source.event.time), number});
  std::push_heap(turns_.begin(), turns_.end());
}

bool MergedReader::Next(Event* event, uint32_t* number, int64_t* ns) {
  if (!started_) Start();
  if (last_ != UINT32_MAX) {
    // The reader advances only now, because stack() showed the frames after the last event until now.
    Advance(last_);
    last_ = UINT32_MAX;
  }
  while (!turns_.empty()) {
    const Turn turn = turns_.front();
    std::pop_heap(turns_.begin(), turns_.end());
    turns_.pop_back();
    Source& source = sources_[turn.source];
    if (!source.begun) {
      source.begun = true;
      Advance(turn.source);
      continue;
    }
    if (turn.ns < from_) {
      Advance(turn.source);
      continue;
    }
    *event = source.event;
    *number = last_ = turn.source;
    *ns = turn.ns;
    return true;
  }
  return false;
}

const std::vector<Damage>& MergedReader::damage(uint32_t number) const {
  const Source& source = sources_[number];
  return source.reader != nullptr ? source.reader->damage() : source.damage;
}

}  // namespace epik::archive
