// SPDX-License-Identifier: BSD-3-Clause
// anchor.xml holds the definitions of a .cubex file. It is read into a Profile without values, and written from one
// (anchor_format.cc).
#ifndef EPIK_ARCHIVE_CUBEX_ANCHOR_H_
#define EPIK_ARCHIVE_CUBEX_ANCHOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/cubex/attributes.h"
#include "archive/profile/profile.h"

namespace epik::archive {

// How a file stores the cells of a metric. A Profile has 64-bit integers and doubles only. A cell of TAU is a sample
// (u32 count, then doubles: least, most, sum, sum of squares), of which a metric takes one part.
enum class Number : uint8_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kUint64,
  kInt64,
  kDouble,
  kTauCount,
  kTauLeast,
  kTauMost,
  kTauSum
};

size_t Width(Number number);

// Where and how the file stores one metric.
struct Storage {
  uint32_t id = 0;  // N of N.data and N.index
  Number number = Number::kDouble;
  bool children_first = false;  // the order of its rows
};

// A row of the element `severity`, which holds values as text if the file has no data members.
struct SeverityRow {
  uint32_t metric = 0;
  uint32_t path = 0;
  size_t offset = 0;  // of its text within the anchor
  size_t length = 0;
};

struct Anchor {
  Profile definitions;            // no values
  std::vector<Storage> storage;   // one for each metric
  std::vector<uint32_t> columns;  // location -> its place in a row of the file
  Attributes attributes;
  std::vector<SeverityRow> severity;  // ordered by metric, then path; if rows are equal, the first one counts
  std::vector<std::string> notes;     // sentences: content of the file that a Profile cannot hold
  std::vector<std::string> damage;    // those of the notes that tell of values which are lost
};

// Accepts the output of CubeW, Score-P and Scalasca. For all other input it returns false, with *error as "anchor.xml:
// offset N: …". Memory is bounded by a multiple of the length of the text, and there is no recursion: the input may be
// hostile.
bool ParseAnchor(std::string_view text, Anchor* anchor, std::string* error);

// The name by which formulas of CUBE can refer to a metric: letters, digits and underscores.
std::string FormulaName(std::string_view name);

// Returns false when the profile breaks a rule of CUBE 4, or when a reference has no target.
bool CheckDefinitions(const Profile& profile, std::string* error);

// REQUIRES: CheckDefinitions(profile). Attributes that control CUBE's reader are left out.
std::string FormatAnchor(const Profile& profile, const Attributes& attributes);

// The order of rows. Exclusive metrics: call paths in depth-first preorder. Inclusive metrics: for every path all its
// children, then, child by child, the subtrees below them.
std::vector<uint32_t> RowOrder(const Profile& profile, bool children_first);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_ANCHOR_H_
