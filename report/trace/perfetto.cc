// SPDX-License-Identifier: BSD-3-Clause
#include "report/trace/perfetto.h"

#include <algorithm>
#include <bit>
#include <map>

#include "archive/trace/record_names.h"
#include "archive/trace/record_text.h"
#include "report/trace/protobuf.h"
#include "report/trace/reduce.h"

namespace epik::report {

using archive::Frame;
using archive::TraceVisitor;

using event::RecordKind;

namespace {

// Field numbers of perfetto/protos/perfetto/trace/…
enum Trace { kPacket = 1 };
enum TracePacket {
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInterned = 12,
  kFlags = 13,
  kTrackDescriptor = 60
};
enum SequenceFlags { kStateCleared = 1, kNeedsState = 2 };
enum InternedData { kEventCategories = 1, kEventNames = 2 };
enum Interned { kIid = 1, kInternedName = 2 };
enum TrackDescriptor { kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8 };
enum CounterDescriptor { kUnit = 3, kUnitName = 6 };
enum CounterUnit : uint64_t { kCount = 2, kSizeBytes = 3 };
enum ProcessDescriptor { kPid = 1, kProcessName = 6 };
enum ThreadDescriptor { kThreadPid = 1, kTid = 2, kThreadName = 5 };
enum TrackEvent {
  kCategory = 3,
  kAnnotation = 4,
  kType = 9,
  kNameIid = 10,
  kTrack = 11,
  kEventName = 23,
  kValue = 44,
  kFlow = 47,
  kFlowEnd = 48
};
enum Type { kBegin = 1, kEnd = 2, kInstant = 3, kCounterValue = 4 };
enum DebugAnnotation { kInt = 4, kJson = 9, kAnnotationName = 10 };

constexpr uint64_t kPacketBytesAtMost = 160;  // of an event; it is typically much less, but a guess saves a count

// Without `out`, it only counts.
class PerfettoWriter : public TraceVisitor {
 public:
  PerfettoWriter(const TracePart& part, Buffer* out, int64_t shortest, uint64_t most)
      : part_(part),
        out_(out),
        shortest_(shortest),
        most_(most),
        origin_(FirstNs(part)),
        written_(part.archive->streams().size(), 0),
        open_(written_.size()) {}

  void Begin() {
    const archive::Profile& profile = part_.archive->definitions().profile;
    ProtoMessage interned;
    for (uint64_t r = 0; r <= profile.regions.size(); ++r) {
      const std::string& name = r < profile.regions.size() ? profile.regions[r].name : folded_;
      interned.Message(kEventNames, ProtoMessage().Number(kIid, r + 1).Text(kInternedName, name));
      const std::string& paradigm = r < profile.regions.size() ? profile.regions[r].paradigm : folded_;
      const auto [at, is_new] = categories_.emplace(paradigm, categories_.size() + 1);
      if (is_new) {
        interned.Message(kEventCategories, ProtoMessage().Number(kIid, at->second).Text(kInternedName, paradigm));
      }
    }
    Always(ProtoMessage().Number(kSequence, 1).Number(kFlags, kStateCleared).Message(kInterned, interned));
    for (const uint32_t s : part_.streams) {
      const auto rank = static_cast<uint64_t>(RankOf(part_, s));
      const ProtoMessage process =
          ProtoMessage().Number(kPid, rank + 1).Text(kProcessName, "rank " + std::to_string(rank));
      Descriptor(ProtoMessage().Number(kUuid, ProcessTrack(s)).Message(kProcess, process));
      const ProtoMessage thread =
          ProtoMessage()
              .Number(kThreadPid, rank + 1)
              .Number(kTid, s + 1)
              .Text(kThreadName, "thread " + std::to_string(part_.archive->streams()[s].number));
      Descriptor(
          ProtoMessage().Number(kUuid, ThreadTrack(s)).Number(kParent, ProcessTrack(s)).Message(kThread, thread));
    }
  }

  void Finish() {}

  void Enter(uint32_t stream, int64_t, const Frame& frame) override { open_[stream].push_back(frame); }

  // A call is written at its end if it was long enough. The calls around it are even longer, and begin before it.
  void Leave(uint32_t stream, int64_t ns, const Frame& frame) override {
    std::vector<Frame>& open = open_[stream];
    if (open.empty()) return;
    const int64_t duration = ns - frame.begin;
    uint32_t& written = written_[stream];
    if (written < open.size() && duration < shortest_) {
      ++short_;
    } else if (out_ == nullptr) {
      calls_.Add(duration, EventBytes(Entry(stream, frame)) + EventBytes(End(stream, ns)));
    } else if (written == open.size()) {
      Always(End(stream, ns));
    } else if (Fits(kPacketBytesAtMost * (open.size() - written)) || Fits(BytesOfOpen(stream, ns))) {
      for (; written < open.size(); ++written) Always(Entry(stream, open[written]));
      Always(End(stream, ns));
    } else {
      ++beyond_;
    }
    open.pop_back();
    written = std::min(written, static_cast<uint32_t>(open.size()));
  }

  void Record(uint32_t stream, int64_t ns, const archive::Event& event) override {
    const uint32_t process = part_.archive->streams()[stream].process;
    switch (event.kind) {
      case RecordKind::kMetric: Metric(stream, ns, process, event); return;
      // These are parts of things that are shown as a whole.
      case RecordKind::kAt:
      case RecordKind::kBarrier:
      case RecordKind::kTaskWait:
      case RecordKind::kSend:
      case RecordKind::kReceive:
      case RecordKind::kSendBegin:
      case RecordKind::kSendEnd:
      case RecordKind::kReceiveBegin:
      case RecordKind::kReceivePosted:
      case RecordKind::kCollectivePosted:
      case RecordKind::kCollectivePeers:
      case RecordKind::kCollectiveCall:
      case RecordKind::kProbe:
      case RecordKind::kTurn:
      case RecordKind::kTurnSince:
      case RecordKind::kSendMode:
      case RecordKind::kTruncated:
      case RecordKind::kCollectiveFailed:
      case RecordKind::kSendRefused:
      case RecordKind::kFreedReceived:
      case RecordKind::kBufferEmpty:
      case RecordKind::kSendReady:
      case RecordKind::kReceiveEnd:
      case RecordKind::kRequestTest:
      case RecordKind::kCollectiveBegin: return;
      default: break;
    }
    const ProtoMessage fields =
        ProtoMessage().Text(kAnnotationName, "fields").Text(kJson, JsonFields(*part_.archive, process, event));
    Event(ns, ProtoMessage()
                  .Number(kType, kInstant)
                  .Number(kTrack, ThreadTrack(stream))
                  .Text(kEventName, archive::NameOf(event.kind).name)
                  .Message(kAnnotation, fields));
  }

  // Writes two instants, and the flow between them.
  void Message(const archive::Message& message) override {
    ++messages_;
    End(message.send, "send", kFlow, message.send.ns, message);
    End(message.receive, "receive", kFlowEnd, std::max(message.receive.ns, message.send.ns), message);
  }

  const BytesByDuration& calls() const { return calls_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t short_calls() const { return short_; }
  uint64_t beyond() const { return beyond_; }

 private:
  // Every event has the number of a track, so these numbers are small.
  uint64_t ProcessTrack(uint32_t stream) const { return uint64_t{part_.archive->streams()[stream].process} * 4 + 1; }
  static uint64_t ThreadTrack(uint32_t stream) { return uint64_t{stream} * 4 + 2; }

  ProtoMessage Packet(int64_t ns, const ProtoMessage& event) const {
    return ProtoMessage()
        .Number(kTimestamp, static_cast<uint64_t>(std::max<int64_t>(ns - origin_, 0)))
        .Message(kTrackEvent, event)
        .Number(kSequence, 1)
        .Number(kFlags, kNeedsState);
  }
  ProtoMessage Entry(uint32_t stream, const Frame& frame) const {
    const archive::Profile& profile = part_.archive->definitions().profile;
    const uint64_t region =
        frame.call_path == archive::kNone ? profile.regions.size() : profile.call_paths[frame.call_path].region;
    const std::string& paradigm = region < profile.regions.size() ? profile.regions[region].paradigm : folded_;
    return Packet(frame.begin, ProtoMessage()
                                   .Number(kType, kBegin)
                                   .Number(kTrack, ThreadTrack(stream))
                                   .Number(kNameIid, region + 1)
                                   .Number(kCategory, categories_.at(paradigm)));
  }
  ProtoMessage End(uint32_t stream, int64_t ns) const {
    return Packet(ns, ProtoMessage().Number(kType, kEnd).Number(kTrack, ThreadTrack(stream)));
  }
  void End(const archive::Message::End& end, const char* name, uint32_t flow, int64_t ns,
           const archive::Message& message) {
    const auto annotation = [](const char* what, int64_t value) {
      return ProtoMessage().Text(kAnnotationName, what).Number(kInt, static_cast<uint64_t>(value));
    };
    Event(ns, ProtoMessage()
                  .Number(kType, kInstant)
                  .Number(kTrack, ThreadTrack(end.stream))
                  .Text(kEventName, name)
                  .Fixed64(flow, messages_)
                  .Message(kAnnotation, annotation("tag", message.tag))
                  .Message(kAnnotation, annotation("bytes", static_cast<int64_t>(message.receive.bytes))));
  }

  void Metric(uint32_t stream, int64_t ns, uint32_t process, const archive::Event& event) {
    const uint32_t thread = part_.archive->streams()[stream].number;
    std::string name = RegionOfField(*part_.archive, process, event.field[0]);
    if (thread != 0) name += " (thread " + std::to_string(thread) + ")";
    const auto [at, is_new] = counters_.emplace(std::pair(stream, event.field[0]), counters_.size() * 4 + 3);
    if (is_new) {
      Descriptor(ProtoMessage()
                     .Number(kUuid, at->second)
                     .Number(kParent, ProcessTrack(stream))
                     .Text(kName, name)
                     .Message(kCounter, UnitOf(process, event.field[0])));
    }
    Event(ns, ProtoMessage()
                  .Number(kType, kCounterValue)
                  .Number(kTrack, at->second)
                  .Double(kValue, std::bit_cast<double>(event.field[1])));
  }

  ProtoMessage UnitOf(uint32_t process, uint64_t number) const {
    const archive::MetricName* metric = part_.archive->Metric(process, number);
    if (metric == nullptr || metric->unit.empty()) return {};
    if (metric->unit == "bytes") return ProtoMessage().Number(kUnit, kSizeBytes);
    if (metric->unit == "#" || metric->unit == "occ") return ProtoMessage().Number(kUnit, kCount);
    return ProtoMessage().Text(kUnitName, metric->unit);
  }

  // Bytes of the open calls that are not in the output yet, if the innermost ends now.
  uint64_t BytesOfOpen(uint32_t stream, int64_t ns) const {
    uint64_t bytes = 0;
    for (size_t i = written_[stream]; i < open_[stream].size(); ++i) {
      bytes += EventBytes(Entry(stream, open_[stream][i])) + EventBytes(End(stream, ns));
    }
    return bytes;
  }
  static uint64_t EventBytes(const ProtoMessage& packet) {
    return ProtoMessage().Message(kPacket, packet).bytes().size();
  }
  // Ends of open calls are always written.
  bool Fits(uint64_t bytes) const { return most_ == 0 || bytes_ + bytes <= most_; }

  void Event(int64_t ns, const ProtoMessage& event) {
    const ProtoMessage packet = Packet(ns, event);
    if (Fits(kPacketBytesAtMost) || Fits(EventBytes(packet))) {
      Always(packet);
    } else {
      ++beyond_;
    }
  }
  void Descriptor(const ProtoMessage& track) {
    Always(ProtoMessage().Number(kSequence, 1).Message(kTrackDescriptor, track));
  }
  void Always(const ProtoMessage& packet) {
    const ProtoMessage whole = ProtoMessage().Message(kPacket, packet);
    bytes_ += whole.bytes().size();
    if (out_ != nullptr) *out_ << whole.bytes();
  }

  const TracePart& part_;
  Buffer* out_;
  int64_t shortest_;
  uint64_t most_;
  int64_t origin_;
  const std::string folded_ = "(folded)";
  std::map<std::string, uint64_t> categories_;  // iid of each
  std::vector<uint32_t> written_;               // by stream: the number of open calls that have begun in the output
  std::vector<std::vector<Frame>> open_;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> counters_;  // stream and number of the metric -> track
  BytesByDuration calls_;
  uint64_t bytes_ = 0, messages_ = 0, short_ = 0, beyond_ = 0;
};

}  // namespace

bool WritePerfetto(const TracePart& part, const Sink& sink, std::vector<std::string>* notes, std::string*) {
  return WriteWhatFits<PerfettoWriter>(part, kPacketBytesAtMost, sink, notes);
}

}  // namespace epik::report
