// SPDX-License-Identifier: BSD-3-Clause
#include "view/table.h"

#include <algorithm>
#include <numeric>

namespace epik::view {
namespace {

constexpr size_t kGap = 2;        // spaces between columns
constexpr size_t kNarrowest = 8;  // a flexible column keeps at least this
constexpr size_t kNoteRoom = 30;  // a remark is not squeezed below this

void StripEnd(std::string* line) { line->erase(line->find_last_not_of(' ') + 1); }

}  // namespace

void Table::AddRow(std::vector<Cell> cells) {
  cells.resize(columns_.size());
  for (Cell& cell : cells) cell.text = Clean(cell.text);
  rows_.push_back({Kind::kCells, 0, std::move(cells)});
}

void Table::AddNote(size_t column, Cell cell) {
  rows_.push_back({Kind::kNote, std::min(column, columns_.size()), {std::move(cell)}});
}

void Table::AddHeading(std::string text) { rows_.push_back({Kind::kHeading, 0, {Cell(Clean(text), Style::kBold)}}); }

std::vector<size_t> Table::Widths(size_t room) const {
  std::vector<size_t> widths;
  for (const Column& column : columns_) widths.push_back(Width(column.header));
  for (const Row& row : rows_) {
    if (row.kind != Kind::kCells) continue;
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], Width(row.cells[i].text));
  }
  // The widest flexible column gives way first, so that several end up equally narrow.
  const auto total = [&] { return Offset(widths, widths.size()) - (widths.empty() ? 0 : kGap); };
  while (total() > room) {
    size_t* widest = nullptr;
    for (size_t i = 0; i < widths.size(); ++i) {
      if (!columns_[i].flexible || widths[i] <= kNarrowest) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest == nullptr) break;
    --*widest;
  }
  return widths;
}

size_t Table::Offset(const std::vector<size_t>& widths, size_t column) const {
  return std::accumulate(widths.begin(), widths.begin() + static_cast<ptrdiff_t>(column), indent_.size()) +
         column * kGap;
}

std::string Table::Line(const Terminal& terminal, const std::vector<size_t>& widths,
                        const std::vector<Cell>& cells) const {
  std::string line = indent_;
  size_t last = cells.size();
  while (last > 0 && cells[last - 1].text.empty()) --last;
  for (size_t i = 0; i < last; ++i) {
    const std::string text = Shorten(cells[i].text, widths[i], columns_[i].cut, terminal.Ellipsis());
    const std::string space(widths[i] - Width(text), ' ');
    const std::string painted = terminal.Paint(cells[i].style, text);
    if (i > 0) line.append(kGap, ' ');
    line += columns_[i].align == Align::kRight ? space + painted : painted + space;
  }
  StripEnd(&line);
  return line + "\n";
}

std::string Table::Note(const Terminal& terminal, const std::vector<size_t>& widths, const Row& row) const {
  size_t offset = Offset(widths, row.column);
  if (offset + kNoteRoom > terminal.width) offset = indent_.size() + kGap;
  std::string lines;
  for (const std::string& line : Wrap(row.cells[0].text, terminal.width - offset)) {
    lines += std::string(offset, ' ') + terminal.Paint(row.cells[0].style, Clean(line)) + "\n";
  }
  return lines;
}

std::string Table::Render(const Terminal& terminal) const {
  const std::vector<size_t> widths = Widths(terminal.width);
  std::string out;
  std::vector<Cell> headers;
  for (const Column& column : columns_) headers.emplace_back(column.header, Style::kFaint);
  const bool any = std::any_of(headers.begin(), headers.end(), [](const Cell& cell) { return !cell.text.empty(); });
  if (any) out += Line(terminal, widths, headers);
  for (const Row& row : rows_) {
    if (row.kind == Kind::kCells) out += Line(terminal, widths, row.cells);
    if (row.kind == Kind::kNote) out += Note(terminal, widths, row);
    if (row.kind == Kind::kHeading) out += terminal.Paint(row.cells[0].style, row.cells[0].text) + "\n";
  }
  return out;
}

}  // namespace epik::view
