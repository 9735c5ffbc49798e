// SPDX-License-Identifier: BSD-3-Clause
#include "view/table.h"

#include <algorithm>

#include "view/prose.h"

namespace epik::view {
namespace {

constexpr size_t kGap = 2;        // spaces between columns
constexpr size_t kNarrowest = 8;  // a flexible column keeps at least this
constexpr size_t kShort = 16;     // the last column has more before others yield
constexpr size_t kNoteRoom = 30;  // a remark gets at least this

void StripEnd(std::string* line) { line->erase(line->find_last_not_of(' ') + 1); }

}  // namespace

void Table::AddRow(std::vector<Cell> cells) {
  cells.resize(columns_.size());
  for (Cell& cell : cells) cell.text = Printable(cell.text);
  rows_.push_back({Kind::kCells, 0, std::move(cells)});
}

void Table::AddNote(size_t column, Cell cell) {
  rows_.push_back({Kind::kNote, std::min(column, columns_.size()), {std::move(cell)}});
}

void Table::AddHeading(std::string text) {
  rows_.push_back({Kind::kHeading, 0, {Cell(Printable(text), Style::kBold)}});
}

bool Table::Fits() const {
  return !columns_.empty() && columns_.back().flexible && std::any_of(rows_.begin(), rows_.end(), [](const Row& row) {
    return row.kind == Kind::kCells && row.cells.back().fit != nullptr;
  });
}

Table::Widths Table::Natural() const {
  Widths widths(columns_.size());
  for (const Row& row : rows_) {
    if (row.kind != Kind::kCells) continue;
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], Width(row.cells[i].text));
  }
  for (size_t i = 0; i < widths.size(); ++i) {
    const bool fit = i + 1 == widths.size() && Fits();
    if (widths[i] > 0 || rows_.empty() || fit) widths[i] = std::max(widths[i], Width(columns_[i].header));
  }
  if (Fits()) widths.back() = std::max(widths.back(), columns_.back().least);
  return widths;
}

// Shortens the last column, or the widest of those that yield once it is short. False: none can be shorter.
bool Table::ShortenLast(Widths* widths) const {
  size_t* widest = &widths->back();
  for (size_t i = 0; i + 1 < widths->size() && widths->back() <= kShort; ++i) {
    if (columns_[i].yields && (*widths)[i] > std::max(*widest, kNarrowest)) widest = &(*widths)[i];
  }
  if (*widest <= kNarrowest) return false;
  --*widest;
  return true;
}

// Columns that were shortened get the room that others left, the narrowest first.
void Table::Widen(size_t room, Widths* widths) const {
  const Widths natural = Natural();
  for (; room > 0; --room) {
    size_t* narrowest = nullptr;
    for (size_t i = 0; i < widths->size(); ++i) {
      const bool is_cut = (*widths)[i] > 0 && (*widths)[i] < natural[i];
      if (is_cut && (narrowest == nullptr || (*widths)[i] < *narrowest)) narrowest = &(*widths)[i];
    }
    if (narrowest == nullptr) return;
    ++*narrowest;
  }
}

Table::Widths Table::Fitted(size_t room) const {
  Widths widths = Natural();
  const auto total = [&] { return std::max(Offset(widths, widths.size()), kGap) - kGap; };
  while (!widths.empty() && total() > room) {
    // The widest flexible column is shortened first, so that several end up with the same width. Columns that can be
    // left out are gone by now.
    size_t* widest = nullptr;
    for (size_t i = 0; i < widths.size(); ++i) {
      const bool fit = i + 1 == widths.size() && Fits();
      if (!columns_[i].flexible || fit || widths[i] <= kNarrowest) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest != nullptr) {
      --*widest;
      continue;
    }
    size_t spared = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] == 0 || columns_[i].spare == 0) continue;
      if (spared == widths.size() || columns_[i].spare > columns_[spared].spare) spared = i;
    }
    if (spared != widths.size()) {
      widths[spared] = 0;
    } else if (!Fits() || !ShortenLast(&widths)) {
      break;
    }
  }
  if (total() < room) Widen(room - total(), &widths);
  if (Fits() && total() < room) widths.back() += room - total();
  return widths;
}

size_t Table::Offset(const Widths& widths, size_t column) const {
  size_t offset = indent_.size();
  for (size_t i = 0; i < column; ++i) offset += widths[i] == 0 ? 0 : widths[i] + kGap;
  return offset;
}

std::string Table::Line(const Terminal& terminal, const Widths& widths, const std::vector<Cell>& cells) const {
  std::string line = indent_;
  bool first = true;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    if (!first) line.append(kGap, ' ');
    first = false;
    if (cells[i].fit != nullptr) {
      const std::string text = cells[i].fit(widths[i]);
      line += text;
      if (i + 1 < cells.size()) line.append(widths[i] - std::min(widths[i], Width(text)), ' ');
      continue;
    }
    const std::string text = Shorten(terminal.Spelled(cells[i].text), widths[i], columns_[i].cut, terminal.Ellipsis());
    const std::string space(widths[i] - Width(text), ' ');
    const std::string painted = terminal.Paint(cells[i].style, text);
    line += columns_[i].align == Align::kRight ? space + painted : painted + space;
  }
  StripEnd(&line);
  return line + "\n";
}

std::string Table::Note(const Terminal& terminal, const Widths& widths, const Row& row) const {
  size_t offset = Offset(widths, row.column);
  if (offset + kNoteRoom > terminal.width) offset = indent_.size() + kGap;
  std::string lines;
  for (const std::string& line : Wrap(terminal.Spelled(row.cells[0].text), terminal.width - offset)) {
    lines += std::string(offset, ' ') + terminal.Paint(row.cells[0].style, Printable(line)) + "\n";
  }
  return lines;
}

std::string Table::Render(const Terminal& terminal) const {
  const Widths widths = Fitted(terminal.width);
  std::string out;
  std::vector<Cell> headers;
  for (const Column& column : columns_) headers.emplace_back(column.header, Style::kBold);
  const bool any = std::any_of(headers.begin(), headers.end(), [](const Cell& cell) { return !cell.text.empty(); });
  if (any) out += Line(terminal, widths, headers);
  for (const Row& row : rows_) {
    if (row.kind == Kind::kCells) out += Line(terminal, widths, row.cells);
    if (row.kind == Kind::kNote) out += Note(terminal, widths, row);
    if (row.kind == Kind::kHeading) out += terminal.Paint(row.cells[0].style, row.cells[0].text) + "\n";
  }
  return out;
}

Cell PathCell(ShortPaths* paths, std::string path) {
  return Cell([paths, row = paths->AddPath(std::move(path))](size_t width) { return paths->At(row, width); });
}

Cell NameCell(ShortPaths* paths, std::string name) {
  return Cell([paths, row = paths->AddName(std::move(name))](size_t width) { return paths->At(row, width); });
}

}  // namespace epik::view
