// SPDX-License-Identifier: BSD-3-Clause
// A page as the terminal shows it.
#include <algorithm>
#include <sstream>

#include "tools/epk/manual.h"
#include "view/prose.h"
#include "view/text.h"

namespace epik::epk {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kWidestText = 100;  // longer lines are hard to read, even on a wide screen
constexpr size_t kWidestTerm = 26;   // a longer term has its text on the next line

// `words in backquotes`: bold where there is colour; elsewhere quoting would only be noise.
std::string Emphasise(const std::string& line, const view::Terminal& terminal, bool* open) {
  std::string text;
  for (const char c : line) {
    if (c != '`') {
      text += c;
      continue;
    }
    *open = !*open;
    if (terminal.colour) text += *open ? "\033[1m" : "\033[0m";
  }
  return text;
}

std::string Filled(const std::string& text, size_t indent, const view::Terminal& terminal) {
  const size_t width = std::min(terminal.width, kWidestText) - indent;
  std::string out;
  bool open = false;
  for (const std::string& line : view::Wrap(text, width)) {
    out += std::string(indent, ' ') + Emphasise(line, terminal, &open) + "\n";
  }
  return out;
}

std::string Verbatim(const std::string& text, size_t indent) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += std::string(indent, ' ') + line + "\n";
  return out;
}

size_t TermWidth(const Section& section) {
  size_t width = 0;
  for (const Block& block : section.blocks) {
    const size_t term = view::Width(block.term);
    if (term <= kWidestTerm) width = std::max(width, term);
  }
  return width;
}

std::string Term(const Block& block, size_t width, const view::Terminal& terminal) {
  const size_t indent = kIndent + width + 2;
  const std::string term = std::string(kIndent, ' ') + terminal.Paint(view::Style::kAccent, block.term);
  const std::string text = Filled(block.text, indent, terminal);
  if (view::Width(block.term) > width) return term + "\n" + text;
  return term + text.substr(kIndent + view::Width(block.term));
}

}  // namespace

std::string RenderText(const Page& page, const view::Terminal& terminal) {
  std::string name = page.name;
  std::replace(name.begin(), name.end(), '-', ' ');
  std::string out = terminal.Paint(view::Style::kBold, name) + " - " + page.summary + "\n";
  for (const Section& section : page.sections) {
    out += "\n" + terminal.Paint(view::Style::kBold, section.title) + "\n";
    const size_t width = TermWidth(section);
    const size_t margin = section.AllVerbatim() ? kIndent : 2 * kIndent;
    const Block* before = nullptr;
    for (const Block& block : section.blocks) {
      const bool list = block.kind == Block::Kind::kTerm && before != nullptr && before->kind == Block::Kind::kTerm;
      if (before != nullptr && !list) out += "\n";
      if (block.kind == Block::Kind::kParagraph) out += Filled(block.text, kIndent, terminal);
      if (block.kind == Block::Kind::kVerbatim) out += Verbatim(block.text, margin);
      if (block.kind == Block::Kind::kTerm) out += Term(block, width, terminal);
      before = &block;
    }
  }
  return out;
}

}  // namespace epik::epk
