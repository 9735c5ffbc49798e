// SPDX-License-Identifier: BSD-3-Clause
// The manual of a verb as a page of sections: one model for the terminal and for man pages.
#ifndef EPIK_TOOLS_EPK_MANUAL_H_
#define EPIK_TOOLS_EPK_MANUAL_H_

#include <span>
#include <string>
#include <vector>

#include "tools/epk/command.h"
#include "view/terminal.h"

namespace epik::epk {

struct Block {
  enum class Kind { kParagraph, kVerbatim, kTerm };
  Kind kind;
  std::string text;  // paragraphs in one line; verbatim with its line ends, less their common indentation
  std::string term;  // kTerm: the term that is explained
};

struct Section {
  std::string title;
  std::vector<Block> blocks;

  // True: the section has only verbatim lines, so they need no margin to stand out from text.
  bool AllVerbatim() const;
};

struct Page {
  std::string name;  // "epk-report"
  std::string summary;
  std::vector<Section> sections;
};

// The exit statuses of every verb, unless its manual has its own.
inline constexpr char kExitStatus[] =
    "0  done\n"
    "1  the archive or the input is at fault\n"
    "2  wrong usage\n";

// See command.h for the text a verb gives.
std::vector<Section> ParseManual(const std::string& text);

Page ManualPage(const Command& command, const cli::App& app);
Page OverviewPage(std::span<const Command> commands);

std::string RenderText(const Page& page, const view::Terminal& terminal);

// The screen of `epk` alone: the usual steps, and the verbs. Fits 80 columns.
std::string Overview(std::span<const Command> commands, const view::Terminal& terminal);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_MANUAL_H_
