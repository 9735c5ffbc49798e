// SPDX-License-Identifier: BSD-3-Clause
// timeline.epk: a head with the version and the trace, and one zlib stream of coded numbers (docs/formats.md).
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "analysis/timeline/timeline.h"
#include "archive/files/coded.h"
#include "archive/files/inflate.h"

namespace epik::timeline {
namespace {

using archive::CodedIn;
using archive::CodedOut;

constexpr char kMagic[8] = {'E', 'P', 'I', 'K', 'T', 'M', 'L', '\n'};
constexpr uint32_t kVersion = 5;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // unpacked

struct Head {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
  uint64_t fingerprint;
  uint64_t unpacked_bytes;
};
static_assert(sizeof(Head) == 32);

// The sum of a number and the next one of the file. It may overflow in a forged file; unsigned numbers wrap.
int64_t GetSum(int64_t number, CodedIn* in) {
  return static_cast<int64_t>(static_cast<uint64_t>(number) + static_cast<uint64_t>(in->GetSigned()));
}

int64_t GetTime(int64_t* last, CodedIn* in) { return *last = GetSum(*last, in); }

void PutBins(const Bins& bins, CodedOut* out) {
  out->PutSigned(bins.from);
  out->PutSigned(bins.width);
  out->Put(bins.size());
  int64_t last = 0;
  for (size_t bin = 0; bin < bins.size(); ++bin) {
    out->Put(bins.begin[bin + 1] - bins.begin[bin]);
    for (uint32_t p = bins.begin[bin]; p < bins.begin[bin + 1]; ++p) {
      out->Put(bins.parts[p].kind);
      out->Put(bins.parts[p].share);
    }
    const int64_t path = bins.path[bin] == kNoPath ? -1 : static_cast<int64_t>(bins.path[bin]);
    out->PutSigned(path - last);
    last = path;
    out->Put(bins.waiting[bin]);
  }
}

bool GetBins(CodedIn* in, Bins* bins) {
  bins->from = in->GetSigned();
  bins->width = in->GetSigned();
  const uint64_t count = in->GetCount();
  if (!in->good() || bins->width <= 0) return false;
  int64_t last = 0;
  for (uint64_t bin = 0; bin < count && in->good(); ++bin) {
    const uint64_t parts = in->GetCount();
    if (parts > kKindCount) return false;
    for (uint64_t p = 0; p < parts; ++p) {
      const uint64_t kind = in->Get();
      const uint64_t share = in->Get();
      if (kind >= kKindCount || share > UINT16_MAX) return false;
      bins->parts.push_back({static_cast<uint8_t>(kind), static_cast<uint16_t>(share)});
    }
    bins->begin.push_back(static_cast<uint32_t>(bins->parts.size()));
    last = GetSum(last, in);
    if (last < -1 || last > UINT32_MAX) return false;
    bins->path.push_back(last < 0 ? kNoPath : static_cast<uint32_t>(last));
    bins->waiting.push_back(static_cast<uint8_t>(in->Get()));
  }
  return in->good();
}

void PutLongCalls(const std::vector<LongCall>& calls, CodedOut* out) {
  out->Put(calls.size());
  LongCall last;
  for (const LongCall& call : calls) {
    out->PutSigned(int64_t{call.depth} - int64_t{last.depth});
    out->PutSigned(call.enter - last.leave);
    out->PutSigned(call.leave - call.enter);
    last = call;
  }
}

// The order lets a reader search for a call by halves.
bool GetLongCalls(CodedIn* in, std::vector<LongCall>* calls) {
  LongCall last;
  for (uint64_t count = in->GetCount(); count > 0 && in->good(); --count) {
    const int64_t depth = GetSum(last.depth, in);
    if (depth < int64_t{last.depth} || depth > UINT32_MAX) return false;
    LongCall call;
    call.depth = static_cast<uint32_t>(depth);
    call.enter = GetSum(last.leave, in);
    call.leave = GetSum(call.enter, in);
    const bool ordered =
        call.leave >= call.enter && (call.depth > last.depth || calls->empty() || call.enter >= last.leave);
    if (!ordered) return false;
    calls->push_back(last = call);
  }
  return in->good();
}

template <class Item, class PutOne>
void PutSample(const Sample<Item>& sample, CodedOut* out, const PutOne& put) {
  out->Put(sample.one_of);
  out->Put(sample.items.size());
  int64_t last = 0;
  for (const Item& item : sample.items) put(item, &last);
}

template <class Item, class GetOne>
bool GetSample(CodedIn* in, Sample<Item>* sample, const GetOne& get) {
  sample->one_of = in->Get();
  const uint64_t count = in->GetCount();
  int64_t last = 0;
  for (uint64_t i = 0; i < count && in->good(); ++i) sample->items.push_back(get(&last));
  return in->good() && sample->one_of > 0;
}

void PutTime(int64_t ns, int64_t* last, CodedOut* out) {
  out->PutSigned(ns - *last);
  *last = ns;
}

void PutCurve(const Curve& curve, CodedOut* out) {
  out->Put(curve.location);
  out->PutText(curve.name);
  out->PutText(curve.unit);
  out->Put(curve.points.size());
  int64_t last = 0;
  for (const Curve::Point& point : curve.points) {
    PutTime(point.at, &last, out);
    out->PutBits(point.least);
    out->PutBits(point.most);
    out->PutBits(point.last);
  }
}

bool GetCurve(CodedIn* in, Curve* curve) {
  curve->location = in->Get32();
  curve->name = in->GetText();
  curve->unit = in->GetText();
  const uint64_t count = in->GetCount();
  int64_t last = 0;
  for (uint64_t i = 0; i < count && in->good(); ++i) {
    Curve::Point point = {GetTime(&last, in), in->GetBits(), in->GetBits(), in->GetBits()};
    if (!std::isfinite(point.least) || !std::isfinite(point.most) || !std::isfinite(point.last)) return false;
    curve->points.push_back(point);
  }
  return in->good();
}

void PutMarks(const Timeline& timeline, CodedOut* out) {
  int64_t last = 0;
  out->Put(timeline.critical.size());
  for (const Stretch& stretch : timeline.critical) {
    PutTime(stretch.from, &last, out);
    out->PutSigned(stretch.to - stretch.from);
    out->Put(stretch.location);
  }
  last = 0;
  out->Put(timeline.markers.size());
  for (const Marker& marker : timeline.markers) {
    PutTime(marker.from, &last, out);
    out->PutSigned(marker.to - marker.from);
    out->Put(marker.location);
    out->Put(static_cast<uint64_t>(marker.mark));
  }
  out->Put(timeline.curves_left_out);
  out->Put(timeline.curves.size());
  for (const Curve& curve : timeline.curves) PutCurve(curve, out);
}

bool GetMarks(CodedIn* in, Timeline* timeline) {
  int64_t last = 0;
  for (uint64_t count = in->GetCount(); count > 0 && in->good(); --count) {
    Stretch stretch;
    stretch.from = GetTime(&last, in);
    stretch.to = GetSum(stretch.from, in);
    stretch.location = in->Get32();
    timeline->critical.push_back(stretch);
  }
  last = 0;
  for (uint64_t count = in->GetCount(); count > 0 && in->good(); --count) {
    Marker marker;
    marker.from = GetTime(&last, in);
    marker.to = GetSum(marker.from, in);
    marker.location = in->Get32();
    const uint64_t mark = in->Get();
    if (mark >= std::size(kMarkNames)) return false;
    marker.mark = static_cast<Mark>(mark);
    timeline->markers.push_back(marker);
  }
  timeline->curves_left_out = in->Get();
  for (uint64_t count = in->GetCount(); count > 0 && in->good(); --count) {
    if (!GetCurve(in, &timeline->curves.emplace_back())) return false;
  }
  return in->good();
}

// Whether differences and sums of all times can be told: in a forged file they may be any numbers.
bool TimesFit(const Timeline& timeline) {
  constexpr int64_t kLongest = INT64_MAX / 4;  // 73 years
  const auto fits = [](auto... times) { return ((times >= -kLongest && times <= kLongest) && ...); };
  bool fit = fits(timeline.from, timeline.to);
  for (const Bins& bins : timeline.locations) {
    fit = fit && fits(bins.from) && bins.width <= kLongest / static_cast<int64_t>(bins.size() + 1);
  }
  for (const std::vector<LongCall>& calls : timeline.long_calls) {
    for (const LongCall& call : calls) fit = fit && fits(call.enter, call.leave);
  }
  for (const Message& m : timeline.messages.items) fit = fit && fits(m.sent, m.received);
  for (const Wait& w : timeline.waits.items) fit = fit && fits(w.from, w.to, w.caused);
  for (const Meeting& m : timeline.meetings.items) fit = fit && fits(m.first_in, m.last_in, m.last_out);
  for (const Stretch& stretch : timeline.critical) fit = fit && fits(stretch.from, stretch.to);
  for (const Marker& marker : timeline.markers) fit = fit && fits(marker.from, marker.to);
  for (const Curve& curve : timeline.curves) {
    for (const Curve::Point& point : curve.points) fit = fit && fits(point.at);
  }
  return fit;
}

}  // namespace

std::string Pack(const Timeline& timeline, uint64_t fingerprint) {
  CodedOut out;
  out.PutSigned(timeline.from);
  out.PutSigned(timeline.to);
  out.Put(timeline.events);
  out.Put(timeline.locations.size());
  for (const Bins& bins : timeline.locations) PutBins(bins, &out);
  for (size_t column = 0; column < timeline.locations.size(); ++column) {
    PutLongCalls(column < timeline.long_calls.size() ? timeline.long_calls[column] : std::vector<LongCall>(), &out);
  }
  PutSample(timeline.messages, &out, [&](const Message& m, int64_t* last) {
    PutTime(m.sent, last, &out);
    out.PutSigned(m.received - m.sent);
    out.Put(m.from);
    out.Put(m.to);
    out.Put(m.bytes);
    out.PutSigned(m.tag);
    out.Put(m.communicator);
  });
  PutSample(timeline.waits, &out, [&](const Wait& w, int64_t* last) {
    PutTime(w.from, last, &out);
    out.PutSigned(w.to - w.from);
    out.PutSigned(w.caused - w.from);
    out.Put(w.location);
    out.Put(w.cause);
    out.Put(w.path);
    out.Put(w.pattern);
    out.Put(w.goes_on ? 1 : 0);
  });
  PutSample(timeline.meetings, &out, [&](const Meeting& m, int64_t* last) {
    PutTime(m.first_in, last, &out);
    out.PutSigned(m.last_in - m.first_in);
    out.PutSigned(m.last_out - m.first_in);
    out.Put(m.path);
    out.Put(m.communicator);
  });
  PutMarks(timeline, &out);
  const std::string plain = out.Take();
  uLongf bytes = compressBound(plain.size());
  std::string file(sizeof(Head) + bytes, '\0');
  Head head = {};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  head.version = kVersion;
  head.fingerprint = fingerprint;
  head.unpacked_bytes = plain.size();
  std::memcpy(file.data(), &head, sizeof head);
  constexpr int kFast = 1;
  const int status = compress2(reinterpret_cast<Bytef*>(file.data() + sizeof head), &bytes,
                               reinterpret_cast<const Bytef*>(plain.data()), plain.size(), kFast);
  if (status != Z_OK) return "";
  file.resize(sizeof head + bytes);
  return file;
}

bool Unpack(const std::string& file, uint64_t fingerprint, Timeline* timeline) {
  Head head;
  if (file.size() < sizeof head) return false;
  std::memcpy(&head, file.data(), sizeof head);
  if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0 || head.version != kVersion) return false;
  // zlib expands by a factor of 1032 at most.
  constexpr uint64_t kMostRatio = 1032;
  const uint64_t most = std::min(kMostBytes, (file.size() - sizeof head) * kMostRatio);
  if (head.fingerprint != fingerprint || head.unpacked_bytes > most) return false;
  std::string plain;
  if (!archive::Inflate(file.substr(sizeof head), false, head.unpacked_bytes, &plain)) return false;
  CodedIn in(plain);
  Timeline read;
  read.from = in.GetSigned();
  read.to = in.GetSigned();
  read.events = in.Get();
  read.locations.resize(in.GetCount());
  for (Bins& bins : read.locations) {
    if (!GetBins(&in, &bins)) return false;
  }
  read.long_calls.resize(read.locations.size());
  for (std::vector<LongCall>& calls : read.long_calls) {
    if (!GetLongCalls(&in, &calls)) return false;
  }
  const bool messages = GetSample(&in, &read.messages, [&](int64_t* last) {
    Message m;
    m.sent = GetTime(last, &in);
    m.received = GetSum(m.sent, &in);
    m.from = in.Get32();
    m.to = in.Get32();
    m.bytes = in.Get();
    m.tag = static_cast<int32_t>(in.GetSigned());
    m.communicator = in.Get32();
    return m;
  });
  const bool waits = messages && GetSample(&in, &read.waits, [&](int64_t* last) {
                       Wait w;
                       w.from = GetTime(last, &in);
                       w.to = GetSum(w.from, &in);
                       w.caused = GetSum(w.from, &in);
                       w.location = in.Get32();
                       w.cause = in.Get32();
                       w.path = in.Get32();
                       w.pattern = static_cast<uint8_t>(std::min<uint64_t>(in.Get(), std::size(kPatternNames) - 1));
                       w.goes_on = in.Get() != 0;
                       return w;
                     });
  const bool meetings = waits && GetSample(&in, &read.meetings, [&](int64_t* last) {
                          Meeting m;
                          m.first_in = GetTime(last, &in);
                          m.last_in = GetSum(m.first_in, &in);
                          m.last_out = GetSum(m.first_in, &in);
                          m.path = in.Get32();
                          m.communicator = in.Get32();
                          return m;
                        });
  if (!meetings || !GetMarks(&in, &read) || !in.AtEnd() || !TimesFit(read)) return false;
  *timeline = std::move(read);
  return true;
}

}  // namespace epik::timeline
