// SPDX-License-Identifier: BSD-3-Clause
// Columns of figures with a free last column. Columns that stay empty disappear.
#ifndef EPIK_REPORT_TABLE_H_
#define EPIK_REPORT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "report/format.h"

namespace epik::report {

enum class Tone : unsigned char { kPlain, kBold, kDim };

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;
};

class Table {
 public:
  enum class Side : unsigned char { kLeft, kRight };
  struct Column {
    std::string title;
    Side side = Side::kRight;
  };

  static constexpr size_t kMinimumLast = 24;

  // The last column's width is what the others leave of `width`.
  Table(std::vector<Column> columns, std::string last_title, size_t width)
      : columns_(std::move(columns)), last_title_(std::move(last_title)), width_(width) {}

  void AddRow(std::vector<Cell> cells) { rows_.push_back({std::move(cells), ""}); }

  // Known when all rows are there: the last column is filled in afterwards, and may carry its own colours.
  size_t LastWidth(size_t at_least = kMinimumLast) const;
  size_t size() const { return rows_.size(); }
  void SetLast(size_t row, std::string text) { rows_[row].last = std::move(text); }

  std::string Render(const Ink& ink) const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string last;
  };
  std::vector<size_t> Widths() const;

  std::vector<Column> columns_;
  std::string last_title_;
  size_t width_;
  std::vector<Row> rows_;
};

}  // namespace epik::report

#endif  // EPIK_REPORT_TABLE_H_
