// SPDX-License-Identifier: BSD-3-Clause
#include "report/pprof.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "report/figures.h"
#include "report/stacks.h"
#include "runtime/archive/metric_tree.h"

namespace epik::report {

using epitome::kNone;
using epitome::Profile;
using epitome::Type;

namespace {

// Protocol buffers, as far as this format needs them: fields are varints or blocks of bytes.
class Message {
 public:
  void Number(uint32_t field, uint64_t value) {
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
    for (uint64_t value : values) packed.Varint(value);
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

// Fields of profile.proto.
enum ProfileField : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kLocation = 4,
  kFunction = 5,
  kString = 6,
  kDuration = 10
};

class Strings {
 public:
  Strings() { Of(""); }
  uint64_t Of(const std::string& text) {
    const auto [at, is_new] = known_.try_emplace(text, list_.size());
    if (is_new) list_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::map<std::string, uint64_t> known_;
  std::vector<std::string> list_;
};

struct Column {
  Split split;
  double scale;  // to whole numbers
};

class Writer {
 public:
  Writer(const Profile& profile, const Sink& sink) : profile_(profile), out_(sink) {}

  void Write(double wall_seconds) {
    AddColumn(profile_.FindMetric("time"));
    for (uint32_t m = 0; m < profile_.metrics.size(); ++m) {
      const epitome::Metric& metric = profile_.metrics[m];
      const bool additive = metric.type == Type::kUint64 || metric.type == Type::kDouble;
      if (additive && metric.unique_name != "time" && !archive::IsDerivedMetric(metric.unique_name)) AddColumn(m);
    }
    if (columns_.empty()) return;
    rank_ = strings_.Of("rank");
    thread_ = strings_.Of("thread");
    WriteRegions();
    WriteSamples();
    Message last;
    for (const std::string& text : strings_.list()) last.Bytes(kString, text);
    if (wall_seconds > 0 && wall_seconds < 1e9) last.Number(kDuration, static_cast<uint64_t>(wall_seconds * 1e9));
    out_ << last.bytes();
  }

 private:
  void Put(uint32_t field, const Message& message) {
    Message outer;
    outer.Bytes(field, message.bytes());
    out_ << outer.bytes();
  }

  void AddColumn(uint32_t metric) {
    if (metric == kNone) return;
    const epitome::Metric& m = profile_.metrics[metric];
    const bool seconds = m.unit == "sec";
    columns_.push_back({Split(profile_, metric), seconds ? 1e9 : 1});
    Message type;
    type.Number(1, strings_.Of(m.unique_name));
    type.Number(2, strings_.Of(seconds ? "nanoseconds" : m.unit == "bytes" ? "bytes" : "count"));
    Put(kSampleType, type);
  }

  void WriteRegions() {
    for (uint32_t r = 0; r < profile_.regions.size(); ++r) {
      const epitome::Region& region = profile_.regions[r];
      const uint64_t line_number = region.begin_line > 0 ? static_cast<uint64_t>(region.begin_line) : 0;
      Message function, line, location;
      function.Number(1, r + 1);
      function.Number(2, strings_.Of(region.name));
      function.Number(3, strings_.Of(region.mangled));
      function.Number(4, strings_.Of(region.file));
      function.Number(5, line_number);
      line.Number(1, r + 1);
      line.Number(2, line_number);
      location.Number(1, r + 1);
      location.Bytes(4, line.bytes());
      Put(kFunction, function);
      Put(kLocation, location);
    }
  }

  void WriteSamples() {
    std::vector<uint64_t> stack;  // of the region numbers, outermost first
    const auto enter = [&](uint32_t p) {
      stack.push_back(profile_.call_paths[p].region + 1);
      std::vector<uint64_t> leaf_first(stack.begin(),
                                       stack.begin() + static_cast<ptrdiff_t>(std::min(stack.size(), kDeepestStack)));
      std::reverse(leaf_first.begin(), leaf_first.end());
      for (uint32_t l = 0; l < profile_.locations.size(); ++l) WriteSample(p, l, leaf_first);
    };
    Walk(profile_, profile_.MakeLinks(), enter, [&](uint32_t) { stack.pop_back(); });
  }

  void WriteSample(uint32_t path, uint32_t location, const std::vector<uint64_t>& frames) {
    std::vector<uint64_t> values;
    bool any = false;
    for (const Column& column : columns_) {
      const double value = std::round(column.split.Exclusive(path, location) * column.scale);
      values.push_back(value >= 1 && value < 9e18 ? static_cast<uint64_t>(value) : 0);
      any |= values.back() != 0;
    }
    if (!any) return;
    Message sample;
    sample.Packed(1, frames);
    sample.Packed(2, values);
    Label(rank_, RankOf(profile_, location), &sample);
    Label(thread_, profile_.locations[location].thread, &sample);
    Put(kSample, sample);
  }

  static void Label(uint64_t key, int number, Message* sample) {
    Message label;
    label.Number(1, key);
    label.Number(3, static_cast<uint64_t>(static_cast<int64_t>(number)));
    sample->Bytes(3, label.bytes());
  }

  const Profile& profile_;
  Buffer out_;
  Strings strings_;
  std::vector<Column> columns_;
  uint64_t rank_ = 0, thread_ = 0;
};

}  // namespace

void WritePprof(const Profile& profile, const archive::Manifest& manifest, const Sink& sink) {
  Writer(profile, sink).Write(manifest.wall_seconds);
}

}  // namespace epik::report
