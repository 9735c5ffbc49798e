// SPDX-License-Identifier: BSD-3-Clause
// The profile inside an HTML report, in a small form that report/html/src/data.ts decodes. docs/html.md has the layout.
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

// One metric: the call paths that have a row of their own, and their cells.
struct Column {
  enum Kind : uint8_t { kNothing, kOwn, kAsParent };  // kAsParent: the same row as that of the parent metric
  std::vector<uint8_t> kinds;                         // by call path
  std::vector<double> sums;                           // of each kOwn row; for minima the smallest value …
  std::vector<double> cells;                          // these rows, a value for each location
  bool whole = false;                                 // counts, which are whole numbers
  bool extreme = false;                               // minima or maxima: NaN where there is no value
  bool computed = false;                              // no cells: the page computes them from cells of other metrics
};

// All values are exclusive along the call tree.
std::vector<Column> MakeColumns(const archive::Profile& profile);

inline constexpr int kExact = 52;  // bits of a double's mantissa

// Appends the cells with `bits` bits of mantissa. Returns the number of bytes of a cell; 0 when they are whole numbers,
// which are stored exactly as differences of variable length; or -1 when there are none, because the page computes
// them.
int AppendCells(const Column& column, size_t locations, int bits, std::string* out);

// The cells of a column as levels of 0 to 63 of a scale for each row; 64: no value.
struct Shades {
  std::vector<uint8_t> levels;
  std::vector<uint16_t> scales;  // upper halves of floats
};
inline constexpr int kShadeBits = 6;

// Returns false when the column has no cells, or has cells without a level.
bool MakeShades(const Column& column, size_t locations, Shades* shades);

// Appends scales and levels. `like`: a column whose levels are probably the same, so that differences from them are
// stored for call paths that both have; null: none.
void AppendShades(const Column& column, const Shades& shades, const Column* like, const Shades* like_shades,
                  size_t locations, std::string* out);

// Makes the zlib stream, with as many bits for the values of single locations as fit into `most` bytes. Sums over
// locations are always exact. Returns false when zlib has no memory.
bool PackProfile(const archive::Profile& profile, const archive::Manifest& manifest, const HtmlExtras& extras,
                 size_t most, std::string* packed);

// The text as a zlib stream; empty when there is no memory for it.
std::string Deflated(const std::string& text);

std::string Base64(const std::string& bytes);

}  // namespace epik::report

#endif  // EPIK_REPORT_HTML_PACK_H_
