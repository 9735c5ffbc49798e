// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/experiment.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "archive/cubex/reader.h"
#include "archive/cubex/writer.h"

namespace epik::algebra {

using archive::Along;
using archive::kNone;
using archive::Profile;
using archive::Type;
using archive::Values;

namespace {

// Reads a row from the file when it is asked for, so that only the definitions need memory.
class FileExperiment : public Experiment {
 public:
  const Profile& definitions() const override { return reader.definitions(); }
  bool HasRow(uint32_t metric, uint32_t path) const override { return reader.HasRow(metric, path); }
  bool ReadRow(uint32_t metric, uint32_t path, uint64_t* cells, std::string* error) const override {
    if (reader.ReadRow(metric, path, cells, error)) return true;
    *error = name + ": " + *error;
    return false;
  }

  std::string name;
  archive::CubexReader reader;
};

class ProfileExperiment : public Experiment {
 public:
  explicit ProfileExperiment(Profile profile) : profile_(std::move(profile)) {}

  const Profile& definitions() const override { return profile_; }
  bool HasRow(uint32_t metric, uint32_t path) const override { return profile_.values[metric].Has(path); }
  bool ReadRow(uint32_t metric, uint32_t path, uint64_t* cells, std::string*) const override {
    const Values& values = profile_.values[metric];
    if (values.Has(path)) {
      std::copy_n(values.Row(path), values.locations(), cells);
    } else {
      std::fill_n(cells, values.locations(), Values::EmptyBits(values.type()));
    }
    return true;
  }

 private:
  Profile profile_;
};

}  // namespace

Operand OpenExperiment(const std::string& path, archive::Archive* archive, std::vector<std::string>* notes,
                       std::string* error) {
  archive::Archive opened;
  if (!archive::Open(path, &opened, error)) return nullptr;
  if (opened.summary_path.empty()) {
    *error = path + ": this archive has no profile (" + archive::kSummaryName + ")";
    return nullptr;
  }
  auto file = std::make_shared<FileExperiment>();
  file->name = path;
  if (!file->reader.Open(opened.summary_path, error)) return nullptr;
  for (size_t n = 0; notes != nullptr && n < file->reader.notes().size(); ++n) {
    notes->push_back(path + ": " + file->reader.notes()[n]);
  }
  if (archive != nullptr) *archive = std::move(opened);
  return file;
}

Operand FromProfile(Profile profile) { return std::make_shared<ProfileExperiment>(std::move(profile)); }

// A dense file has a row for every call path. Rows without any value are dropped, so that such a file does not fill
// memory.
bool ToProfile(const Experiment& experiment, Profile* profile, std::string* error) {
  *profile = experiment.definitions();
  profile->values.clear();
  std::vector<uint64_t> cells(profile->locations.size());
  for (uint32_t m = 0; m < profile->metrics.size(); ++m) {
    const Type type = profile->metrics[m].type;
    Values values(type, profile->call_paths.size(), cells.size());
    for (uint32_t p = 0; p < profile->call_paths.size(); ++p) {
      if (!experiment.HasRow(m, p)) continue;
      if (!experiment.ReadRow(m, p, cells.data(), error)) return false;
      const auto empty = [type](uint64_t cell) { return cell == Values::EmptyBits(type); };
      if (!std::all_of(cells.begin(), cells.end(), empty)) {
        std::copy(cells.begin(), cells.end(), values.MutableRow(p));
      }
    }
    profile->values.push_back(std::move(values));
  }
  return true;
}

bool WriteCubex(const Experiment& experiment, const std::string& path, const archive::Attributes& attributes,
                std::string* error) {
  const Profile& definitions = experiment.definitions();
  archive::CubexWriter writer;
  std::vector<uint64_t> cells(definitions.locations.size());
  std::vector<bool> used(definitions.call_paths.size());
  const auto write = [&] {
    if (!writer.Open(path) || !writer.Begin(definitions, attributes)) return false;
    for (uint32_t m = 0; m < definitions.metrics.size(); ++m) {
      for (uint32_t p = 0; p < used.size(); ++p) used[p] = experiment.HasRow(m, p);
      if (!writer.BeginMetric(m, used)) return false;
      // The writer adds ancestors of inclusive metrics and decides the order of rows.
      for (const uint32_t p : writer.rows()) {
        if (!experiment.ReadRow(m, p, cells.data(), error) || !writer.AppendRow(cells.data())) return false;
      }
      if (!writer.EndMetric()) return false;
    }
    return writer.Finish();
  };
  if (write()) return true;
  if (!writer.error().empty()) *error = writer.error();
  return false;
}

ExclusiveRows::ExclusiveRows(const Experiment& experiment)
    : experiment_(experiment),
      links_(experiment.definitions().MakeLinks()),
      below_(experiment.definitions().locations.size()) {}

bool ExclusiveRows::Read(uint32_t metric, uint32_t path, uint64_t* cells, std::string* error) const {
  if (!experiment_.ReadRow(metric, path, cells, error)) return false;
  const archive::Metric& definition = experiment_.definitions().metrics[metric];
  if (definition.along == Along::kExclusive) return true;
  const std::vector<uint64_t> whole(cells, cells + below_.size());
  for (uint32_t c = links_.first_child[path]; c != kNone; c = links_.next_sibling[c]) {
    if (!experiment_.HasRow(metric, c)) continue;
    if (!experiment_.ReadRow(metric, c, below_.data(), error)) return false;
    for (size_t l = 0; l < below_.size(); ++l) {
      // In a damaged or foreign file the callees may have more counts than their caller: the rest is 0 then, and does
      // not wrap.
      if (definition.type == Type::kUint64) {
        cells[l] -= std::min(cells[l], below_[l]);
      } else {
        cells[l] = std::bit_cast<uint64_t>(std::bit_cast<double>(cells[l]) - std::bit_cast<double>(below_[l]));
      }
    }
  }
  for (size_t l = 0; l < below_.size() && definition.type != Type::kUint64; ++l) {
    const double all = std::bit_cast<double>(whole[l]), own = std::bit_cast<double>(cells[l]);
    // Rounding leaves a tiny negative rest when a caller has no time of its own.
    const bool rest = own < 0 && own > -1e-12 * std::fabs(all);
    if (all == 0 || rest) cells[l] = std::bit_cast<uint64_t>(0.0);
  }
  return true;
}

}  // namespace epik::algebra
