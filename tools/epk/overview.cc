// SPDX-License-Identifier: BSD-3-Clause
// An overview for first-time users: the screen of `epk` alone, and epk(1).
#include <algorithm>
#include <string>
#include <vector>

#include "tools/epk/manual.h"
#include "view/text.h"

namespace epik::epk {
namespace {

using view::Style;

constexpr char kIdentity[] = "measure where a parallel program spends its time";

struct Step {
  const char* verb;
  const char* example;
  const char* what;
};

// The usual steps, shown for the verbs that exist.
constexpr Step kSteps[] = {
    {"instrument", "epk instrument mpicc -O2 solver.c -o solver", "compile it, with hooks"},
    {"run", "epk run mpirun -n 4 ./solver", "run it, measured"},
    {"report", "epk report epik_solver_4x1_sum", "read what it did"},
};

std::vector<Step> Steps(std::span<const Command> commands) {
  std::vector<Step> steps;
  for (const Step& step : kSteps) {
    const auto is_there = [&step](const Command& each) { return std::string(step.verb) == each.name; };
    if (std::any_of(commands.begin(), commands.end(), is_there)) steps.push_back(step);
  }
  return steps;
}

std::string StepLines(std::span<const Command> commands, const view::Terminal& terminal) {
  std::string text;
  size_t width = 0, number = 0;
  const std::vector<Step> steps = Steps(commands);
  for (const Step& step : steps) width = std::max(width, view::Width(step.example));
  for (const Step& step : steps) {
    text += "  " + std::to_string(++number) + "  " + view::PadRight(step.example, width) + "  ";
    text += terminal.Paint(Style::kFaint, step.what) + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

std::vector<std::string> Groups(std::span<const Command> commands) {
  std::vector<std::string> groups;
  for (const Command& command : commands) {
    if (std::find(groups.begin(), groups.end(), command.group) == groups.end()) groups.push_back(command.group);
  }
  return groups;
}

}  // namespace

std::string Overview(std::span<const Command> commands, const view::Terminal& terminal) {
  size_t width = std::string("help").size();
  for (const Command& command : commands) width = std::max(width, view::Width(command.name));
  const auto line = [&](const std::string& name, const std::string& summary) {
    return "  " + terminal.Paint(Style::kAccent, name) + std::string(width - name.size() + 2, ' ') + summary + "\n";
  };
  std::string text = terminal.Paint(Style::kBold, "epk") + " - " + kIdentity + "\n" + StepLines(commands, terminal);
  for (const std::string& group : Groups(commands)) {
    text += "\n" + terminal.Paint(Style::kBold, group) + "\n";
    for (const Command& command : commands) {
      if (group == command.group) text += line(command.name, command.summary);
    }
  }
  return text + "\n" + line("help", "the manual of a command: epk help COMMAND");
}

Page OverviewPage(std::span<const Command> commands) {
  const auto verbatim = [](const std::string& text) { return Block{Block::Kind::kVerbatim, text, ""}; };
  const auto paragraph = [](const std::string& text) { return Block{Block::Kind::kParagraph, text, ""}; };
  Section description{"DESCRIPTION", {}};
  description.blocks.push_back(
      paragraph("EPIK measures programs in C, C++ and Fortran, with MPI, OpenMP and threads: where their time goes, "
                "call path by call path, and what the measurement itself cost."));
  std::string steps, see;
  for (const Step& step : Steps(commands)) steps += std::string(step.example) + "\n";
  if (!steps.empty()) description.blocks.push_back(verbatim(steps));
  Section list{"COMMANDS", {}};
  for (const Command& command : commands) {
    list.blocks.push_back({Block::Kind::kTerm, command.summary, command.name});
    see += (see.empty() ? "epk-" : ", epk-") + std::string(command.name) + "(1)";
  }
  return {
      "epk",
      kIdentity,
      {{"SYNOPSIS", {verbatim("epk [--max-anchor SIZE] COMMAND [ARGUMENT]...\nepk help [COMMAND]\nepk --version\n")}},
       description,
       list,
       {"OPTIONS",
        {{Block::Kind::kTerm,
          "read definitions of up to SIZE (as in 4GB) from a .cubex file, however small they are packed; without it, 1 "
          "GiB and 250 times the packed size at most",
          "--max-anchor SIZE"}}},
       {"EXIT STATUS", {verbatim(kExitStatus)}},
       {"SEE ALSO", {paragraph(see)}}}};
}

}  // namespace epik::epk
