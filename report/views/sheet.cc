// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/sheet.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/json_string.h"
#include "view/csv.h"
#include "view/exact.h"
#include "view/name.h"
#include "view/number.h"
#include "view/table.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::report {
namespace {

constexpr int kVersion = 1;

double Number(const SheetCell& cell) {
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* count = std::get_if<uint64_t>(&cell)) return static_cast<double>(*count);
  return 0;
}

std::string Shown(const SheetCell& cell, Unit unit, bool unicode) {
  if (std::holds_alternative<std::monostate>(cell)) return "";
  if (const auto* text = std::get_if<std::string>(&cell)) return view::Printable(*text);
  const double value = Number(cell);
  if (!std::isfinite(value)) return "-";
  switch (unit) {
    case Unit::kSeconds: return view::SecondsCell(value, unicode);
    case Unit::kBytes: return value == 0 ? "-" : view::Bytes(value);
    case Unit::kShare: return view::Percent(value, 1);
    case Unit::kRatio: return value > 0 ? view::Ratio(value) : "-";
    default:
      if (const auto* count = std::get_if<uint64_t>(&cell)) return view::Count(*count);
      return view::Ratio(value);
  }
}

// null, "text", 1.5, 3
std::string Exact(const SheetCell& cell, bool json) {
  if (std::holds_alternative<std::monostate>(cell)) return json ? "null" : "";
  if (const auto* text = std::get_if<std::string>(&cell)) return json ? JsonString(*text) : *text;
  if (const auto* count = std::get_if<uint64_t>(&cell)) return std::to_string(*count);
  const double value = std::get<double>(cell);
  return view::RoundTrip(value, json ? "null" : "");
}

std::string CsvCell(const SheetCell& cell) {
  const std::string text = Exact(cell, false);
  return std::holds_alternative<std::string>(cell) ? view::CsvText(text) : text;
}

// '|' would end the cell, and a line break would end the row.
std::string MarkdownCell(std::string text) {
  std::string out;
  for (char c : text) {
    if (c == '|' || c == '\\' || c == '<' || c == '`' || c == '*' || c == '_') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string RenderSheet(const Sheet& sheet, size_t top, const view::Terminal& terminal) {
  std::vector<view::Column> columns;
  std::vector<size_t> shown;
  // Columns behind the last one with a title are for programs.
  size_t last = sheet.columns.size() - 1;
  while (last > 0 && sheet.columns[last].title.empty()) --last;
  for (size_t c = 0; c < last; ++c) {
    const SheetColumn& column = sheet.columns[c];
    if (column.title.empty()) continue;
    shown.push_back(c);
    columns.push_back(view::Figure(column.title, column.spare));
    if (column.unit != Unit::kText) continue;
    columns.back().align = view::Align::kLeft;
    columns.back().yields = true;
    columns.back().cut = view::Cut::kMiddle;
  }
  columns.push_back(view::Name(sheet.columns[last].title));
  view::Table table(std::move(columns));
  view::ShortPaths paths(terminal);
  // Texts beside figures are told apart where they are cut.
  std::vector<view::ShortPaths> names(sheet.columns.size(), view::ShortPaths(terminal));
  const size_t count = top == 0 ? sheet.rows.size() : std::min(top, sheet.rows.size());
  for (size_t r = 0; r < count; ++r) {
    std::vector<view::Cell> cells;
    for (size_t c : shown) {
      view::Cell& cell = cells.emplace_back(Shown(sheet.rows[r][c], sheet.columns[c].unit, terminal.unicode));
      if (sheet.columns[c].unit == Unit::kText) cell.fit = view::NameCell(&names[c], cell.text).fit;
    }
    if (const auto* name = std::get_if<std::string>(&sheet.rows[r][last])) {
      std::string_view path = *name;
      if (!sheet.hidden_prefix.empty() && path.starts_with(sheet.hidden_prefix)) {
        path.remove_prefix(sheet.hidden_prefix.size());
      }
      cells.emplace_back(
          [&paths, row = paths.Add(view::SplitPath(path))](size_t width) { return paths.At(row, width); });
    }
    table.AddRow(std::move(cells));
  }
  std::string out = table.Render(terminal);
  if (count < sheet.rows.size()) {
    out += terminal.Dim(std::string(terminal.Ellipsis()) + " " + view::Count(sheet.rows.size() - count) +
                        " more: `--top 0`") +
           "\n";
  }
  return out;
}

void WriteViewJson(const ViewData& view, const Sink& sink) {
  Buffer out(sink);
  out << "{\n\"format\": \"epik-report-" << view.name << "\",\n\"version\": " << std::to_string(kVersion);
  out << ",\n\"totals\": {";
  for (size_t i = 0; i < view.totals.size(); ++i) {
    out << (i == 0 ? "" : ", ") << JsonString(view.totals[i].first) << ": " << Exact(view.totals[i].second, true);
  }
  out << "}";
  for (const Sheet& sheet : view.sheets) {
    out << ",\n" << JsonString(sheet.key) << ": [";
    for (size_t r = 0; r < sheet.rows.size(); ++r) {
      out << (r == 0 ? "\n  {" : ",\n  {");
      for (size_t c = 0; c < sheet.columns.size(); ++c) {
        out << (c == 0 ? "" : ", ") << JsonString(sheet.columns[c].key) << ": " << Exact(sheet.rows[r][c], true);
      }
      out << "}";
    }
    out << "\n]";
  }
  out << "\n}\n";
}

void WriteViewCsv(const ViewData& view, const Sink& sink) {
  Buffer out(sink);
  const Sheet& sheet = view.sheets.front();
  for (size_t c = 0; c < sheet.columns.size(); ++c) out << (c == 0 ? "" : ",") << sheet.columns[c].key;
  out << "\r\n";
  for (const auto& row : sheet.rows) {
    for (size_t c = 0; c < row.size(); ++c) out << (c == 0 ? "" : ",") << CsvCell(row[c]);
    out << "\r\n";
  }
}

void WriteViewMarkdown(const ViewData& view, const Sink& sink) {
  Buffer out(sink);
  for (const Sheet& sheet : view.sheets) {
    out << (&sheet == &view.sheets.front() ? "" : "\n");
    std::string titles, rule;
    for (const SheetColumn& column : sheet.columns) {
      if (column.title.empty()) continue;
      titles += "| " + MarkdownCell(column.title) + " ";
      rule += column.unit == Unit::kText ? "|---" : "|---:";
    }
    out << titles << "|\n" << rule << "|\n";
    for (const auto& row : sheet.rows) {
      for (size_t c = 0; c < row.size(); ++c) {
        if (sheet.columns[c].title.empty()) continue;
        std::string text = Shown(row[c], sheet.columns[c].unit, true);
        text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
        text.erase(text.find_last_not_of(' ') + 1);
        out << "| " << MarkdownCell(text) << " ";
      }
      out << "|\n";
    }
  }
}

}  // namespace epik::report
