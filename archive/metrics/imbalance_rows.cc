// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/imbalance_rows.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

namespace epik::archive {

namespace {

// Moves all bytes. Returns false when they cannot be moved, for example behind the end of the file.
template <class Transfer>
bool Whole(Transfer transfer, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t moved = transfer(done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    done += static_cast<size_t>(moved);
  }
  return true;
}

}  // namespace

ImbalanceRows::~ImbalanceRows() {
  if (fd_ >= 0) close(fd_);
}

bool ImbalanceRows::Open(const std::string& folder, Profile* definitions) {
  computation_ = definitions->FindMetric("comp");
  visits_ = definitions->FindMetric("visits");
  imbalance_ = Imbalance(*definitions);
  if (computation_ == kNone || visits_ == kNone || !imbalance_.ConcernsAny()) return false;
  const std::string path = folder + "/imbalance." + std::to_string(getpid()) + ".tmp";
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd_ < 0) return false;
  // A file without a name disappears however this process ends.
  unlink(path.c_str());
  locations_ = definitions->locations.size();
  slot_.assign(definitions->call_paths.size(), kNone);
  cells_.resize(2 * locations_);
  // From here on nothing can fail. A caller that gets false writes its archive with the definitions that it has.
  first_ = Imbalance::AddMetrics(definitions);
  return true;
}

bool ImbalanceRows::Put(uint64_t slot, int half, const uint64_t* cells) {
  const size_t bytes = locations_ * sizeof(uint64_t);
  const uint64_t at = (2 * slot + static_cast<uint64_t>(half)) * bytes;
  const auto* from = reinterpret_cast<const char*>(cells);
  return Whole([&](size_t done) { return pwrite(fd_, from + done, bytes - done, static_cast<off_t>(at + done)); },
               bytes);
}

bool ImbalanceRows::Take(uint32_t metric, uint32_t path, const uint64_t* cells) {
  if (fd_ < 0 || (metric != computation_ && metric != visits_) || !imbalance_.Concerns(path)) return true;
  if (slot_[path] == kNone) {
    slot_[path] = static_cast<uint32_t>(paths_.size());
    paths_.push_back(path);
    // A call path may get a row of one metric only. Divide reads both halves, so the other one must be zero.
    const std::vector<uint64_t> nothing(2 * locations_);
    if (!Put(slot_[path], 0, nothing.data()) || !Put(slot_[path], 1, nothing.data())) return false;
  }
  return Put(slot_[path], metric == computation_ ? 0 : 1, cells);
}

bool ImbalanceRows::Divide(uint64_t slot) {
  const size_t bytes = cells_.size() * sizeof(uint64_t);
  auto* to = reinterpret_cast<char*>(cells_.data());
  const bool read = Whole(
      [&](size_t done) { return pread(fd_, to + done, bytes - done, static_cast<off_t>(slot * bytes + done)); }, bytes);
  if (!read) return false;
  std::vector<double> seconds(locations_);
  std::transform(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(locations_), seconds.begin(),
                 [](uint64_t cell) { return std::bit_cast<double>(cell); });
  imbalance_.Divide(paths_[slot], seconds.data(), cells_.data() + locations_, &rows_);
  return true;
}

bool ImbalanceRows::Write(CubexWriter* writer) {
  if (fd_ < 0) return true;
  // Each row is divided twice: the writer must know the call paths of a metric before its first row, and memory cannot
  // hold the rows of all.
  std::array<std::vector<bool>, Imbalance::kParts> used;
  used.fill(std::vector<bool>(slot_.size()));
  for (size_t slot = 0; slot < paths_.size(); ++slot) {
    if (!Divide(slot)) return false;
    for (size_t part = 0; part < Imbalance::kParts; ++part) {
      used[part][paths_[slot]] =
          std::any_of(rows_[part].begin(), rows_[part].end(), [](double value) { return value != 0; });
    }
  }
  std::vector<uint64_t> cells(locations_);
  for (uint32_t part = 0; part < Imbalance::kParts; ++part) {
    if (!writer->BeginMetric(first_ + part, used[part])) return false;
    for (const uint32_t path : writer->rows()) {
      if (!Divide(slot_[path])) return false;
      std::transform(rows_[part].begin(), rows_[part].end(), cells.begin(),
                     [](double value) { return std::bit_cast<uint64_t>(value); });
      if (!writer->AppendRow(cells.data())) return false;
    }
    if (!writer->EndMetric()) return false;
  }
  return true;
}

}  // namespace epik::archive
