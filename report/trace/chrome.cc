// SPDX-License-Identifier: BSD-3-Clause
#include "report/trace/chrome.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "archive/trace/record_names.h"
#include "archive/trace/record_text.h"
#include "report/trace/reduce.h"

namespace epik::report {

using archive::Frame;
using archive::JsonNumber;
using archive::JsonText;
using archive::TraceVisitor;

using archive::TraceArchive;
using event::RecordKind;

namespace {

constexpr uint64_t kEventBytesAtMost = 300;  // of an event; it is typically much less, but a guess saves a count
constexpr size_t kTail = 64;

// Microseconds, the unit of all events in this format.
std::string Micros(int64_t ns) {
  char text[40];
  const uint64_t size = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  std::snprintf(text, sizeof text, "%s%llu.%03llu", ns < 0 ? "-" : "", static_cast<unsigned long long>(size / 1000),
                static_cast<unsigned long long>(size % 1000));
  return text;
}

// Without `out`, it only counts.
class ChromeWriter : public TraceVisitor {
 public:
  ChromeWriter(const TracePart& part, Buffer* out, int64_t shortest, uint64_t most)
      : part_(part), out_(out), shortest_(shortest), most_(most), flush_(part.archive->streams().size(), INT64_MIN) {
    for (const archive::Region& region : part.archive->definitions().profile.regions) {
      names_.push_back(JsonText(region.name) + ",\"cat\":" + JsonText(region.paradigm));
    }
    for (uint32_t s = 0; s < part.archive->streams().size(); ++s) {
      places_.push_back(",\"pid\":" + std::to_string(RankOf(part, s) + 1) + ",\"tid\":" + std::to_string(s + 1));
    }
  }

  void Begin() {
    const TraceArchive& archive = *part_.archive;
    Raw("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"origin\":\"EPIK\"},\"traceEvents\":[\n");
    for (const uint32_t s : part_.streams) {
      const TraceArchive::Stream& stream = archive.streams()[s];
      const std::string rank = std::to_string(RankOf(part_, s));
      const std::string thread = std::to_string(stream.number);
      const std::string head = "{\"ph\":\"M\"" + places_[s] + ",\"name\":\"";
      Always(head + "process_name\",\"args\":{\"name\":\"rank " + rank + "\"}}");
      Always(head + "process_sort_index\",\"args\":{\"sort_index\":" + rank + "}}");
      Always(head + "thread_name\",\"args\":{\"name\":\"thread " + thread + "\"}}");
      Always(head + "thread_sort_index\",\"args\":{\"sort_index\":" + thread + "}}");
    }
  }
  void Finish() { Raw("\n]}\n"); }

  void Leave(uint32_t stream, int64_t ns, const Frame& frame) override {
    const int64_t duration = ns - frame.begin;
    if (duration < shortest_) {
      ++short_;
      return;
    }
    Call(stream, frame.begin, duration, frame.call_path == archive::kNone ? Unnamed(stream, frame) : Named(frame));
  }

  void Record(uint32_t stream, int64_t ns, const archive::Event& event) override {
    const uint32_t process = part_.archive->streams()[stream].process;
    switch (event.kind) {
      case RecordKind::kFlushBegin: flush_[stream] = ns; return;
      case RecordKind::kFlushEnd:
        if (flush_[stream] != INT64_MIN) {
          Call(stream, flush_[stream], ns - flush_[stream], "\"flush\",\"cat\":\"measurement\"");
        }
        return;
      case RecordKind::kMetric: {
        const uint32_t thread = part_.archive->streams()[stream].number;
        std::string name = RegionOfField(*part_.archive, process, event.field[0]);
        if (thread != 0) name += " (thread " + std::to_string(thread) + ")";
        Event("{\"ph\":\"C\",\"name\":" + JsonText(name) + places_[stream] + ",\"ts\":" + Micros(ns) +
              ",\"args\":{\"value\":" + JsonNumber(std::bit_cast<double>(event.field[1])) + "}}");
        return;
      }
      // These are parts of things that are shown as a whole.
      case RecordKind::kAt:
      case RecordKind::kBarrier:
      case RecordKind::kTaskWait:
      case RecordKind::kCollectiveBegin:
      case RecordKind::kCollectiveCall:
      case RecordKind::kCollectivePeers:
      case RecordKind::kCollectivePosted:
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
      case RecordKind::kReceiveBegin:
      case RecordKind::kReceivePosted:
      case RecordKind::kSendEnd:
      case RecordKind::kRequestTest: return;
      default: break;
    }
    Event("{\"ph\":\"i\",\"s\":\"t\",\"name\":\"" + std::string(archive::NameOf(event.kind).name) +
          "\",\"cat\":\"record\"" + places_[stream] + ",\"ts\":" + Micros(ns) +
          ",\"args\":" + JsonFields(*part_.archive, process, event) + "}");
  }

  // Draws an arrow from the call that sent to the call that received.
  void Message(const archive::Message& message) override {
    const std::string what = ",\"name\":\"message\",\"cat\":\"message\",\"id\":" + std::to_string(++messages_);
    const std::string bytes = ",\"args\":{\"tag\":" + std::to_string(message.tag) +
                              ",\"bytes\":" + std::to_string(message.receive.bytes) + "}}";
    // Viewers draw no arrows that go back in time.
    const int64_t arrives = std::max(message.send.ns, message.receive.ns);
    Event("{\"ph\":\"s\"" + what + places_[message.send.stream] + ",\"ts\":" + Micros(message.send.ns) + bytes +
          ",\n{\"ph\":\"f\",\"bp\":\"e\"" + what + places_[message.receive.stream] + ",\"ts\":" + Micros(arrives) +
          bytes);
  }

  const BytesByDuration& calls() const { return calls_; }
  uint64_t bytes() const { return bytes_; }  // bytes of everything except calls
  uint64_t short_calls() const { return short_; }
  uint64_t beyond() const { return beyond_; }

 private:
  const std::string& Named(const Frame& frame) const {
    return names_[part_.archive->definitions().profile.call_paths[frame.call_path].region];
  }
  std::string Unnamed(uint32_t stream, const Frame& frame) const {
    return JsonText(NameOf(part_, stream, frame)) + ",\"cat\":\"folded\"";
  }

  void Call(uint32_t stream, int64_t begin, int64_t duration, const std::string& name) {
    const std::string text = "{\"ph\":\"X\",\"name\":" + name + places_[stream] + ",\"ts\":" + Micros(begin) +
                             ",\"dur\":" + Micros(duration) + "}";
    if (out_ == nullptr) {
      calls_.Add(duration, text.size() + 2);
    } else {
      Event(text);
    }
  }

  void Event(const std::string& text) {
    if (out_ != nullptr && most_ != 0 && bytes_ + text.size() + kTail > most_) {
      ++beyond_;
      return;
    }
    Always(text);
  }
  void Always(const std::string& text) {
    if (events_++ > 0) Raw(",\n");
    Raw(text);
  }
  void Raw(std::string_view text) {
    bytes_ += text.size();
    if (out_ != nullptr) *out_ << text;
  }

  const TracePart& part_;
  Buffer* out_;
  int64_t shortest_;
  uint64_t most_;
  std::vector<int64_t> flush_;       // by stream: begin of the open flush
  std::vector<std::string> names_;   // by region
  std::vector<std::string> places_;  // by stream
  BytesByDuration calls_;
  uint64_t bytes_ = 0, events_ = 0, messages_ = 0, short_ = 0, beyond_ = 0;
};

}  // namespace

bool WriteChrome(const TracePart& part, const Sink& sink, std::vector<std::string>* notes, std::string*) {
  return WriteWhatFits<ChromeWriter>(part, kEventBytesAtMost, sink, notes);
}

}  // namespace epik::report
