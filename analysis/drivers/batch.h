// SPDX-License-Identifier: BSD-3-Clause
// A run of events of one location, as a thread or process hands it to the thread that replays: words of 64 bits.
#ifndef EPIK_ANALYSIS_DRIVERS_BATCH_H_
#define EPIK_ANALYSIS_DRIVERS_BATCH_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/replay/source.h"

namespace epik::drivers {

class Batch {
 public:
  Batch() = default;
  explicit Batch(std::vector<uint64_t> words) : words_(std::move(words)) {}

  const std::vector<uint64_t>& words() const { return words_; }
  void Clear() {
    words_.clear();
    next_ = 0;
  }

  void Add(const archive::Event& event, const replay::Skipped& skipped) {
    const uint64_t fields = std::min(event.fields, event::kMostFields);
    const bool plain = skipped.times.empty() && skipped.events == 1;
    words_.push_back(static_cast<uint64_t>(event.kind) | fields << 8 | uint64_t{event.made_up} << 16 |
                     uint64_t{plain} << 17 | uint64_t{event.node} << 32);
    words_.push_back(event.time);
    words_.insert(words_.end(), event.field, event.field + fields);
    if (plain) return;
    words_.push_back(skipped.events);
    words_.push_back(static_cast<uint64_t>(skipped.until));
    words_.push_back(skipped.times.size());
    for (const replay::PathTime& time : skipped.times) {
      words_.push_back(uint64_t{time.path} | uint64_t{time.visits} << 32);
      words_.push_back(static_cast<uint64_t>(time.ns));
    }
  }

  // Takes the next event; false when there are no more, or when the next words are no event. `times` holds the elements
  // that `skipped` refers to.
  bool Take(archive::Event* event, replay::Skipped* skipped, std::vector<replay::PathTime>* times) {
    if (words_.size() - next_ < 2) return false;
    const uint64_t head = words_[next_++];
    event->kind = static_cast<event::RecordKind>(head & 0xff);
    event->fields = static_cast<uint32_t>(head >> 8 & 0xff);
    event->made_up = (head >> 16 & 1) != 0;
    event->node = static_cast<uint32_t>(head >> 32);
    event->time = words_[next_++];
    *skipped = replay::Skipped();
    if (event->fields > event::kMostFields || words_.size() - next_ < event->fields) return Stop();
    std::fill(std::copy_n(words_.begin() + static_cast<ptrdiff_t>(next_), event->fields, event->field),
              std::end(event->field), 0);
    next_ += event->fields;
    if ((head >> 17 & 1) != 0) return true;
    if (words_.size() - next_ < 3) return Stop();
    skipped->events = words_[next_];
    skipped->until = static_cast<int64_t>(words_[next_ + 1]);
    const uint64_t count = words_[next_ + 2];
    next_ += 3;
    if ((words_.size() - next_) / 2 < count) return Stop();
    times->clear();
    for (uint64_t i = 0; i < count; ++i, next_ += 2) {
      const uint64_t who = words_[next_];
      times->push_back(
          {static_cast<uint32_t>(who), static_cast<uint32_t>(who >> 32), static_cast<int64_t>(words_[next_ + 1])});
    }
    skipped->times = *times;
    return true;
  }

 private:
  bool Stop() {
    next_ = words_.size();
    return false;
  }

  std::vector<uint64_t> words_;
  size_t next_ = 0;
};

// Reads on until `words` are full. False: the source is at its end.
inline bool Fill(replay::EventSource* source, size_t words, Batch* batch) {
  archive::Event event;
  while (batch->words().size() < words) {
    if (!source->Next(&event)) return false;
    batch->Add(event, source->skipped());
  }
  return true;
}

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_BATCH_H_
