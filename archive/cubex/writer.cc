// SPDX-License-Identifier: BSD-3-Clause
#include "archive/cubex/writer.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "archive/cubex/format.h"
#include "archive/files/guarded.h"

namespace epik::archive {
namespace {

template <class T>
void Append(std::string* bytes, T value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

bool CubexWriter::Fail(const std::string& what) {
  error_ = path_ + ": " + what;
  state_ = State::kFailed;
  return false;
}

bool CubexWriter::Check(bool good) {
  if (!good) state_ = State::kFailed;
  return good;
}

bool CubexWriter::Expect(State state, const char* call) {
  if (state_ == state) return true;
  return state_ != State::kFailed && Fail(std::string(call) + " out of order");
}

bool CubexWriter::Open(const std::string& path) {
  return Check(Guarded(&error_, [&] {
    if (!Expect(State::kNew, "Open")) return false;
    path_ = path;
    state_ = State::kOpen;
    return tar_.Open(path, &error_);
  }));
}

bool CubexWriter::Begin(const Profile& definitions, const Attributes& attributes) {
  return Check(Guarded(&error_, [&] {
    if (!Expect(State::kOpen, "Begin")) return false;
    std::string reason;
    if (!CheckDefinitions(definitions, &reason)) return Fail(reason);
    anchor_ = FormatAnchor(definitions, attributes);
    for (const Metric& metric : definitions.metrics) {
      names_.push_back(metric.unique_name);
      children_first_.push_back(metric.along == Along::kInclusive);
      is_extreme_.push_back(metric.type == Type::kMin || metric.type == Type::kMax);
    }
    written_.assign(names_.size(), false);
    for (const CallPath& path : definitions.call_paths) parents_.push_back(path.parent);
    for (const bool children_first : {false, true}) order_[children_first] = RowOrder(definitions, children_first);
    locations_ = definitions.locations.size();
    state_ = State::kMetrics;
    return true;
  }));
}

bool CubexWriter::BeginMetric(uint32_t metric, const std::vector<bool>& used) {
  return Check(Guarded(&error_, [&] {
    if (!Expect(State::kMetrics, "BeginMetric")) return false;
    if (metric >= names_.size() || written_[metric]) return Fail("BeginMetric: no such metric, or a second time");
    if (used.size() > parents_.size()) return Fail("BeginMetric: more rows than call paths");
    std::vector<bool> wanted = used;
    wanted.resize(parents_.size(), false);
    // A missing row of an inclusive metric reads as zero, not as the sum of its children. Parents have smaller numbers.
    for (size_t p = wanted.size(); children_first_[metric] && p-- > 0;) {
      if (wanted[p] && parents_[p] != kNone) wanted[parents_[p]] = true;
    }
    const std::vector<uint32_t>& order = order_[children_first_[metric]];
    rows_.clear();
    positions_.clear();
    for (uint32_t position = 0; position < order.size(); ++position) {
      if (!wanted[order[position]]) continue;
      rows_.push_back(order[position]);
      positions_.push_back(position);
    }
    if (!rows_.empty() && (rows_.size() - 1) * locations_ > kLargestRowStart) {
      return Fail("metric " + names_[metric] + ": " + std::to_string(rows_.size()) + " call paths of " +
                  std::to_string(locations_) + " locations are more than readers of CUBE can address");
    }
    metric_ = metric;
    appended_ = 0;
    written_[metric] = true;
    state_ = State::kRows;
    if (!HasMembers()) return true;
    const uint64_t row_bytes = locations_ * sizeof(uint64_t);
    sample_.clear();
    packer_.Begin(row_bytes);
    packing_ = RowPacker::IsWorthTrying(row_bytes, rows_.size() * row_bytes) ? Packing::kUndecided : Packing::kNo;
    return packing_ != Packing::kNo || BeginData(false);
  }));
}

bool CubexWriter::BeginData(bool packed) {
  const std::string name = std::to_string(metric_) + ".data";
  packing_ = packed ? Packing::kYes : Packing::kNo;
  if (!packed) {
    const uint64_t bytes = kDataMagic.size() + uint64_t{rows_.size()} * locations_ * sizeof(uint64_t);
    return tar_.Begin(name, bytes, '\0', &error_) && tar_.Write(kDataMagic.data(), kDataMagic.size(), &error_);
  }
  const uint64_t rows = rows_.size();
  const std::string room(RowPacker::TableBytes(rows), '\0');  // EndMetric fills the table in
  return tar_.BeginGrowing(name, &error_) && tar_.Write(kZipDataMagic.data(), kZipDataMagic.size(), &error_) &&
         tar_.Write(&rows, sizeof rows, &error_) && tar_.Write(room.data(), room.size(), &error_);
}

bool CubexWriter::PutPacked(const uint64_t* cells) {
  const std::string& packed = packer_.Pack(cells);
  if (packed.empty()) return Fail("no memory to compress a row");
  return tar_.Write(packed.data(), packed.size(), &error_);
}

// Packs the rows if that makes the first ones smaller.
bool CubexWriter::DecidePacking() {
  const size_t rows = sample_.size() / locations_;
  uint64_t packed = RowPacker::TableBytes(rows);
  for (size_t r = 0; r < rows; ++r) packed += packer_.Pack(&sample_[r * locations_]).size();
  packer_.Begin(locations_ * sizeof(uint64_t));
  if (!BeginData(packed < sample_.size() * sizeof(uint64_t))) return false;
  for (size_t r = 0; r < rows; ++r) {
    if (!PutRow(&sample_[r * locations_])) return false;
  }
  return true;
}

bool CubexWriter::PutRow(const uint64_t* cells) {
  constexpr size_t kSampleCells = 1 << 17;
  if (packing_ == Packing::kNo) return tar_.Write(cells, locations_ * sizeof(uint64_t), &error_);
  if (packing_ == Packing::kYes) return PutPacked(cells);
  sample_.insert(sample_.end(), cells, cells + locations_);
  return (sample_.size() < kSampleCells && appended_ < rows_.size()) || DecidePacking();
}

bool CubexWriter::AppendRow(const uint64_t* cells) {
  return Check(Guarded(&error_, [&] {
    if (!Expect(State::kRows, "AppendRow")) return false;
    if (appended_ == rows_.size()) return Fail("metric " + names_[metric_] + ": more rows than announced");
    ++appended_;
    if (names_[metric_] == kLongestVisit) {
      row_.assign(cells, cells + locations_);
      std::replace(row_.begin(), row_.end(), Values::EmptyBits(Type::kMax), uint64_t{0});
      cells = row_.data();
    }
    return PutRow(cells);
  }));
}

bool CubexWriter::EndMetric() {
  return Check(Guarded(&error_, [&] {
    if (!Expect(State::kRows, "EndMetric")) return false;
    if (appended_ != rows_.size()) return Fail("metric " + names_[metric_] + ": fewer rows than announced");
    state_ = State::kMetrics;
    if (!HasMembers()) return true;
    if (packing_ == Packing::kYes) {
      const std::string table = packer_.Table();
      if (!tar_.Rewrite(kZipDataMagic.size() + sizeof(uint64_t), table.data(), table.size(), &error_)) return false;
    }
    return tar_.End(&error_) && PutIndex(metric_);
  }));
}

// Without values there are no members, as in files of Score-P, because some readers refuse an empty index. But a
// minimum would then read as 0 everywhere instead of "no value".
bool CubexWriter::HasMembers() const { return !rows_.empty() || is_extreme_[metric_]; }

bool CubexWriter::PutIndex(uint32_t metric) {
  std::string index(kIndexMagic);
  Append(&index, uint32_t{1});
  Append(&index, uint16_t{0});
  Append(&index, kSparseIndex);
  Append(&index, static_cast<uint32_t>(positions_.size()));
  for (const uint32_t position : positions_) Append(&index, position);
  return tar_.Begin(std::to_string(metric) + ".index", index.size(), '\0', &error_) &&
         tar_.Write(index.data(), index.size(), &error_) && tar_.End(&error_);
}

bool CubexWriter::Finish() {
  return Check(Guarded(&error_, [&] {
    if (!Expect(State::kMetrics, "Finish")) return false;
    for (uint32_t m = 0; m < written_.size(); ++m) {
      if (!written_[m] && !(BeginMetric(m, {}) && EndMetric())) return false;
    }
    state_ = State::kDone;
    // The anchor is last, as in files of CubeW: a copy that was cut off has no anchor.
    return tar_.Begin(std::string(kAnchorName), anchor_.size(), '\n', &error_) &&
           tar_.Write(anchor_.data(), anchor_.size(), &error_) && tar_.End(&error_) && tar_.Finish(&error_);
  }));
}

bool WriteCubex(const std::string& path, const Profile& profile, const Attributes& attributes, std::string* error) {
  CubexWriter writer;
  const bool good = Guarded(error, [&] {
    if (!writer.Open(path) || !writer.Begin(profile, attributes)) return false;
    const size_t paths = profile.call_paths.size();
    std::vector<uint64_t> none(profile.locations.size());
    for (uint32_t m = 0; m < profile.metrics.size() && m < profile.values.size(); ++m) {
      const Values& values = profile.values[m];
      std::vector<bool> used(paths);
      for (uint32_t p = 0; p < paths; ++p) used[p] = values.Has(p);
      if (!writer.BeginMetric(m, used)) return false;
      none.assign(none.size(), Values::EmptyBits(profile.metrics[m].type));
      for (const uint32_t p : writer.rows()) {
        if (!writer.AppendRow(values.Has(p) ? values.Row(p) : none.data())) return false;
      }
      if (!writer.EndMetric()) return false;
    }
    return writer.Finish();
  });
  if (!good && !writer.error().empty()) *error = writer.error();
  return good;
}

}  // namespace epik::archive
