// SPDX-License-Identifier: BSD-3-Clause
// Reads the calls of a stretch of time from the events. A call that reaches out of the stretch keeps the times at which
// it began and ended: they are in the events nearby, or the call is a long one, which the timeline knows.
#include <algorithm>

#include "analysis/timeline/draw.h"
#include "archive/trace/location_reader.h"

namespace epik::timeline {
namespace {

constexpr uint64_t kTooMany = 2;  // times the events of the wanted calls: more are not worth reading
constexpr int64_t kUnknown = INT64_MIN;

// Enters and exits of a location, as whole calls of a stretch.
class CallCollector {
 public:
  CallCollector(const archive::TraceArchive& archive, uint32_t process, const std::vector<LongCall>& long_calls,
                int64_t from, int64_t to, DrawnRow* row)
      : archive_(archive), long_calls_(long_calls), process_(process), from_(from), to_(to), row_(row) {}

  // `ns`: kUnknown when the call began long before.
  void Open(uint32_t node, int64_t ns) {
    const uint32_t path = archive_.CallPath(process_, node);
    const bool folded = !open_.empty() && archive_.Folds(process_, open_.back().node, node);
    open_.push_back({node, path, ns, folded});
    folded_ += folded ? 1 : 0;
  }
  // Calls that ended before the stretch are left out.
  void Close(int64_t ns) {
    if (open_.empty()) return;
    Frame frame = open_.back();
    open_.pop_back();
    folded_ -= frame.folded ? 1 : 0;
    if (frame.folded || ns < from_ || (ns == from_ && frame.enter < from_)) return;
    if (frame.enter == kUnknown) frame.enter = Known(from_, &LongCall::enter, from_);
    Add(frame, ns);
  }
  // The events that follow were not read: the calls that are open are long, or end at `ns` at the latest.
  void CloseAll(int64_t ns, bool ends_there) {
    while (!open_.empty()) {
      open_.back().folded ? Close(ns) : CloseLate(ns, ends_there);
    }
  }
  uint32_t path() const { return open_.empty() ? kNoPath : open_.back().path; }
  size_t open() const { return open_.size(); }

 private:
  struct Frame {
    uint32_t node, path;
    int64_t enter;
    bool folded;
  };

  // An end of the long call that was open at `ns` in the depth of the frame that was closed.
  int64_t Known(int64_t ns, int64_t LongCall::*end, int64_t otherwise) const {
    const LongCall* call = LongCallAt(long_calls_, static_cast<uint32_t>(open_.size()), ns);
    return call != nullptr ? call->*end : otherwise;
  }
  void CloseLate(int64_t ns, bool ends_there) {
    if (ends_there) return Close(ns);
    const auto depth = static_cast<uint32_t>(open_.size() - 1);
    const int64_t inside = std::max(open_.back().enter, from_);
    const LongCall* call = LongCallAt(long_calls_, depth, inside);
    Close(std::max(call != nullptr ? call->leave : to_, to_));
  }
  void Add(const Frame& frame, int64_t ns) {
    const auto depth = static_cast<uint32_t>(open_.size() - folded_);
    row_->calls.push_back({std::max(frame.enter, from_), std::min(ns, to_), depth, frame.path, frame.enter, ns});
  }

  const archive::TraceArchive& archive_;
  const std::vector<LongCall>& long_calls_;
  uint32_t process_;
  int64_t from_, to_;
  DrawnRow* row_;
  std::vector<Frame> open_;
  size_t folded_ = 0;
};

// Goes to a place that is `events` events before `ticks`, or a little more.
void SeekBefore(const archive::TraceArchive::Process& process, uint32_t location, uint64_t ticks, uint64_t events,
                archive::LocationReader* reader) {
  size_t before = 0;  // blocks of the location that end before
  for (const epilog::IndexEntry& block : process.file.blocks()) {
    if (block.location == location && block.last_time < ticks) ++before;
  }
  const std::vector<uint64_t>& places = reader->block_places();
  const uint64_t place = places[std::min(before, places.size() - 1)];
  reader->SeekPlace(place > events ? place - events : 0);
}

// The bins from events, with the waiting of the others. The location may have no event in the last bins.
Bins Completed(Bins bins, const Bins& waiting, size_t count) {
  for (size_t bin = bins.size(); bin < count; ++bin) {
    bins.begin.push_back(bins.begin.back());
    bins.path.push_back(kNoPath);
    bins.waiting.push_back(0);
  }
  for (size_t bin = 0; bin < std::min(bins.size(), waiting.size()); ++bin) bins.waiting[bin] = waiting.waiting[bin];
  return bins;
}

}  // namespace

const LongCall* LongCallAt(const std::vector<LongCall>& calls, uint32_t depth, int64_t ns) {
  const auto behind = std::partition_point(calls.begin(), calls.end(), [&](const LongCall& call) {
    return call.depth < depth || (call.depth == depth && call.enter <= ns);
  });
  if (behind == calls.begin()) return nullptr;
  const LongCall& call = *(behind - 1);
  return call.depth == depth && call.leave >= ns ? &call : nullptr;
}

uint64_t Artist::EventsIn(uint32_t stream, int64_t from, int64_t to) const {
  const archive::TraceArchive::Stream& of = archive_->streams()[stream];
  const archive::TraceArchive::Process& process = *archive_->processes()[of.process];
  const uint64_t first = process.clock.Ticks(from), last = process.clock.Ticks(to);
  double sum = 0;
  for (const epilog::IndexEntry& block : process.file.blocks()) {
    if (block.location != of.number || block.last_time < first || block.first_time > last) continue;
    const auto begin = static_cast<double>(std::max(block.first_time, first));
    const auto end = static_cast<double>(std::min(block.last_time, last));
    const double length = std::max(1.0, static_cast<double>(block.last_time - block.first_time));
    sum += block.events * std::min(1.0, (end - begin + 1) / length);
  }
  return static_cast<uint64_t>(sum);
}

// Returns false when there are more calls than that. Then the row keeps its bins.
bool Artist::ReadCalls(uint32_t column, const Drawing& drawing, size_t most, DrawnRow* row) const {
  const uint32_t stream = column < stream_of_.size() ? stream_of_[column] : kNoPath;
  if (stream == kNoPath) return false;
  const archive::TraceArchive::Stream& of = archive_->streams()[stream];
  const archive::TraceArchive::Process& process = *archive_->processes()[of.process];
  if (EventsIn(stream, drawing.from, drawing.to) > 2 * most * kTooMany) return false;
  archive::LocationReader reader(&process.file, of.number,
                                 [&](uint32_t node) { return archive_->ParentOfNode(of.process, node); });
  const uint64_t nearby = LongFrom(timeline_->events);
  SeekBefore(process, of.number, process.clock.Ticks(drawing.from), nearby, &reader);
  CallCollector calls(*archive_, of.process, timeline_->long_calls[column], drawing.from, drawing.to, row);
  BinFiller bins(drawing.from, drawing.bin_width, drawing.bins);
  const auto advance = [&](int64_t ns) {
    ns = std::clamp(ns, drawing.from, drawing.to);
    if (calls.path() == kNoPath) return bins.Skip(ns);
    bins.Take(ns, calls.path() < kind_of_.size() ? kind_of_[calls.path()] : Kind::kComputation, calls.path());
  };
  bool begun = false, ended = true;
  int64_t last = drawing.from;
  uint64_t behind = 0;       // events behind the stretch that were read
  size_t opened_behind = 0;  // calls that began behind it and are open
  for (archive::Event event; reader.Next(&event);) {
    const int64_t ns = process.clock.Ns(event.time);
    last = std::max(last, ns);
    if (!begun) {
      begun = true;
      // Frames that are open around the first event began before it.
      const size_t known = event.kind == event::RecordKind::kEnter ? 1 : 0;
      std::vector<uint32_t> open = reader.stack();
      open.resize(open.size() - std::min(known, open.size()));
      if (event.kind == event::RecordKind::kExit) open.push_back(event.node);
      for (const uint32_t node : open) calls.Open(node, kUnknown);
    }
    if (behind == 0) advance(ns);
    const bool enters = event.kind == event::RecordKind::kEnter, exits = event.kind == event::RecordKind::kExit;
    if (ns >= drawing.to || behind > 0) {
      // The events behind the stretch tell when the calls ended that are open at its end.
      if (calls.open() == 0 || ++behind > nearby) {
        ended = false;
        break;
      }
      if (enters) ++opened_behind;
      if (exits && opened_behind == 0) calls.Close(ns);
      if (exits && opened_behind > 0) --opened_behind;
      continue;
    }
    if (enters) calls.Open(event.node, ns);
    if (exits) calls.Close(ns);
    if (row->calls.size() > most) {
      row->calls.clear();
      return false;
    }
  }
  if (!begun) return false;
  // Calls without an exit last until their process ended.
  if (ended) last = std::max(last, process.clock.Ns(process.map.last_ticks));
  if (ended && behind == 0) advance(last);
  calls.CloseAll(last, ended);
  std::sort(row->calls.begin(), row->calls.end(), [](const DrawnCall& one, const DrawnCall& other) {
    return one.enter != other.enter ? one.enter < other.enter : one.depth < other.depth;
  });
  row->bins = Completed(bins.Finish(), row->bins, drawing.bins);
  return true;
}

}  // namespace epik::timeline
