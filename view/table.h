// SPDX-License-Identifier: BSD-3-Clause
// An aligned table. A column is as wide as its widest cell; empty columns are left out. If the screen is too narrow,
// flexible columns are shortened, which an ellipsis shows; then columns that can be spared are left out, and flexible
// ones take the room that is left. Numbers are never cut, and no line is wrapped.
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
  Cut cut = Cut::kEnd;    // where to cut
  int spare = 0;          // 0: always stays; otherwise the largest is left out first
  size_t least = 24;      // for a last column with shorter cells: other columns are left out before it has less
  bool yields = false;    // may be cut when no column can be spared any more, and the last one is short itself
};

struct Cell {
  // Returns text for at most `width` columns, which is shown unchanged: it may contain styles.
  using Fit = std::function<std::string(size_t width)>;

  Cell(std::string text_in = "", Style style_in = Style::kPlain) : text(std::move(text_in)), style(style_in) {}
  Cell(const char* text_in, Style style_in = Style::kPlain) : text(text_in), style(style_in) {}
  explicit Cell(Fit fit_in) : fit(std::move(fit_in)) {}

  std::string text;  // any bytes; it is made printable when shown
  Style style = Style::kPlain;
  // For a flexible last column, which takes all the room that is left. With `text`, whose width counts, for another
  // one.
  Fit fit;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns, std::string indent = "")
      : columns_(std::move(columns)), indent_(std::move(indent)) {}

  // Missing cells at the end are empty; cells beyond the columns are ignored.
  void AddRow(std::vector<Cell> cells);
  // Adds text from `column` to the right edge, wrapped over as many lines as it needs: a remark on the row above.
  void AddNote(size_t column, Cell cell);
  // Adds a line of its own at the left edge, as the heading of the next rows. Empty text makes a blank line.
  void AddHeading(std::string text);

  bool empty() const { return rows_.empty(); }
  // Lines end with '
  // ' and never with a space.
  std::string Render(const Terminal& terminal) const;

 private:
  enum class Kind : unsigned char { kCells, kNote, kHeading };
  struct Row {
    Kind kind;
    size_t column = 0;
    std::vector<Cell> cells;
  };
  // The width of each column on the screen; 0: not shown.
  using Widths = std::vector<size_t>;

  Widths Natural() const;
  bool ShortenLast(Widths* widths) const;
  void Widen(size_t room, Widths* widths) const;
  Widths Fitted(size_t room) const;
  bool Fits() const;  // the last column takes the rest of the width
  size_t Offset(const Widths& widths, size_t column) const;
  std::string Line(const Terminal& terminal, const Widths& widths, const std::vector<Cell>& cells) const;
  std::string Note(const Terminal& terminal, const Widths& widths, const Row& row) const;

  std::vector<Column> columns_;
  std::string indent_;
  std::vector<Row> rows_;
};

// A call path "a > b > c", or a name, in the last column, among the `paths` of that column. The paths outlive the
// table.
Cell PathCell(ShortPaths* paths, std::string path);
Cell NameCell(ShortPaths* paths, std::string name);

// A column of figures, right-aligned. Narrow screens leave such columns out in the order of `spare`.
inline Column Figure(std::string header, int spare = 0) {
  return {.header = std::move(header), .align = Align::kRight, .spare = spare};
}
// The column that names the row.
inline Column Name(std::string header, Cut cut = Cut::kMiddle) {
  return {.header = std::move(header), .flexible = true, .cut = cut};
}

}  // namespace epik::view

#endif  // EPIK_VIEW_TABLE_H_
