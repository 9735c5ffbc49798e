// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/manual.h"

#include <algorithm>
#include <sstream>

#include "tools/epk/options.h"

namespace epik::epk {
namespace {

bool IsTitle(const std::string& line) {
  if (line.empty() || line[0] == ' ') return false;
  return line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ ") == std::string::npos;
}

size_t Indent(const std::string& line) { return line.find_first_not_of(' '); }

void AddLine(const std::string& line, bool joins, std::vector<Block>* blocks) {
  // The limit is promised to all verbs in command.h. A change of kind begins a block even without an empty line.
  const bool verbatim = Indent(line) >= 3;
  const Block::Kind kind = verbatim ? Block::Kind::kVerbatim : Block::Kind::kParagraph;
  const std::string text = verbatim ? line + "\n" : line.substr(Indent(line));
  if (joins && blocks->back().kind == kind) {
    blocks->back().text += (verbatim ? "" : " ") + text;
  } else {
    blocks->push_back({kind, text, ""});
  }
}

// Examples keep their shape but not the place where they stood in the source.
void Unindent(Block* block) {
  std::istringstream lines(block->text);
  // An empty line ends a block, so each line in it has a first letter.
  size_t common = std::string::npos;
  for (std::string line; std::getline(lines, line);) common = std::min(common, Indent(line));
  lines = std::istringstream(block->text);
  block->text.clear();
  for (std::string line; std::getline(lines, line);) block->text += line.substr(common) + "\n";
}

Section* Find(std::vector<Section>* sections, const std::string& title) {
  const auto it =
      std::find_if(sections->begin(), sections->end(), [&](const Section& each) { return each.title == title; });
  return it == sections->end() ? nullptr : &*it;
}

// Removes the section that it returns, so that only sections without a fixed place are left.
Section Take(std::vector<Section>* sections, const std::string& title, Section otherwise) {
  Section* found = Find(sections, title);
  if (found == nullptr) return otherwise;
  otherwise = *found;
  sections->erase(sections->begin() + (found - sections->data()));
  return otherwise;
}

Section Synopsis(const Command& command, const cli::App& app) {
  std::string text = std::string("epk ") + command.name + " [OPTION]...";
  for (const cli::OptionInfo& option : app.Options()) {
    if (!option.positional) continue;
    const std::string name = option.value + (option.many ? "..." : "");
    text += option.required ? " " + name : " [" + name + "]";
  }
  // All words from the program on go to the program.
  if (app.takes_program()) text += " PROGRAM [ARGUMENT]...";
  return {"SYNOPSIS", {{Block::Kind::kVerbatim, text + "\n", ""}}};
}

Section OptionList(const cli::App& app) {
  Section section{"OPTIONS", {}};
  for (const cli::OptionInfo& option : app.Options()) {
    section.blocks.push_back({Block::Kind::kTerm, option.text, option.Term()});
  }
  return section;
}

}  // namespace

bool Section::AllVerbatim() const {
  return std::all_of(blocks.begin(), blocks.end(),
                     [](const Block& each) { return each.kind == Block::Kind::kVerbatim; });
}

std::vector<Section> ParseManual(const std::string& text) {
  std::vector<Section> sections;
  std::istringstream lines(text);
  bool joins = false;
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(" \r") + 1);
    if (IsTitle(line)) {
      sections.push_back({line, {}});
      joins = false;
    } else if (line.empty()) {
      joins = false;
    } else {
      if (sections.empty()) sections.push_back({"DESCRIPTION", {}});
      AddLine(line, joins, &sections.back().blocks);
      joins = true;
    }
  }
  for (Section& section : sections) {
    for (Block& block : section.blocks) {
      if (block.kind == Block::Kind::kVerbatim) Unindent(&block);
    }
  }
  return sections;
}

Page ManualPage(const Command& command, const cli::App& app) {
  Page page{std::string("epk-") + command.name, command.summary, {}};
  std::vector<Section> rest = ParseManual(app.footer());
  page.sections.push_back(Take(&rest, "SYNOPSIS", Synopsis(command, app)));
  Section description = Take(&rest, "DESCRIPTION", {"DESCRIPTION", {}});
  if (!description.blocks.empty()) page.sections.push_back(description);
  page.sections.push_back(OptionList(app));
  const Section status = Take(&rest, "EXIT STATUS", {"EXIT STATUS", {{Block::Kind::kVerbatim, kExitStatus, ""}}});
  const Section see = Take(&rest, "SEE ALSO", {"SEE ALSO", {{Block::Kind::kParagraph, "epk(1)", ""}}});
  page.sections.insert(page.sections.end(), rest.begin(), rest.end());
  page.sections.push_back(status);
  page.sections.push_back(see);
  return page;
}

}  // namespace epik::epk
