// SPDX-License-Identifier: BSD-3-Clause
// The profile inside an HTML report: small, and decoded by report/html/src/data.ts. docs/html.md has the layout.
#ifndef EPIK_REPORT_HTML_PACK_H_
#define EPIK_REPORT_HTML_PACK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/html/extras.h"

namespace epik::report {

// One metric: which call paths have a row of their own, and its cells.
struct Column {
  enum Kind : uint8_t { kNothing, kOwn, kAsParent };  // kAsParent: the row of the metric's parent metric, again
  std::vector<uint8_t> kinds;                         // by call path
  std::vector<double> sums;                           // of each row that is kOwn; of minima the smallest …
  std::vector<double> cells;                          // these rows, a value for each location
  bool whole = false;                                 // counts
  bool extreme = false;                               // minima or maxima: NaN where there is none
  bool computed = false;                              // no cells: the page makes them of those of other metrics
};

// All values exclusive along the call tree.
std::vector<Column> MakeColumns(const epitome::Profile& profile);

inline constexpr int kExact = 52;  // bits of a double's mantissa

// Appends the cells with so many bits of mantissa. Returns the bytes of a cell, 0 when they are whole numbers as
// differences of variable length, exact, or -1 when there are none: the page computes them.
int AppendCells(const Column& column, size_t locations, int bits, std::string* out);

// The cells of a column as levels of 0 to 63 of a scale that each row has; 64: no value.
struct Shades {
  std::vector<uint8_t> levels;
  std::vector<uint16_t> scales;  // upper halves of floats
};
inline constexpr int kShadeBits = 6;

// False: the column has no cells, or such as have no level.
bool MakeShades(const Column& column, size_t locations, Shades* shades);

// Appends scales and levels. `like`: a column whose levels are likely the same, from which the differences are taken,
// in rows of call paths that both have; null: none.
void AppendShades(const Column& column, const Shades& shades, const Column* like, const Shades* like_shades,
                  size_t locations, std::string* out);

// The zlib stream: with as many bits for the values of single locations as fit into `most` bytes. Sums over locations
// are always exact. False: out of memory for zlib.
bool PackProfile(const epitome::Profile& profile, const archive::Manifest& manifest, const HtmlExtras& extras,
                 size_t most, std::string* packed);

// A zlib stream of the text; empty when there is no memory for it.
std::string Deflated(const std::string& text);

std::string Base64(const std::string& bytes);

}  // namespace epik::report

#endif  // EPIK_REPORT_HTML_PACK_H_
