// SPDX-License-Identifier: BSD-3-Clause
#include "report/table.h"

#include <algorithm>

namespace epik::report {
namespace {

constexpr size_t kGap = 2;

void TrimRight(std::string* line) { line->erase(line->find_last_not_of(' ') + 1); }

}  // namespace

std::vector<size_t> Table::Widths() const {
  std::vector<size_t> widths(columns_.size());
  for (const Row& row : rows_) {
    for (size_t c = 0; c < row.cells.size(); ++c) widths[c] = std::max(widths[c], DisplayWidth(row.cells[c].text));
  }
  for (size_t c = 0; c < widths.size(); ++c) {
    if (widths[c] > 0) widths[c] = std::max(widths[c], DisplayWidth(columns_[c].title));
  }
  return widths;
}

size_t Table::LastWidth(size_t at_least) const {
  size_t used = 0;
  for (size_t width : Widths()) used += width == 0 ? 0 : width + kGap;
  return width_ > used + at_least ? width_ - used : at_least;
}

std::string Table::Render(const Ink& ink) const {
  const std::vector<size_t> widths = Widths();
  const auto pad = [&](size_t c, const std::string& text) {
    const std::string padded = columns_[c].side == Side::kRight ? PadLeft(text, widths[c]) : PadRight(text, widths[c]);
    return padded + std::string(kGap, ' ');
  };
  std::string line;
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (widths[c] > 0) line += pad(c, columns_[c].title);
  }
  line += last_title_;
  TrimRight(&line);
  std::string out = ink.Bold(line) + "\n";
  for (const Row& row : rows_) {
    line.clear();
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (widths[c] == 0) continue;
      const Cell cell = c < row.cells.size() ? row.cells[c] : Cell{};
      const std::string text = pad(c, cell.text);
      line += cell.tone == Tone::kBold ? ink.Bold(text) : cell.tone == Tone::kDim ? ink.Dim(text) : text;
    }
    line += row.last;
    TrimRight(&line);
    out += line + "\n";
  }
  return out;
}

}  // namespace epik::report
