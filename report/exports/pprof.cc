// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/pprof.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/exports/stacks.h"
#include "report/figures.h"
#include "view/text.h"

namespace epik::report {
namespace {

using archive::kNone;
using archive::Profile;
using archive::Type;

// Numbers of fields in profile.proto.
enum Field : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kDurationNanos = 10,
  kDefaultSampleType = 14,
};

// The wire format of protocol buffers: numbers with seven bits a byte, and byte strings with their length.
class Message {
 public:
  void Number(uint32_t field, uint64_t value) {
    if (value == 0) return;  // readers take 0 for a missing field
    Varint(uint64_t{field} << 3);
    Varint(value);
  }
  void Bytes(uint32_t field, std::string_view bytes) {
    Varint(uint64_t{field} << 3 | 2);
    Varint(bytes.size());
    bytes_ += bytes;
  }
  void Packed(uint32_t field, const std::vector<uint64_t>& values) {
    Message packed;
    for (const uint64_t value : values) packed.Varint(value);
    Bytes(field, packed.bytes_);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

class Gzip {
 public:
  explicit Gzip(const Sink& sink) : sink_(sink) {
    constexpr int kGzipFormat = 16;
    deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipFormat, 8, Z_DEFAULT_STRATEGY);
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() {
    Deflate("", Z_FINISH);
    deflateEnd(&stream_);
  }
  void Put(uint32_t field, const Message& message) {
    Message outer;
    outer.Bytes(field, message.bytes());
    Deflate(outer.bytes(), Z_NO_FLUSH);
  }
  void Put(const Message& fields) { Deflate(fields.bytes(), Z_NO_FLUSH); }

 private:
  void Deflate(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      char packed[16384];
      stream_.next_out = reinterpret_cast<Bytef*>(packed);
      stream_.avail_out = sizeof packed;
      deflate(&stream_, flush);
      sink_(std::string_view(packed, sizeof packed - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

  const Sink& sink_;
  z_stream stream_{};
};

class PprofWriter {
 public:
  PprofWriter(const Profile& profile, const Sink& sink) : profile_(profile), out_(sink) { String(""); }

  void Write(const archive::Manifest& manifest) {
    Types();
    Functions();
    Samples();
    Message rest;
    if (profile_.FindMetric("time") != kNone) rest.Number(kDefaultSampleType, String("time"));
    rest.Number(kDurationNanos, Nanoseconds(manifest.wall_seconds));
    out_.Put(rest);
    Message strings;
    for (const std::string& text : strings_) strings.Bytes(kStringTable, text);
    out_.Put(strings);
  }

 private:
  static uint64_t Nanoseconds(double seconds) {
    return seconds > 0 && seconds < 9e9 ? static_cast<uint64_t>(std::llround(seconds * 1e9)) : 0;
  }

  // Strings must be UTF-8.
  uint64_t String(const std::string& text) {
    const auto [found, fresh] = numbers_.emplace(text, strings_.size());
    if (fresh) strings_.push_back(view::Printable(text));
    return found->second;
  }

  void Types() {
    for (uint32_t m = 0; m < profile_.metrics.size(); ++m) {
      const archive::Metric& metric = profile_.metrics[m];
      if (metric.type != Type::kUint64 && metric.type != Type::kDouble) continue;
      Message type;
      type.Number(1, String(metric.unique_name));
      const bool seconds = metric.unit == "sec";
      const bool whole = seconds || IsWhole(m);
      type.Number(2, String(seconds                  ? "nanoseconds"
                            : !whole                 ? "millionths"
                            : metric.unit == "bytes" ? "bytes"
                                                     : "count"));
      out_.Put(kSampleType, type);
      splits_.emplace_back(profile_, m);
      scales_.push_back(seconds ? 1e9 : whole ? 1 : 1e6);
    }
  }

  // The format has only whole numbers as values: a ratio would become 0.
  bool IsWhole(uint32_t metric) const {
    const archive::Values& values = profile_.values[metric];
    if (values.type() == Type::kUint64) return true;
    for (uint32_t p = 0; p < profile_.call_paths.size(); ++p) {
      for (uint32_t l = 0; values.Has(p) && l < profile_.locations.size(); ++l) {
        const double value = values.Real(p, l);
        if (std::isfinite(value) && value != std::floor(value)) return false;
      }
    }
    return true;
  }

  // A region becomes a function with one location, and numbers begin with 1.
  void Functions() {
    for (uint32_t r = 0; r < profile_.regions.size(); ++r) {
      const archive::Region& region = profile_.regions[r];
      const auto line = static_cast<uint64_t>(std::max(region.begin_line, 0));
      Message function, place, where;
      function.Number(1, uint64_t{r} + 1);
      function.Number(2, String(region.name.empty() ? "(unnamed)" : region.name));
      function.Number(3, String(region.mangled));
      function.Number(4, String(region.file));
      function.Number(5, line);
      out_.Put(kFunction, function);
      where.Number(1, uint64_t{r} + 1);
      where.Number(2, line);
      place.Number(1, uint64_t{r} + 1);
      place.Bytes(4, where.bytes());
      out_.Put(kLocation, place);
    }
  }

  void Samples() {
    std::vector<uint64_t> stack;  // the outermost first
    const auto enter = [&](uint32_t p) { stack.push_back(uint64_t{profile_.call_paths[p].region} + 1); };
    const auto leave = [&](uint32_t p) {
      const size_t depth = std::min(stack.size(), kDeepestStack);
      const std::vector<uint64_t> innermost_first(stack.rend() - static_cast<std::ptrdiff_t>(depth), stack.rend());
      for (uint32_t l = 0; l < profile_.locations.size(); ++l) Sample(p, l, innermost_first);
      stack.pop_back();
    };
    Walk(profile_, profile_.MakeLinks(), enter, leave);
  }

  void Sample(uint32_t path, uint32_t location, const std::vector<uint64_t>& stack) {
    std::vector<uint64_t> values;
    bool any = false;
    for (size_t i = 0; i < splits_.size(); ++i) {
      const double value = splits_[i].Exclusive(path, location) * scales_[i];
      const bool fits = std::fabs(value) < 9e18;
      values.push_back(fits ? static_cast<uint64_t>(std::llround(value)) : 0);
      any = any || values.back() != 0;
    }
    if (!any) return;
    Message sample;
    sample.Packed(1, stack);
    sample.Packed(2, values);
    Label("rank", RankOf(profile_, location), &sample);
    Label("thread", profile_.locations[location].thread, &sample);
    out_.Put(kSample, sample);
  }

  // Writes the number as text, because viewers show texts and filter by them, but put numbers into buckets.
  void Label(const char* key, int number, Message* sample) {
    Message label;
    label.Number(1, String(key));
    label.Number(2, String(std::to_string(number)));
    sample->Bytes(3, label.bytes());
  }

  const Profile& profile_;
  Gzip out_;
  std::vector<std::string> strings_;
  std::unordered_map<std::string, uint64_t> numbers_;
  std::vector<Split> splits_;  // of those metrics that add up
  std::vector<double> scales_;
};

}  // namespace

void WritePprof(const Profile& profile, const archive::Manifest& manifest, const Sink& sink) {
  PprofWriter(profile, sink).Write(manifest);
}

}  // namespace epik::report
