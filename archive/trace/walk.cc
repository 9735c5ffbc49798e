// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/walk.h"

#include <algorithm>

namespace epik::archive {

using event::RecordKind;

namespace {

bool Wanted(const TracePart& part, uint32_t process, uint32_t number) {
  return std::any_of(part.streams.begin(), part.streams.end(), [&](uint32_t s) {
    const TraceArchive::Stream& stream = part.archive->streams()[s];
    return stream.process == process && stream.number == number;
  });
}

class Walker {
 public:
  Walker(const TracePart& part, TraceVisitor* visitor)
      : part_(part),
        visitor_(visitor),
        open_(part.archive->streams().size()),
        last_(open_.size(), INT64_MIN),
        matcher_(part.archive) {}

  // Events before the part are read, too, because they tell which calls are open and which messages are under way.
  WalkResult Run() {
    WalkResult result;
    if (part_.streams.empty()) return result;
    TraceReader reader(part_.archive, part_.streams);
    TraceReader::Item item;
    begun_ = part_.from == INT64_MIN;
    while (reader.Next(&item) && item.ns <= part_.to) {
      if (!begun_ && item.ns >= part_.from) Begin();
      Take(item);
    }
    if (!begun_) Begin();
    Tell(matcher_.End());
    for (const uint32_t stream : part_.streams) End(stream);
    result.unmatched = matcher_.unmatched() + outside_;
    result.problems = reader.Problems();
    return result;
  }

 private:
  void Begin() {
    begun_ = true;
    for (const uint32_t stream : part_.streams) {
      for (Frame& frame : open_[stream]) {
        frame.begin = part_.from;
        visitor_->Enter(stream, frame.begin, frame);
      }
    }
  }

  void Take(const TraceReader::Item& item) {
    last_[item.stream] = item.ns;
    std::vector<Frame>& open = open_[item.stream];
    if (item.event.kind == RecordKind::kEnter) {
      open.push_back({item.event.node, item.call_path, item.ns});
      if (begun_) visitor_->Enter(item.stream, item.ns, open.back());
    } else if (item.event.kind == RecordKind::kExit) {
      if (open.empty()) return;
      const Frame frame = open.back();
      open.pop_back();
      if (begun_) visitor_->Leave(item.stream, item.ns, frame);
    } else {
      if (begun_) visitor_->Record(item.stream, item.ns, item.event);
      Tell(matcher_.Take(item.stream, item.ns, item.event));
    }
  }

  void Tell(const std::vector<Message>& messages) {
    for (const Message& message : messages) {
      if (message.send.ns >= part_.from && message.receive.ns >= part_.from) {
        visitor_->Message(message);
      } else if (begun_) {
        ++outside_;
      }
    }
  }

  // A frame without an exit lasts until its process ended.
  void End(uint32_t stream) {
    const TraceArchive::Process& process = *part_.archive->processes()[part_.archive->streams()[stream].process];
    int64_t end = last_[stream];
    if (process.map.last_ticks != 0) end = std::max(end, process.clock.Ns(process.map.last_ticks));
    end = std::min(end, part_.to);
    std::vector<Frame>& open = open_[stream];
    for (; !open.empty(); open.pop_back()) visitor_->Leave(stream, std::max(end, open.back().begin), open.back());
  }

  const TracePart& part_;
  TraceVisitor* visitor_;
  std::vector<std::vector<Frame>> open_;  // by stream of the archive
  std::vector<int64_t> last_;
  MessageMatcher matcher_;
  uint64_t outside_ = 0;
  bool begun_ = false;
};

template <typename Use>
void ForBlocks(const TracePart& part, const Use& use) {
  for (uint32_t p = 0; p < part.archive->processes().size(); ++p) {
    const TraceArchive::Process& process = *part.archive->processes()[p];
    for (const epilog::IndexEntry& block : process.file.blocks()) {
      if (Wanted(part, p, block.location)) use(process, block);
    }
  }
}

}  // namespace

WalkResult Walk(const TracePart& part, TraceVisitor* visitor) { return Walker(part, visitor).Run(); }

int64_t FirstNs(const TracePart& part) {
  int64_t first = INT64_MAX;
  ForBlocks(part, [&](const TraceArchive::Process& process, const epilog::IndexEntry& block) {
    first = std::min(first, process.clock.Ns(block.first_time));
  });
  return first == INT64_MAX ? std::max<int64_t>(part.from, 0) : std::max(first, part.from);
}

int64_t LastNs(const TracePart& part) {
  int64_t last = FirstNs(part);
  ForBlocks(part, [&](const TraceArchive::Process& process, const epilog::IndexEntry& block) {
    last = std::max({last, process.clock.Ns(block.last_time),
                     process.map.last_ticks == 0 ? last : process.clock.Ns(process.map.last_ticks)});
  });
  return std::max(std::min(last, part.to), FirstNs(part));
}

uint64_t CountEvents(const TracePart& part) {
  uint64_t events = 0;
  ForBlocks(part, [&](const TraceArchive::Process&, const epilog::IndexEntry& block) { events += block.events; });
  return events;
}

std::string_view NameOf(const TracePart& part, uint32_t stream, const Frame& frame) {
  if (frame.call_path == kNone) {
    return part.archive->NameOfNode(part.archive->streams()[stream].process, frame.node);
  }
  const Profile& profile = part.archive->definitions().profile;
  return profile.regions[profile.call_paths[frame.call_path].region].name;
}

int32_t RankOf(const TracePart& part, uint32_t stream) {
  return part.archive->processes()[part.archive->streams()[stream].process]->map.rank;
}

}  // namespace epik::archive
