// SPDX-License-Identifier: BSD-3-Clause
#include "config/report.h"

#include <algorithm>

#include "config/conf_file.h"
#include "config/environment.h"
#include "config/loader.h"

namespace epik::config {
namespace {

constexpr char kBold[] = "\033[1m";
constexpr char kPlain[] = "\033[0m";
constexpr size_t kNarrowest = 40;
constexpr size_t kOneLine = 76;  // from this width on, the help stands beside the value
constexpr size_t kValueColumn = 14;

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Columns on a terminal, one for each character: names of files may hold more than ASCII.
size_t Columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !Continues(c); }));
}

// The longest beginning that fits into `columns`.
std::string_view Fitting(std::string_view text, size_t columns) {
  size_t i = 0;
  for (size_t used = 0; i < text.size(); ++i) {
    if (!Continues(text[i]) && ++used > columns) break;
  }
  return text.substr(0, i);
}

// Breaks words into indented lines; breaks a word only if it is too long for a line.
class Page {
 public:
  Page(int width, bool color) : width_(std::max(kNarrowest, static_cast<size_t>(std::max(width, 0)))), color_(color) {}

  size_t width() const { return width_; }
  std::string Take() { return std::move(out_); }

  void Put(std::string_view text, bool bold = false) {
    const bool marked = bold && color_;
    if (marked) out_ += kBold;
    out_ += text;
    if (marked) out_ += kPlain;
    column_ += Columns(text);
  }

  // Blanks up to `column`; a new line first when the text is already there.
  void Tab(size_t column) {
    if (column_ > column) End();
    Put(std::string(column - column_, ' '));
  }

  void End() {
    out_.resize(out_.find_last_not_of(' ') + 1);
    out_ += '\n';
    column_ = 0;
  }

  // Writes words from the current place on; further lines begin at `indent`.
  void Words(std::string_view text, size_t indent, bool bold = false) {
    while (!text.empty()) {
      const size_t space = text.find(' ');
      std::string_view word = text.substr(0, space);
      text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
      if (column_ > indent && column_ + 1 + Columns(word) > width_) End();
      if (column_ > indent) Put(" ");
      while (column_ < indent || column_ + Columns(word) > width_) {
        Tab(indent);
        if (column_ + Columns(word) <= width_) break;
        const std::string_view part = Fitting(word, width_ - column_);
        Put(part, bold);
        End();
        word.remove_prefix(part.size());
      }
      Put(word, bold);
    }
    if (column_ > 0) End();
  }

 private:
  const size_t width_;
  const bool color_;
  size_t column_ = 0;
  std::string out_;
};

std::string Shown(std::string_view value) { return value.empty() ? "(empty)" : Printable(value); }

void PutRow(const Loaded& loaded, const Description& row, size_t name_columns, Page* page) {
  const Settings& settings = loaded.settings;
  const bool set = settings.IsSet(row.key);
  const size_t value_at = 2 + name_columns + 2;
  const bool one_line = page->width() >= kOneLine;
  const size_t help_at = one_line ? value_at + kValueColumn + 2 : 4;
  page->Put(set ? "* " : "  ", set);
  page->Put(row.name, set);
  page->Tab(value_at);
  const std::string value = Shown(row.format(settings));
  if (!one_line || Columns(value) > kValueColumn) {
    page->Words(value, value_at, set);
  } else {
    page->Put(value, set);
  }
  page->Tab(help_at);
  page->Words(row.help, help_at);
  if (!set) return;
  page->Tab(help_at);
  page->Words("from " + Printable(settings.OriginOf(row.key).Text()) + "; default: " + Shown(row.fallback), help_at);
}

void PutFact(std::string_view name, std::string_view text, bool bold, Page* page) {
  if (text.empty()) return;
  page->Put("  ");
  page->Put(name);
  page->Tab(12);
  page->Words(text, 12, bold);
}

std::string SetCount(const Settings& settings) {
  int set = 0;
  for (const Description& row : Descriptions()) set += settings.IsSet(row.key) ? 1 : 0;
  const std::string of = " of " + std::to_string(kSettings) + " variables ";
  return std::to_string(set) + of + (set == 1 ? "is set (marked *)" : set == 0 ? "are set" : "are set (marked *)");
}

}  // namespace

std::string RenderTable(const Loaded& loaded, int width, bool color) {
  size_t name_columns = 0;
  for (const Description& row : Descriptions()) name_columns = std::max(name_columns, Columns(row.name));
  Page page(width, color);
  page.Words(SetCount(loaded.settings), 0);
  std::string_view section;
  for (const Description& row : Descriptions()) {
    if (section != row.section) {
      section = row.section;
      page.End();
      page.Put(section, true);
      page.End();
    }
    PutRow(loaded, row, name_columns, &page);
  }
  return page.Take();
}

std::string RenderVariable(const Loaded& loaded, const Description& row, int width, bool color) {
  const Settings& settings = loaded.settings;
  Page page(width, color);
  page.Put(row.name, true);
  page.End();
  PutFact("", row.help, false, &page);
  PutFact("value", Shown(row.format(settings)), settings.IsSet(row.key), &page);
  PutFact("source", Printable(settings.OriginOf(row.key).Text()), false, &page);
  PutFact("default", Shown(row.fallback), false, &page);
  PutFact("accepted", row.accepted(), false, &page);
  PutFact("type", row.type, false, &page);
  PutFact("unit", row.unit, false, &page);
  PutFact("section", row.section, false, &page);
  PutFact("since", row.since, false, &page);
  return page.Take();
}

std::string RenderConf(const Settings& settings) {
  std::string out = "# The configuration in force, as a configuration file: name it with EPK_CONF to use it again.\n";
  std::string_view section;
  for (const Description& row : Descriptions()) {
    if (section != row.section) {
      section = row.section;
      out += "\n# " + std::string(section) + "\n";
    }
    if (!settings.IsSet(row.key)) out += "# ";
    out += std::string(row.name) + " = " + QuoteValue(row.format(settings)) + "\n";
  }
  return out;
}

std::string RenderNames() {
  std::string out;
  for (const Description& row : Descriptions()) out += std::string(row.name) + "\n";
  return out;
}

Settings ReadConf(std::string_view text) {
  const Environment nothing(nullptr);
  Loader loader(nothing, "");
  loader.AddFile("EPIK.CONF", text);
  return loader.Finish().settings;
}

}  // namespace epik::config
