// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/roff.h"

#include <algorithm>
#include <sstream>

#include "tools/epk/version.h"
#include "view/prose.h"

namespace epik::epk {
namespace {

// Nothing in `text` may be taken for a request or an escape; a hyphen in an option must stay a character that users can
// copy.
std::string Escape(const std::string& text, bool emphasis) {
  std::string out;
  bool open = false;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '`' && emphasis) {
      open = !open;
      out += open ? "\\fB" : "\\fR";
    } else {
      out += c;
    }
  }
  if (open) out += "\\fR";
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string Verbatim(const std::string& text, bool margin) {
  std::istringstream lines(text);
  std::string out = margin ? ".RS 4\n.nf\n" : ".nf\n";
  for (std::string line; std::getline(lines, line);) out += line.empty() ? "\\&\n" : Escape(line, false) + "\n";
  return out + (margin ? ".fi\n.RE\n" : ".fi\n");
}

// Sources have no line longer than a screen, so that the result can be read and compared too.
std::string Paragraph(const std::string& text) {
  constexpr size_t kLine = 100;
  std::string out;
  for (const std::string& line : view::Wrap(Escape(text, true), kLine)) {
    const bool request = line.starts_with('.') || line.starts_with('\'');  // a word that wrapping brought to the front
    out += (request ? "\\&" : "") + line + "\n";
  }
  return out;
}

}  // namespace

std::string RenderRoff(const Page& page) {
  std::string title = page.name;
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  // No date: the same sources give the same page.
  std::string out = ".TH " + Escape(title, false) + " 1 \"\" \"EPIK " + kVersion + "\" \"EPIK\"\n";
  out += ".SH NAME\n" + Escape(page.name, false) + " \\- " + Escape(page.summary, false) + "\n";
  for (const Section& section : page.sections) {
    out += ".SH " + section.title + "\n";
    bool first = true;
    for (const Block& block : section.blocks) {
      if (block.kind == Block::Kind::kVerbatim) {
        out += (first ? "" : ".PP\n") + Verbatim(block.text, !section.AllVerbatim());
      } else if (block.kind == Block::Kind::kTerm) {
        const std::string term = block.term.substr(std::min(block.term.find_first_not_of(' '), block.term.size()));
        out += ".TP\n\\fB" + Escape(term, false) + "\\fR\n" + Paragraph(block.text);
      } else {
        out += (first ? "" : ".PP\n") + Paragraph(block.text);
      }
      first = false;
    }
  }
  return out;
}

}  // namespace epik::epk
