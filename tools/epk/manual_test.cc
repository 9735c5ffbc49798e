// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/manual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tools/epk/options.h"
#include "tools/epk/roff.h"
#include "view/text.h"

namespace epik::epk {
namespace {

constexpr char kText[] = R"(
DESCRIPTION
  Shows what `epk` wrote,
  filled over lines.

  A second paragraph.

    verbatim   stays
      indented

EXAMPLES
    epk show -n 3 .hidden\path
)";

void AddShow(cli::App& app, std::function<int()>& run) {
  static std::string format, archive, hidden;
  static int top;
  app.AddOption("archive", archive, "what to show").Required();
  app.AddOption("-f,--format", format, "how it looks").OneOf({"text", "json"});
  app.AddOption("-n,--top", top, "the largest only");
  app.AddOption("--secret", hidden, "not for people").Hidden();
  app.Footer(kText);
  run = [] { return 0; };
}

const Command kShow{"show", "Read", "show an archive", AddShow};
const Command kCommands[] = {kShow, {"instrument", "Measure", "compile with hooks", AddShow}};

TEST(Manual, ParsesParagraphsAndExamples) {
  const std::vector<Section> sections = ParseManual(kText);
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[0].title, "DESCRIPTION");
  ASSERT_EQ(sections[0].blocks.size(), 3u);
  EXPECT_EQ(sections[0].blocks[0].text, "Shows what `epk` wrote, filled over lines.");
  EXPECT_EQ(sections[0].blocks[1].text, "A second paragraph.");
  EXPECT_EQ(sections[0].blocks[2].text, "verbatim   stays\n  indented\n");
  EXPECT_EQ(sections[1].title, "EXAMPLES");
  EXPECT_TRUE(sections[1].AllVerbatim());
}

TEST(Manual, PlainTextIsADescription) {
  const std::vector<Section> sections = ParseManual("Some words\nwithout a title.");
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_EQ(sections[0].title, "DESCRIPTION");
  EXPECT_EQ(sections[0].blocks[0].text, "Some words without a title.");
  EXPECT_TRUE(ParseManual("").empty());
}

TEST(Manual, AddsWhatTheParserKnows) {
  const Verb verb(kShow);
  view::Terminal terminal;
  terminal.width = 60;
  EXPECT_EQ(RenderText(ManualPage(kShow, verb.app), terminal),
            "epk show - show an archive\n"
            "\n"
            "SYNOPSIS\n"
            "  epk show [OPTION]... ARCHIVE\n"
            "\n"
            "DESCRIPTION\n"
            "  Shows what epk wrote, filled over lines.\n"
            "\n"
            "  A second paragraph.\n"
            "\n"
            "    verbatim   stays\n"
            "      indented\n"
            "\n"
            "OPTIONS\n"
            "  ARCHIVE                 what to show\n"
            "  -f, --format text|json  how it looks\n"
            "  -n, --top N             the largest only\n"
            "  -h, --help              show this manual\n"
            "\n"
            "EXAMPLES\n"
            "  epk show -n 3 .hidden\\path\n"
            "\n"
            "EXIT STATUS\n"
            "  0  done\n"
            "  1  the archive or the input is at fault\n"
            "  2  wrong usage\n"
            "\n"
            "SEE ALSO\n"
            "  epk(1)\n");
}

TEST(Manual, EmphasisOnlyInColour) {
  view::Terminal terminal;
  terminal.colour = true;
  const Verb verb(kShow);
  const std::string text = RenderText(ManualPage(kShow, verb.app), terminal);
  EXPECT_NE(text.find("Shows what \033[1mepk\033[0m wrote"), std::string::npos);
  EXPECT_EQ(text.find('`'), std::string::npos);
}

TEST(Manual, RoffEscapesWhatRoffWouldTakeForItsOwn) {
  const Verb verb(kShow);
  const std::string roff = RenderRoff(ManualPage(kShow, verb.app));
  EXPECT_NE(roff.find(".TH EPK\\-SHOW 1"), std::string::npos);
  EXPECT_NE(roff.find(".SH NAME\nepk\\-show \\- show an archive\n"), std::string::npos);
  EXPECT_NE(roff.find("\\fBepk\\fR"), std::string::npos);
  EXPECT_NE(roff.find("epk show \\-n 3 .hidden\\epath"), std::string::npos);
  EXPECT_NE(roff.find(".TP\n\\fB\\-f, \\-\\-format text|json\\fR\nhow it looks\n"), std::string::npos);
  EXPECT_EQ(roff.find("secret"), std::string::npos);
  const Page odd{"epk-odd", "x", {{"DESCRIPTION", {{Block::Kind::kParagraph, ".so /etc/passwd 'br", ""}}}}};
  EXPECT_NE(RenderRoff(odd).find("\n\\&.so"), std::string::npos);
}

TEST(Overview, ShowsStepsThatExistAndGroups) {
  EXPECT_EQ(Overview(kCommands, view::Terminal()),
            "epk - measure where a parallel program spends its time\n"
            "\n"
            "  1  epk instrument mpicc -O2 solver.c -o solver  compile it, with hooks\n"
            "\n"
            "Read\n"
            "  show        show an archive\n"
            "\n"
            "Measure\n"
            "  instrument  compile with hooks\n"
            "\n"
            "  help        the manual of a command: epk help COMMAND\n");
}

TEST(Overview, PageListsEveryCommand) {
  const std::string roff = RenderRoff(OverviewPage(kCommands));
  EXPECT_NE(roff.find("\\fBshow\\fR\nshow an archive"), std::string::npos);
  EXPECT_NE(roff.find("epk\\-show(1), epk\\-instrument(1)"), std::string::npos);
}

}  // namespace
}  // namespace epik::epk
