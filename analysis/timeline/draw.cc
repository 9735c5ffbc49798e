// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/draw.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace epik::timeline {
namespace {

constexpr size_t kMostMessagesDrawn = 4000;  // of one answer
constexpr size_t kMostWaitsDrawn = 3000;
constexpr size_t kMostMeetingsDrawn = 1000;
constexpr size_t kMostLongest = 12;
constexpr size_t kMostMarkersDrawn = 2000;
constexpr int64_t kMostStretches = 2000;  // of the critical path
constexpr size_t kMostApart = 256;        // rows that one folded row becomes

// The items of a stretch, thinned by number until they are few enough.
// `kind_of`: items of each kind have numbers of their own, so that a rare kind is not thinned away.
template <class Item, class Within, class KindOf>
Sample<Item> Pick(const Sample<Item>& all, size_t most, const Within& within, const KindOf& kind_of) {
  Sample<Item> picked;
  std::array<uint64_t, 256> numbers = {};
  for (const Item& item : all.items) {
    if (within(item)) picked.Add(numbers[kind_of(item)]++, item, most);
  }
  picked.one_of *= all.one_of;
  return picked;
}

}  // namespace

std::vector<Kind> KindsOf(const archive::Profile& profile) {
  std::vector<Kind> of_region;
  for (const archive::Region& region : profile.regions) of_region.push_back(KindOf(region));
  std::vector<Kind> kinds;
  for (const archive::CallPath& path : profile.call_paths) kinds.push_back(of_region[path.region]);
  return kinds;
}

Artist::Artist(const archive::TraceArchive* archive, const Timeline* timeline, size_t most_rows)
    : archive_(archive), timeline_(timeline) {
  const archive::Profile& profile = archive->definitions().profile;
  stream_of_.assign(profile.locations.size(), kNoPath);
  for (uint32_t stream = 0; stream < archive->streams().size(); ++stream) {
    const uint32_t column = archive->streams()[stream].location;
    if (column < stream_of_.size()) stream_of_[column] = stream;
  }
  std::vector<uint32_t> group_of;
  for (const archive::Location& location : profile.locations) {
    const uint32_t host = profile.processes[location.process].host;
    group_of.push_back(host * 2 + (location.thread == 0 ? 0 : 1));
  }
  group_of.resize(timeline->locations.size());
  rows_ = FoldAlike(timeline->locations, group_of, most_rows);
  kind_of_ = KindsOf(profile);
}

Drawing Artist::Draw(Question question) const {
  if (question.to <= question.from) question.from = timeline_->from, question.to = timeline_->to;
  question.bins = std::clamp<size_t>(question.bins, 1, kMostBinsAsked);
  Drawing drawing;
  drawing.from = question.from;
  drawing.to = std::max(question.to, question.from + 1);
  const int64_t length = drawing.to - drawing.from;
  const auto bins = static_cast<int64_t>(question.bins);
  drawing.bin_width = std::max<int64_t>(1, (length + bins - 1) / bins);
  drawing.bins = static_cast<size_t>((length + drawing.bin_width - 1) / drawing.bin_width);
  drawing.rows = RowsOf(question);
  size_t calls = 0, without = 0, remaining = drawing.rows.size();
  for (DrawnRow& row : drawing.rows) {
    row.bins = Rebin(timeline_->locations[row.members[0]], drawing.from,
                     drawing.from + drawing.bin_width * static_cast<int64_t>(drawing.bins), drawing.bins);
    // The remaining rows share the remaining calls.
    const size_t left = question.most_calls > calls ? question.most_calls - calls : 0;
    const size_t most = left / remaining--;
    row.has_calls = most > 0 && ReadCalls(row.members[0], drawing, most, &row);
    calls += row.calls.size();
    without += row.has_calls ? 0 : 1;
  }
  if (without > 0 && question.most_calls > 0) {
    drawing.left_out.push_back("Single calls of " + std::to_string(without) + " of " +
                               std::to_string(drawing.rows.size()) + " rows are left out: zoom in to see them.");
  }
  const auto overlaps = [&](int64_t from, int64_t to) { return from < drawing.to && to >= drawing.from; };
  drawing.messages = Pick(
      timeline_->messages, kMostMessagesDrawn,
      [&](const Message& m) { return overlaps(std::min(m.sent, m.received), std::max(m.sent, m.received)); },
      [](const Message&) { return uint8_t{0}; });
  drawing.waits = Pick(
      timeline_->waits, kMostWaitsDrawn, [&](const Wait& w) { return overlaps(w.from, w.to); },
      [](const Wait& w) { return w.pattern; });
  drawing.meetings =
      Pick(
          timeline_->meetings, kMostMeetingsDrawn, [&](const Meeting& m) { return overlaps(m.first_in, m.last_out); },
          [](const Meeting&) { return uint8_t{0}; })
          .items;
  DrawWaits(&drawing);
  DrawMarks(&drawing);
  return drawing;
}

// A row that is drawn apart becomes a row for each of its members; members beyond kMostApart share one.
std::vector<DrawnRow> Artist::RowsOf(const Question& question) const {
  std::vector<DrawnRow> rows;
  for (const std::vector<uint32_t>& members : rows_) {
    const bool apart =
        members.size() > 1 && std::any_of(question.apart.begin(), question.apart.end(), [&](uint32_t column) {
          return std::binary_search(members.begin(), members.end(), column);
        });
    const size_t single = apart ? std::min(members.size(), kMostApart) : 0;
    for (size_t i = 0; i < single; ++i) rows.push_back({{members[i]}, members[0], {}, false, {}});
    if (single == members.size()) continue;
    rows.push_back({{members.begin() + static_cast<ptrdiff_t>(single), members.end()},
                    apart ? members[0] : kNoPath,
                    {},
                    false,
                    {}});
  }
  return rows;
}

// The sums of all waits in the stretch, those among them that are too many to draw, too.
void Artist::DrawWaits(Drawing* drawing) const {
  std::array<PatternSum, std::size(kPatternNames)> sums;
  for (const Wait& wait : timeline_->waits.items) {
    if (wait.to <= drawing->from || wait.from >= drawing->to) continue;
    PatternSum& sum = sums[wait.pattern];
    sum.ns += std::min(wait.to, drawing->to) - std::max(wait.from, drawing->from);
    // A call that began to wait before the stretch counts once: its first part in the stretch counts.
    if (!wait.goes_on || wait.from <= drawing->from) ++sum.waits;
  }
  drawing->waiting_one_of = timeline_->waits.one_of;
  for (size_t pattern = 0; pattern < sums.size(); ++pattern) {
    if (sums[pattern].ns == 0) continue;
    drawing->waiting.push_back({static_cast<uint8_t>(pattern),
                                sums[pattern].ns * static_cast<int64_t>(drawing->waiting_one_of),
                                sums[pattern].waits * drawing->waiting_one_of});
  }
  std::stable_sort(drawing->waiting.begin(), drawing->waiting.end(),
                   [](const PatternSum& one, const PatternSum& other) { return one.ns > other.ns; });
}

// The critical path, markers, curves, and the longest waits.
void Artist::DrawMarks(Drawing* drawing) const {
  const int64_t from = drawing->from, to = drawing->to;
  const auto overlaps = [&](const auto& mark) { return mark.from <= to && mark.to >= from; };
  const int64_t least = (to - from) / kMostStretches;
  for (Stretch stretch : timeline_->critical) {
    if (!overlaps(stretch)) continue;
    std::vector<Stretch>* all = &drawing->critical;
    const bool joins = !all->empty() && (all->back().location == stretch.location || stretch.to - stretch.from < least);
    stretch.to = std::min(stretch.to, to);
    if (joins) {
      all->back().to = stretch.to;
    } else {
      all->push_back({stretch.location, std::max(stretch.from, from), stretch.to});
    }
  }
  for (const Marker& marker : timeline_->markers) {
    if (overlaps(marker) && drawing->markers.size() < kMostMarkersDrawn) drawing->markers.push_back(marker);
  }
  for (const Wait& wait : timeline_->waits.items) {
    if (overlaps(wait)) drawing->longest.push_back(wait);
  }
  const size_t longest = std::min(kMostLongest, drawing->longest.size());
  std::partial_sort(drawing->longest.begin(), drawing->longest.begin() + static_cast<ptrdiff_t>(longest),
                    drawing->longest.end(),
                    [](const Wait& one, const Wait& other) { return one.to - one.from > other.to - other.from; });
  drawing->longest.resize(longest);
  for (const Curve& curve : timeline_->curves) {
    const bool drawn = std::any_of(drawing->rows.begin(), drawing->rows.end(),
                                   [&](const DrawnRow& row) { return row.members[0] == curve.location; });
    if (!drawn) continue;
    Curve part = {curve.location, curve.name, curve.unit, {}};
    // The value that holds when the stretch begins was set before it.
    const auto after = std::upper_bound(curve.points.begin(), curve.points.end(), from,
                                        [](int64_t ns, const Curve::Point& point) { return ns < point.at; });
    for (auto point = after == curve.points.begin() ? after : after - 1; point != curve.points.end(); ++point) {
      if (point->at >= to) break;
      part.points.push_back(*point);
    }
    if (!part.points.empty()) drawing->curves.push_back(std::move(part));
  }
  if (timeline_->curves_left_out > 0) {
    drawing->left_out.push_back(std::to_string(timeline_->curves_left_out) +
                                " values of user metrics are left out: there are too many metrics and locations.");
  }
}

}  // namespace epik::timeline
