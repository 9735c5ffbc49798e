// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/critical/blocks.h"

#include <algorithm>
#include <utility>

namespace epik::critical {

using event::RecordKind;
using graph::Slice;

namespace {

// Slices with no block between them that could be skipped.
struct Part {
  size_t block;  // block that the slices begin in
  std::vector<Slice> slices;
};

// `begins`: the time at which each block begins. A call that was entered at least `least_ns` before a slice is long
// enough when the slice begins, so its exact begin does not matter.
std::vector<Part> PartsOf(const std::vector<int64_t>& begins, const std::vector<Slice>& slices, int64_t least_ns) {
  const auto block_at = [&](int64_t ns) {
    const auto next = std::upper_bound(begins.begin(), begins.end(), ns);
    return next == begins.begin() ? 0 : static_cast<size_t>(next - begins.begin()) - 1;
  };
  std::vector<Part> parts;
  size_t last = 0;
  for (const Slice& slice : slices) {
    const size_t block = block_at(slice.from - least_ns);
    if (parts.empty() || block > last) parts.push_back({block, {}});
    parts.back().slices.push_back(slice);
    last = block_at(slice.to + least_ns);
  }
  return parts;
}

// The events from a block on, with the frames that are open where the block begins.
class FromBlock : public replay::EventSource {
 public:
  explicit FromBlock(archive::LocationReader* reader) : reader_(reader), holds_(reader->Next(&first_)) {
    if (!holds_) return;
    open_ = reader->stack();
    if (first_.kind == RecordKind::kEnter) {
      open_.pop_back();
    } else if (first_.kind == RecordKind::kExit) {
      open_.push_back(first_.node);
    }
  }
  const std::vector<uint32_t>& open() const { return open_; }

  bool Next(archive::Event* event) override {
    if (!std::exchange(holds_, false)) return reader_->Next(event);
    *event = first_;
    return true;
  }

 private:
  archive::LocationReader* reader_;
  archive::Event first_;
  bool holds_;
  std::vector<uint32_t> open_;
};

}  // namespace

bool CutInBlocks(const archive::ProcessFile& file, const archive::ParentOf& parent_of, const std::vector<Slice>& slices,
                 uint32_t location, const replay::World& world, replay::TimeModel* time, int64_t least_ns,
                 std::vector<Segment>* segments, const archive::TimeLimit& limit) {
  segments->clear();
  const uint32_t number = world.locations[location].number;
  std::vector<uint64_t> ticks;
  std::vector<int64_t> begins;
  for (const epilog::IndexEntry& block : file.blocks()) {
    if (block.location != number) continue;
    ticks.push_back(block.first_time);
    begins.push_back(time->Ns(location, block.first_time));
  }
  archive::LocationReader reader(&file, number, parent_of);
  for (Part& part : PartsOf(begins, slices, least_ns)) {
    if (part.block > 0) reader.Seek(ticks[part.block]);
    FromBlock source(&reader);
    const std::vector<Segment> some =
        CutSlices(std::move(part.slices), location, world, &source, source.open(), time, least_ns, limit);
    if (!reader.damage().empty()) return false;
    segments->insert(segments->end(), some.begin(), some.end());
  }
  return true;
}

}  // namespace epik::critical
