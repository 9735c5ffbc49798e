// SPDX-License-Identifier: BSD-3-Clause
// An aligned table. Columns take what their widest cell needs; when the screen is too narrow, the flexible ones give
// way and say so by an ellipsis. Numbers are never cut.
#ifndef EPIK_VIEW_TABLE_H_
#define EPIK_VIEW_TABLE_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "view/terminal.h"
#include "view/text.h"

namespace epik::view {

enum class Align { kLeft, kRight };

struct Column {
  std::string header;  // a table whose headers are all empty has no header line
  Align align = Align::kLeft;
  bool flexible = false;  // may be cut to fit
  Cut cut = Cut::kEnd;    // where
};

struct Cell {
  Cell(std::string text_in = "", Style style_in = Style::kPlain) : text(std::move(text_in)), style(style_in) {}
  Cell(const char* text_in) : text(text_in) {}

  std::string text;  // any bytes: cleaned when shown
  Style style = Style::kPlain;
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
  enum class Kind { kCells, kNote, kHeading };
  struct Row {
    Kind kind;
    size_t column = 0;
    std::vector<Cell> cells;
  };

  std::vector<size_t> Widths(size_t room) const;
  size_t Offset(const std::vector<size_t>& widths, size_t column) const;
  std::string Line(const Terminal& terminal, const std::vector<size_t>& widths, const std::vector<Cell>& cells) const;
  std::string Note(const Terminal& terminal, const std::vector<size_t>& widths, const Row& row) const;

  std::vector<Column> columns_;
  std::string indent_;
  std::vector<Row> rows_;
};

}  // namespace epik::view

#endif  // EPIK_VIEW_TABLE_H_
