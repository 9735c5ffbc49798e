// SPDX-License-Identifier: BSD-3-Clause
// The drawing of a stretch of time: bins of every row and, if the stretch is short enough, the calls themselves.
#ifndef EPIK_ANALYSIS_TIMELINE_DRAW_H_
#define EPIK_ANALYSIS_TIMELINE_DRAW_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/timeline/rows.h"
#include "analysis/timeline/timeline.h"
#include "archive/trace/trace_archive.h"

namespace epik::timeline {

struct Question {
  int64_t from = 0, to = 0;  // nanoseconds; to <= from: the whole run
  size_t bins = 1000;
  size_t most_calls = 40'000;   // of all rows together; 0: bins alone
  std::vector<uint32_t> apart;  // columns: their rows are drawn location by location
};

// The direction of a search for a call of a region: after `from`, or before it.
struct Search {
  std::string text;  // a part of the region's name, in any case; with * and ? the whole name
  int64_t from = 0;
  bool back = false;
};

inline constexpr size_t kMostBinsAsked = 8192;

// A call of a location: its times in nanoseconds, cut at the ends of the stretch, its depth, its call path in the
// definitions, and its times as they were measured.
struct DrawnCall {
  int64_t enter, leave;
  uint32_t depth, path;
  int64_t began, ended;

  bool is_cut() const { return began != enter || ended != leave; }
};

struct DrawnRow {
  std::vector<uint32_t> members;  // columns of the profile
  uint32_t apart_from = kNoPath;  // the column whose row it would share otherwise
  Bins bins;
  bool has_calls = false;
  std::vector<DrawnCall> calls;
};

// All waits of a pattern within a stretch.
struct PatternSum {
  uint8_t pattern = 0;
  int64_t ns = 0;      // within the stretch
  uint64_t waits = 0;  // calls that waited
};

struct Drawing {
  int64_t from = 0, to = 0;
  int64_t bin_width = 1;
  size_t bins = 0;
  std::vector<DrawnRow> rows;
  Sample<Message> messages;
  Sample<Wait> waits;
  std::vector<PatternSum> waiting;  // largest first; the timeline may have a sample
  uint64_t waiting_one_of = 1;
  std::vector<Wait> longest;  // the longest waits of the stretch, longest first
  std::vector<Meeting> meetings;
  std::vector<Stretch> critical;
  std::vector<Marker> markers;
  std::vector<Curve> curves;          // of the first location of each row
  std::vector<std::string> left_out;  // sentences
};

struct Found {
  uint32_t column = kNoPath;  // kNoPath: none
  DrawnCall call = {};
  std::string region;
  int64_t until = 0;  // the time at which the search ended
};

class Artist {
 public:
  // Both arguments outlive the artist.
  Artist(const archive::TraceArchive* archive, const Timeline* timeline, size_t most_rows = 64);

  Drawing Draw(Question question) const;
  // The drawing in the format that the page reads (docs/formats.md).
  std::string ToJson(const Drawing& drawing) const;

  // Finds the nearest call of any location. Gives up after some seconds; then `until` tells how far it has searched.
  Found Find(const Search& search) const;
  std::string ToJson(const Found& found) const;

 private:
  std::vector<DrawnRow> RowsOf(const Question& question) const;
  void DrawMarks(Drawing* drawing) const;
  void DrawWaits(Drawing* drawing) const;
  bool ReadCalls(uint32_t column, const Drawing& drawing, size_t most, DrawnRow* row) const;
  uint64_t EventsIn(uint32_t stream, int64_t from, int64_t to) const;
  std::string RowJson(const DrawnRow& row, class PathTable* paths) const;

  const archive::TraceArchive* archive_;
  const Timeline* timeline_;
  std::vector<std::vector<uint32_t>> rows_;
  std::vector<uint32_t> stream_of_;  // by column
  std::vector<Kind> kind_of_;        // by region
};

// The kind of each call path of a profile.
std::vector<Kind> KindsOf(const archive::Profile& profile);

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_DRAW_H_
