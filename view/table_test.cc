// SPDX-License-Identifier: BSD-3-Clause
#include "view/table.h"

#include <gtest/gtest.h>

namespace epik::view {
namespace {

Terminal Screen(size_t width) {
  Terminal terminal;
  terminal.width = width;
  return terminal;
}

TEST(Table, AlignsAndStripsLineEnds) {
  Table table({{"region"}, {"visits", Align::kRight}, {"note"}});
  table.AddRow({"main", "1"});
  table.AddRow({"löse", "1,204,388", "hot"});
  EXPECT_EQ(table.Render(Screen(80)),
            "region     visits  note\n"
            "main            1\n"
            "löse    1,204,388  hot\n");
}

TEST(Table, NoHeaderLineWithoutHeaders) {
  Table table({{""}, {""}}, "  ");
  table.AddRow({"a", "b"});
  EXPECT_EQ(table.Render(Screen(80)), "  a  b\n");
}

TEST(Table, FlexibleColumnsGiveWay) {
  Table table({{"", Align::kLeft, true, Cut::kMiddle}, {"", Align::kRight}});
  table.AddRow({"a_very_long_function_name_indeed", "1.23 s"});
  const std::string text = table.Render(Screen(20));
  EXPECT_EQ(text, "a_very…ndeed  1.23 s\n");
  EXPECT_EQ(Width(text.substr(0, text.size() - 1)), 20u);
}

TEST(Table, FlexibleColumnsShareAndStopAtTheirMinimum) {
  Table table({{"", Align::kLeft, true}, {"", Align::kLeft, true}});
  table.AddRow({std::string(40, 'a'), std::string(40, 'b')});
  EXPECT_EQ(table.Render(Screen(40)), std::string(18, 'a') + "…  " + std::string(18, 'b') + "…\n");
  EXPECT_EQ(table.Render(Screen(5)), "aaaaaaa…  bbbbbbb…\n");
}

// The last column takes the room that is left. It gets less than it needs when the figures need the rest.
TEST(Table, NoLineIsWiderThanTheScreenWhileTheFiguresFit) {
  Table table({{"", Align::kRight}, {"", Align::kRight}, {"", Align::kLeft, true}});
  table.AddRow({"1.23 s", "45.6", Cell([](size_t width) { return std::string(width, 'x'); })});
  EXPECT_EQ(table.Render(Screen(24)), "1.23 s  45.6  xxxxxxxxxx\n");
  EXPECT_EQ(table.Render(Screen(10)), "1.23 s  45.6  xxxxxxxx\n");
}

TEST(Table, AsciiEllipsis) {
  Terminal terminal = Screen(12);
  terminal.unicode = false;
  Table table({{"", Align::kLeft, true}});
  table.AddRow({"abcdefghijklmnop"});
  EXPECT_EQ(table.Render(terminal), "abcdefghi...\n");
}

TEST(Table, NotesWrapUnderTheirColumn) {
  Table table({{""}, {""}}, "  ");
  table.AddHeading("Group");
  table.AddRow({"warn", "paranoid"});
  table.AddNote(1, "sysctl kernel.perf_event_paranoid=1 lets users count");
  table.AddHeading("");
  table.AddRow({"ok"});
  EXPECT_EQ(table.Render(Screen(48)),
            "Group\n"
            "  warn  paranoid\n"
            "        sysctl kernel.perf_event_paranoid=1 lets\n"
            "        users count\n"
            "\n"
            "  ok\n");
}

TEST(Table, StyleDoesNotMoveAnything) {
  Terminal terminal = Screen(80);
  terminal.colour = true;
  Table table({{""}, {""}});
  table.AddRow({{"ok", Style::kGood}, "x"});
  table.AddRow({"warn", "y"});
  EXPECT_EQ(table.Render(terminal), "\033[32mok\033[0m    x\nwarn  y\n");
}

TEST(Table, HostileTextCannotSteerTheTerminal) {
  Table table({{""}, {""}});
  table.AddRow({"evil\x1b[2J\nname", "1"});
  table.AddNote(0, "note\x1b]0;title\x07");
  const std::string text = table.Render(Screen(80));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text, "evil?[2J?name  1\nnote?]0;title?\n");
}

TEST(Table, ColumnsThatStayEmptyDisappear) {
  Table table({{"a"}, {"b"}, {"c"}});
  table.AddRow({"1", "", "3"});
  EXPECT_EQ(table.Render(Screen(80)), "a  c\n1  3\n");
}

TEST(Table, TheLastColumnTakesWhatIsLeft) {
  Table table({Figure("excl"), Name("region")});
  const auto name = [](size_t width) { return std::to_string(width); };
  table.AddRow({"1.23 s", Cell(name)});
  EXPECT_EQ(table.Render(Screen(80)), "  excl  region\n1.23 s  72\n");
  EXPECT_EQ(table.Render(Screen(40)), "  excl  region\n1.23 s  32\n");
}

TEST(Table, NarrowScreensGoWithoutWhatCanBeSpared) {
  Table table({Figure("excl"), Figure("min", 2), Figure("max", 1), Name("region")});
  const auto name = [](size_t width) { return std::to_string(width); };
  table.AddRow({"1.23 s", "100 ms", "900 ms", Cell(name)});
  EXPECT_EQ(table.Render(Screen(48)), "  excl     min     max  region\n1.23 s  100 ms  900 ms  24\n");
  EXPECT_EQ(table.Render(Screen(47)), "  excl     max  region\n1.23 s  900 ms  31\n");
  EXPECT_EQ(table.Render(Screen(39)), "  excl  region\n1.23 s  31\n");
  EXPECT_EQ(table.Render(Screen(20)), "  excl  region\n1.23 s  12\n");  // no other column can be left out
}

// Text beside figures is whole as long as the last column has some room. Then the wider of the two is cut.
TEST(Table, ColumnsThatYieldAreCutWhereTheLastOneIsShort) {
  Column state{"state"};
  state.yields = true;
  state.cut = Cut::kMiddle;
  Table table({Figure("time"), state, Name("region")});
  const auto name = [](size_t width) { return std::string(width, 'x'); };
  table.AddRow({"1.23 s", "Wait for Creation of Tasks", Cell(name)});
  EXPECT_EQ(table.Render(Screen(52)),
            "  time  state                       region\n"
            "1.23 s  Wait for Creation of Tasks  xxxxxxxxxxxxxxxx\n");
  EXPECT_EQ(table.Render(Screen(40)),
            "  time  state            region\n"
            "1.23 s  Wait fo…f Tasks  xxxxxxxxxxxxxxx\n");
  EXPECT_EQ(table.Render(Screen(10)),
            "  time  state     region\n"
            "1.23 s  Wait…sks  xxxxxxxx\n");
}

// A cell may shorten its text itself, so that it is told from others.
TEST(Table, TextBesideFiguresMayFitItself) {
  Column state{"state"};
  state.yields = true;
  Table table({state, Name("region")});
  const auto name = [](size_t width) { return std::string(width, 'x'); };
  Cell cell("Wait for Creation of Tasks");
  cell.fit = [](size_t width) { return width >= 26 ? "Wait for Creation of Tasks" : "Wait… Creation"; };
  table.AddRow({cell, Cell(name)});
  table.AddRow({"Late Sender", Cell(name)});
  EXPECT_EQ(table.Render(Screen(34)),
            "state             region\n"
            "Wait… Creation    xxxxxxxxxxxxxxxx\n"
            "Late Sender       xxxxxxxxxxxxxxxx\n");
}

// Names were shortened before a column was left out. They take its room.
TEST(Table, WhatWasShortenedTakesTheRoomOfWhatIsLeftOut) {
  Table table({Name("figure"), Figure("first"), Figure("change", 1)});
  table.AddRow({"communication efficiency", "94.0 %", "a wide column"});
  EXPECT_EQ(table.Render(Screen(30)),
            "figure                   first\n"
            "communicati…efficiency  94.0 %\n");
}

TEST(Table, NoMicroSignWithoutUnicode) {
  Terminal terminal = Screen(80);
  terminal.unicode = false;
  Table table({{""}, {""}});
  table.AddRow({"6.00 µs", "x"});
  table.AddNote(0, "or 7.00 µs");
  EXPECT_EQ(table.Render(terminal), "6.00 us  x\nor 7.00 us\n");
}

}  // namespace
}  // namespace epik::view
