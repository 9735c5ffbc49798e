// SPDX-License-Identifier: BSD-3-Clause
// The result of a view, before it becomes text, JSON, CSV or Markdown: named totals and tables of typed cells.
#ifndef EPIK_REPORT_VIEWS_SHEET_H_
#define EPIK_REPORT_VIEWS_SHEET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/sink.h"
#include "view/terminal.h"

namespace epik::report {

enum class Unit : unsigned char { kText, kSeconds, kCount, kBytes, kShare, kRatio };

// No value, a name, a measured or computed number, or an exact count.
using SheetCell = std::variant<std::monostate, std::string, double, uint64_t>;

struct SheetColumn {
  std::string key;    // for programs: never changes
  std::string title;  // for people; empty: only for programs
  Unit unit = Unit::kCount;
  int spare = 0;  // narrow screens leave out the largest first; 0: never
};

// The last column has the name of the row; it gets the room that is left.
struct Sheet {
  std::string key;
  std::vector<SheetColumn> columns;
  std::vector<std::vector<SheetCell>> rows;
  std::string hidden_prefix = {};  // of names; not shown to people: the artificial root of all call paths
};

struct ViewData {
  std::string_view name;  // "mpi": the format is "epik-report-mpi"
  std::vector<std::pair<std::string, SheetCell>> totals;
  std::vector<Sheet> sheets;  // CSV shows the first one
  std::string text;           // for people
  std::string lacks;          // a sentence about figures that text and totals have and the tables lack; may be empty
  std::string next;           // the next step for people; empty: the one for all profiles
};

// Renders at most `top` rows (0: all), and says how many more there are.
std::string RenderSheet(const Sheet& sheet, size_t top, const view::Terminal& terminal);

void WriteViewJson(const ViewData& view, const Sink& sink);
void WriteViewCsv(const ViewData& view, const Sink& sink);
void WriteViewMarkdown(const ViewData& view, const Sink& sink);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_SHEET_H_
