// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/bins.h"

#include <algorithm>
#include <cmath>

namespace epik::timeline {
namespace {

constexpr double kWhole = 65535;

// Appends a bin. `sums` has nanoseconds by kind, of the bin's `width`.
template <class Sums>
void Append(Bins* bins, const Sums& sums, double width, uint32_t path, double waiting) {
  for (size_t kind = 0; kind < kKindCount; ++kind) {
    const double share = static_cast<double>(sums[kind]) / width;
    const auto rounded = static_cast<uint16_t>(std::clamp(std::lround(share * kWhole), 0l, 65535l));
    if (rounded > 0) bins->parts.push_back({static_cast<uint8_t>(kind), rounded});
  }
  bins->begin.push_back(static_cast<uint32_t>(bins->parts.size()));
  bins->path.push_back(path);
  bins->waiting.push_back(static_cast<uint8_t>(std::clamp(std::lround(waiting / width * 255), 0l, 255l)));
}

}  // namespace

BinFiller::BinFiller(int64_t from, int64_t width, size_t most) : most_(most), at_(from), end_(from + width) {
  bins_.from = from;
  bins_.width = width;
  by_path_.reserve(kMostPaths);
}

void BinFiller::Count(uint32_t path, int64_t ns) {
  for (Share& share : by_path_) {
    if (share.path != path) continue;
    share.ns += ns;
    return;
  }
  // If a bin has more call paths than this, none of them is the largest.
  if (by_path_.size() < kMostPaths) by_path_.push_back({path, ns});
}

void BinFiller::TakeMany(int64_t to, Kind kind, uint32_t path) {
  while (to > end_ && bins_.size() < most_) {
    Add(end_, kind, path);
    Flush();
  }
  if (bins_.size() < most_) Add(to, kind, path);
  at_ = to;
}

void BinFiller::Skip(int64_t to) {
  while (to > end_ && bins_.size() < most_) Flush();
  at_ = std::max(at_, to);
}

// Replay finds waits late and out of order, so they have an array of their own until Finish.
void BinFiller::Wait(int64_t from, int64_t to) {
  from = std::max(from, bins_.from);
  to = std::min(to, bins_.from + bins_.width * static_cast<int64_t>(most_));
  while (from < to) {
    const auto bin = static_cast<size_t>((from - bins_.from) / bins_.width);
    const int64_t end = std::min(to, bins_.from + bins_.width * static_cast<int64_t>(bin + 1));
    if (waited_.size() <= bin) waited_.resize(bin + 1);
    waited_[bin] += end - from;
    from = end;
  }
}

void BinFiller::Flush() {
  const auto most = std::max_element(by_path_.begin(), by_path_.end(),
                                     [](const Share& one, const Share& other) { return one.ns < other.ns; });
  Append(&bins_, by_kind_, static_cast<double>(bins_.width), most == by_path_.end() ? kNoPath : most->path, 0);
  by_kind_.fill(0);
  by_path_.clear();
  at_ = std::max(at_, end_);
  end_ += bins_.width;
}

Bins BinFiller::Finish() {
  const bool open = !by_path_.empty() && bins_.size() < most_;
  if (open) Flush();
  const auto width = static_cast<double>(bins_.width);
  for (size_t bin = 0; bin < std::min(waited_.size(), bins_.size()); ++bin) {
    const double share = static_cast<double>(waited_[bin]) / width;
    bins_.waiting[bin] = static_cast<uint8_t>(std::clamp(std::lround(share * 255), 0l, 255l));
  }
  return std::move(bins_);
}

// Shares are weighted by the covered part of an old bin. The call path with most time is approximate: an old bin knows
// only its own largest one.
Bins Rebin(const Bins& bins, int64_t from, int64_t to, size_t count) {
  Bins out;
  out.from = from;
  const double width = static_cast<double>(to - from) / static_cast<double>(std::max<size_t>(count, 1));
  out.width = std::max<int64_t>(1, std::llround(width));
  std::vector<std::pair<uint32_t, double>> by_path;
  for (size_t bin = 0; bin < count; ++bin) {
    const double begin = static_cast<double>(from) + width * static_cast<double>(bin);
    const double end = begin + width;
    std::array<double, kKindCount> sums{};
    by_path.clear();
    double waited = 0;
    const double first = (begin - static_cast<double>(bins.from)) / static_cast<double>(bins.width);
    for (size_t old = static_cast<size_t>(std::max(0.0, std::floor(first))); old < bins.size(); ++old) {
      const double old_begin =
          static_cast<double>(bins.from) + static_cast<double>(bins.width) * static_cast<double>(old);
      const double covered = std::min(end, old_begin + static_cast<double>(bins.width)) - std::max(begin, old_begin);
      if (old_begin >= end) break;
      if (covered <= 0) continue;
      double all = 0;
      for (uint32_t p = bins.begin[old]; p < bins.begin[old + 1]; ++p) {
        const double ns = covered * bins.parts[p].share / kWhole;
        sums[bins.parts[p].kind] += ns;
        all += ns;
      }
      waited += covered * bins.waiting[old] / 255;
      const auto known =
          std::find_if(by_path.begin(), by_path.end(), [&](const auto& e) { return e.first == bins.path[old]; });
      if (known != by_path.end()) {
        known->second += all;
      } else if (all > 0 && bins.path[old] != kNoPath) {
        by_path.emplace_back(bins.path[old], all);
      }
    }
    const auto most = std::max_element(by_path.begin(), by_path.end(),
                                       [](const auto& one, const auto& other) { return one.second < other.second; });
    Append(&out, sums, width, most == by_path.end() ? kNoPath : most->first, waited);
  }
  return out;
}

}  // namespace epik::timeline
