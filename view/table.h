// SPDX-License-Identifier: BSD-3-Clause
// An aligned table. Columns take what their widest cell needs; columns that stay empty disappear. When the screen is
// too narrow, flexible columns give way and say so by an ellipsis, then the columns that can be spared go. Numbers are
// never cut, and no line is wrapped.
#ifndef EPIK_VIEW_TABLE_H_
#define EPIK_VIEW_TABLE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "view/name.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::view {

enum class Align : unsigned char { kLeft, kRight };

struct Column {
  std::string header;  // a table whose headers are all empty has no header line
  Align align = Align::kLeft;
  bool flexible = false;  // may be cut to fit
  Cut cut = Cut::kEnd;    // where
  int spare = 0;          // 0: never goes; else the largest goes first
  size_t least = 24;      // of a last column whose cells fit what is left: others go before it has less
};

struct Cell {
  // Text for so many columns at most, shown as it is: it may carry styles.
  using Fit = std::function<std::string(size_t width)>;

  Cell(std::string text_in = "", Style style_in = Style::kPlain) : text(std::move(text_in)), style(style_in) {}
  Cell(const char* text_in, Style style_in = Style::kPlain) : text(text_in), style(style_in) {}
  explicit Cell(Fit fit_in) : fit(std::move(fit_in)) {}

  std::string text;  // any bytes: made printable when shown
  Style style = Style::kPlain;
  Fit fit;  // in the last column, when it is flexible: takes all the room that is left
};

class Table {
 public:
  explicit Table(std::vector<Column> columns, std::string indent = "")
      : columns_(std::move(columns)), indent_(std::move(indent)) {}

  // Missing cells at the end are empty; more than there are columns are ignored.
  void AddRow(std::vector<Cell> cells);
  // Text from `column` to the right edge, wrapped over as many lines as it takes: a remark on the row above.
  void AddNote(size_t column, Cell cell);
  // A line of its own at the left edge: the heading of the rows that follow. Empty: a blank line.
  void AddHeading(std::string text);

  bool empty() const { return rows_.empty(); }
  // Lines end in '\n' and never in a space.
  std::string Render(const Terminal& terminal) const;

 private:
  enum class Kind : unsigned char { kCells, kNote, kHeading };
  struct Row {
    Kind kind;
    size_t column = 0;
    std::vector<Cell> cells;
  };
  // The shown width of each column; 0: not shown.
  using Widths = std::vector<size_t>;

  Widths Natural() const;
  Widths Fitted(size_t room) const;
  bool Fits() const;  // the last column takes what is left
  size_t Offset(const Widths& widths, size_t column) const;
  std::string Line(const Terminal& terminal, const Widths& widths, const std::vector<Cell>& cells) const;
  std::string Note(const Terminal& terminal, const Widths& widths, const Row& row) const;

  std::vector<Column> columns_;
  std::string indent_;
  std::vector<Row> rows_;
};

// A call path "a > b > c", or a name, in the last column, among the `paths` of that column. They outlive the table.
Cell PathCell(ShortPaths* paths, std::string path);
Cell NameCell(ShortPaths* paths, std::string name);

// Columns of figures, right-aligned, that go in the order of `spare` when a screen is narrow.
inline Column Figure(std::string header, int spare = 0) {
  return {.header = std::move(header), .align = Align::kRight, .spare = spare};
}
// The column that names the row.
inline Column Name(std::string header, Cut cut = Cut::kMiddle) {
  return {.header = std::move(header), .flexible = true, .cut = cut};
}

}  // namespace epik::view

#endif  // EPIK_VIEW_TABLE_H_
