// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/drivers/reading.h"

#include <numeric>
#include <utility>

#include "analysis/replay/archive_world.h"
#include "archive/directory/archive.h"
#include "archive/files/parallel.h"

namespace epik::drivers {

using archive::TraceArchive;
using critical::Segment;
using graph::Slice;

namespace {

// Questions to helpers, by their first word.
enum Question : uint64_t { kTally, kCut };

// The number of events of each location. The index of a file has the number of events in each block, so the work is
// shared out before any block is read.
std::vector<uint64_t> EventsOf(const TraceArchive& traces) {
  std::vector<uint64_t> events;
  for (const TraceArchive::Stream& stream : traces.streams()) {
    events.push_back(0);
    for (const epilog::IndexEntry& block : traces.processes()[stream.process]->file.blocks()) {
      if (block.location == stream.number) events.back() += block.events;
    }
  }
  return events;
}

// The number of events that could be read while another thread replays the trace. Replay takes long for records, and
// next to no time for calls without waits. Some blocks tell how many bytes of records come with an event.
uint64_t EventsForReplay(const TraceArchive& traces, uint64_t events) {
  constexpr uint64_t kEventsForAByte = 8;
  constexpr size_t kAsked = 64;
  size_t blocks = 0, at = 0;
  for (const auto& process : traces.processes()) blocks += process->file.blocks().size();
  const size_t step = std::max<size_t>(blocks / kAsked, 1);
  uint64_t asked = 0, bytes = 0;
  for (const auto& process : traces.processes()) {
    for (size_t b = 0; b < process->file.blocks().size(); ++b, ++at) {
      epilog::BlockHeader header;
      if (at % step != 0 || !process->file.ReadHeader(b, &header)) continue;
      asked += header.events;
      bytes += header.column_bytes[epilog::kFields];
    }
  }
  const double share = asked == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(asked);
  return static_cast<uint64_t>(share * static_cast<double>(events * kEventsForAByte));
}

std::vector<uint64_t> WordsOfSlices(const std::vector<Slice>& slices, int64_t least_ns) {
  std::vector<uint64_t> words = {kCut, static_cast<uint64_t>(least_ns)};
  for (const Slice& slice : slices) {
    words.push_back(static_cast<uint64_t>(slice.from));
    words.push_back(static_cast<uint64_t>(slice.to));
  }
  return words;
}
std::vector<Slice> SlicesOf(const std::vector<uint64_t>& words, uint32_t location) {
  std::vector<Slice> slices;
  for (size_t at = 2; at + 1 < words.size(); at += 2) {
    slices.push_back({location, static_cast<int64_t>(words[at]), static_cast<int64_t>(words[at + 1])});
  }
  return slices;
}

std::vector<uint64_t> WordsOfSegments(const std::vector<Segment>& segments) {
  std::vector<uint64_t> words;
  for (const Segment& segment : segments) {
    for (const uint64_t word :
         {static_cast<uint64_t>(segment.from), static_cast<uint64_t>(segment.to), uint64_t{segment.path}}) {
      words.push_back(word);
    }
  }
  return words;
}
std::vector<Segment> SegmentsOfWords(const std::vector<uint64_t>& words, uint32_t location) {
  std::vector<Segment> segments;
  for (size_t at = 0; at + 2 < words.size(); at += 3) {
    segments.push_back({static_cast<int64_t>(words[at]), static_cast<int64_t>(words[at + 1]), location,
                        static_cast<uint32_t>(words[at + 2])});
  }
  return segments;
}

}  // namespace

unsigned ThreadsFor(const TraceArchive& traces) {
  constexpr uint64_t kWorthAThread = uint64_t{4} << 20;
  uint64_t bytes = 0;
  for (const auto& process : traces.processes()) bytes += process->file.bytes();
  return static_cast<unsigned>(std::clamp<uint64_t>(bytes / kWorthAThread, 1, archive::Cores()));
}

Reading::Reading(const TraceArchive& traces, const replay::World& world, clocks::Corrections corrections,
                 const Workers& workers, Gathering gathering)
    : workers_(workers), locations_(world.locations.size()), own_(traces, world, workers.limit), sources_(locations_) {
  own_.Begin(std::move(corrections), gathering);
  Helpers* helpers = workers_.helpers;
  if (helpers != nullptr) {
    // Helpers learn first which locations are theirs, and which times to use. Sources() is the first to ask for a
    // batch, and by then the lanes can take it.
    const std::vector<uint64_t> events = EventsOf(traces);
    helpers->Share(events, EventsForReplay(traces, std::accumulate(events.begin(), events.end(), uint64_t{0})));
    std::vector<uint64_t> words = own_.corrections().Words();
    words.insert(words.begin(), static_cast<uint64_t>(gathering));
    helpers->Begin(words);
  }
  for (uint32_t l = 0; l < locations_; ++l) {
    if (!HelperReads(l)) sources_[l] = own_.Source(l);
  }
  if (helpers != nullptr) {
    lanes_.emplace(std::move(sources_), 0, helpers, workers_.limit);
    helpers->Serve(&*lanes_);
  } else if (workers_.threads > 1) {
    lanes_.emplace(std::move(sources_), workers_.threads - 1, nullptr, workers_.limit);
  }
}

Reading::~Reading() {
  // The helpers outlive this reading: their listener must not put a batch into lanes that are gone.
  if (workers_.helpers != nullptr) workers_.helpers->Serve(nullptr);
}

bool Reading::HelperReads(uint32_t location) const {
  return workers_.helpers != nullptr && workers_.helpers->Read(location);
}

std::vector<std::unique_ptr<replay::EventSource>> Reading::Sources() {
  return lanes_.has_value() ? lanes_->Sources() : std::move(sources_);
}

std::vector<std::string> Reading::Damage() {
  std::vector<std::string> all;
  for (uint32_t l = 0; l < locations_; ++l) {
    const std::vector<std::string> some = HelperReads(l) ? workers_.helpers->TakeDamage(l) : own_.damage(l);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<std::string> Reading::Tallies() {
  for (uint32_t l = 0; l < locations_; ++l) {
    if (HelperReads(l)) workers_.helpers->Ask(l, {kTally});
  }
  std::vector<std::string> tallies(locations_);
  for (uint32_t l = 0; l < locations_; ++l) {
    tallies[l] = HelperReads(l) ? TextOf(workers_.helpers->Answer(l, workers_.limit)) : own_.tally(l);
  }
  return tallies;
}

std::vector<Segment> Reading::SegmentsOf(const critical::Path& path, int64_t least_ns) {
  std::vector<std::vector<Slice>> slices = critical::SlicesByLocation(path, locations_);
  std::vector<std::vector<Segment>> found(locations_);
  std::vector<uint32_t> own, others;
  for (uint32_t l = 0; l < locations_; ++l) {
    if (!slices[l].empty()) (HelperReads(l) ? others : own).push_back(l);
  }
  for (const uint32_t l : others) workers_.helpers->Ask(l, WordsOfSlices(slices[l], least_ns));
  archive::ForEachPart(own.size(), workers_.threads,
                       [&](size_t i) { found[own[i]] = own_.Cut(own[i], std::move(slices[own[i]]), least_ns); });
  for (const uint32_t l : others) found[l] = SegmentsOfWords(workers_.helpers->Answer(l, workers_.limit), l);
  return critical::InOrder(found);
}

int HelpToRead(Link* link, const std::string& path, const archive::TimeLimit& limit) {
  const Pulse pulse({link}, BeatOf(kPatience));
  archive::Archive archive;
  TraceArchive traces;
  std::string error;
  if (!archive::Open(path, &archive, &error) || !traces.Open(path, &error)) {
    return Help(link, {});  // rank 0 found the same damage, or fails when it asks for something
  }
  const replay::World world = replay::WorldOf(traces, path, archive.has_manifest ? &archive.manifest : nullptr);
  OwnReading own(traces, world, limit);
  Helper helper;
  helper.locations = world.locations.size();
  helper.begin = [&](std::vector<uint64_t> words) {
    const bool tallies = !words.empty() && words.front() == static_cast<uint64_t>(Gathering::kTallies);
    if (!words.empty()) words.erase(words.begin());
    own.Begin(clocks::Corrections(words), tallies ? Gathering::kTallies : Gathering::kNothing);
  };
  helper.source = [&](uint32_t l) { return own.Source(l); };
  helper.damage = [&](uint32_t l) { return own.damage(l); };
  helper.answer = [&](uint32_t l, const std::vector<uint64_t>& question) {
    if (question.size() < 2 || question.front() != kCut) return WordsOf(own.tally(l));
    return WordsOfSegments(own.Cut(l, SlicesOf(question, l), static_cast<int64_t>(question[1])));
  };
  return Help(link, helper);
}

}  // namespace epik::drivers
