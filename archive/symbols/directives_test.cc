// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/directives.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace epik::symbols {
namespace {

// `line-last/statement-end words`, one line for each directive.
std::string Text(const std::string& source, bool fortran) {
  std::string text;
  for (const Directive& d : FindDirectives(source, fortran)) {
    text += std::to_string(d.line) + "-" + std::to_string(d.last_line) + "/" + std::to_string(d.statement) + "-" +
            std::to_string(d.end);
    for (const Directive::Word& word : d.words) {
      text += " " + word.name + (word.operand.empty() ? "" : "(" + word.operand + ")");
    }
    text += "\n";
  }
  return text;
}

TEST(Directives, OfC) {
  EXPECT_EQ(Text("int x;\n"
                 "#pragma omp parallel for \\\n"
                 "  schedule(monotonic : dynamic, 2) reduction(+ : sum)\n"
                 "\n"
                 "  for (int i = 0; i < n; ++i) {\n"
                 "    if (i) { f(\"}\"); }  // }\n"
                 "  }\n"
                 "  # pragma omp critical (cash) // a comment\n"
                 "  total += 1;\n"
                 "#pragma omp parallel\n"
                 "#pragma omp single\n"
                 "  f();\n"
                 "#pragma once\n"
                 "#pragma ompx parallel\n"
                 "/* #pragma omp task\n"
                 "#pragma omp task */\n"
                 "  f(); _Pragma(\"omp barrier\") f(); _Pragma(\"omp taskwait\")\n",
                 false),
            "2-3/5-7 parallel for schedule(monotonic:dynamic,2) reduction(+:sum)\n"
            "8-8/9-9 critical(cash)\n"
            "10-10/11-12 parallel\n"
            "11-11/12-12 single\n"
            "17-17/0-0 barrier\n"
            "17-17/0-0 taskwait\n");
}

TEST(Directives, OfFortran) {
  EXPECT_EQ(Text("!$omp parallel private(i) & ! why\n"
                 "!$OMP&  shared(A)\n"
                 "  !$omp do schedule(dynamic)\n"
                 "! a comment\n"
                 "  do i = 1, 8\n"
                 "    do j = 1, 8\n"
                 "    enddo\n"
                 "  end do\n"
                 "!$omp single\n"
                 "  x = 1\n"
                 "!$omp end single nowait\n"
                 "!$omp critical (Cash)\n"
                 "!$omp end critical (cash)\n"
                 "!$omp end parallel\n",
                 true),
            "1-2/3-14 parallel private(i) shared(a)\n"
            "3-3/5-8 do schedule(dynamic)\n"
            "9-9/10-11 single nowait\n"
            "12-12/13-13 critical(cash)\n");
  EXPECT_EQ(Text("c$omp parallel do\n"
                 "c$omp+ schedule(guided)\n"
                 "      do 10 i = 1, 8\n"
                 "   10 continue\n",
                 true),
            "1-2/3-0 parallel do schedule(guided)\n");
}

TEST(Directives, WhatIsAFortranFile) {
  for (const char* name : {"a.f", "/x/b.F90", "c.f08", "d.for"}) EXPECT_TRUE(IsFortran(name)) << name;
  for (const char* name : {"a.c", "f90", "b.cpp", "c.f90.c", ""}) EXPECT_FALSE(IsFortran(name)) << name;
}

// A measured program waits at its end until its sources are read, so reading must end soon for any bytes.
TEST(Directives, OfWhatIsNoSource) {
  std::mt19937 random(1);
  const std::string parts[] = {"#pragma omp ", "_Pragma(", "\"omp ", "\"", "'",   "\\", "\n",     "/*",
                               "*/",           "//",       "(",      ")",  "{",   "}",  "!$omp ", "&",
                               "end ",         "do ",      "c$omp",  "\r", "\0x", ";"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (unsigned i = random() % 30; i > 0; --i) text += parts[random() % std::size(parts)];
    Text(text, false);
    Text(text, true);
  }
  for (const std::string line :
       {"#pragma omp for\n", "!$omp do\n", "!$omp end do\n", "!$omp do &\n", "!$omp do\n!\n", "_Pragma(\"omp x\n"}) {
    std::string text;
    while (text.size() < (4u << 20)) text += line;
    const auto began = std::chrono::steady_clock::now();
    FindDirectives(text, line[0] == '!');
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20)) << line;
  }
}

TEST(Directives, OfMacros) {
  EXPECT_EQ(Text("#define EACH _Pragma(\"omp parallel for\")\n"
                 "#define OMP(...) _Pragma(#__VA_ARGS__)\n"
                 "#define DO(x) OMP(omp x)\n"
                 "#define FOR(i, n)              \\\n"
                 "  _Pragma(\"omp for nowait\")   \\\n"
                 "  for (int i = 0; i < n; ++i)\n"
                 "void f() {\n"
                 "  EACH\n"
                 "  for (;;) g();\n"
                 "  OMP(omp parallel num_threads(2), if(a, b))\n"
                 "  { DO(barrier); }\n"
                 "  FOR(i, 8) {\n"
                 "    h();\n"
                 "  }\n"
                 "  DO(for\n"
                 "     schedule(dynamic))\n"
                 "  for (;;) EACHES();\n"
                 "}\n"
                 "#undef EACH\n"
                 "EACH f();\n",
                 false),
            "8-8/9-9 parallel for\n"
            "10-10/11-11 parallel num_threads(2) if(a,b)\n"
            "11-11/11-11 barrier\n"
            "12-12/12-14 for nowait\n"
            "15-16/17-17 for schedule(dynamic)\n");
}

TEST(Directives, OfMacrosOfIncludedFiles) {
  const auto read = [](const std::string& name, bool quoted, std::string* text) {
    if (name == "sub/no.h" && !quoted) *text = "#define ONE _Pragma(\"omp single\")\n";
    if (name == "omp.h") *text = "#include \"more.h\"\n// #define NO _Pragma(\"omp no\")\n#define ALL EACH\n";
    if (name == "more.h") *text = "#include \"omp.h\"\n#define EACH _Pragma(\"omp for\")\n";
    return !text->empty();
  };
  const auto found =
      FindDirectives("#include <sub/no.h>\n#include \"omp.h\"\nvoid f() {\nALL for (;;);\nNO;\nONE;}\n", false, read);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].line, 6);
  EXPECT_EQ(found[0].line, 4);
  EXPECT_EQ(found[0].statement, 4);
}

TEST(Directives, MacrosOfThemselvesEnd) {
  std::string laughs = "#define A0 _Pragma(\"omp for\")\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    laughs += "#define A" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  laughs += "#define SELF SELF OTHER\n#define OTHER SELF _Pragma(\"omp single\")\n";
  EXPECT_LE(FindDirectives(laughs + "A39\n", false).size(), 100u);
  EXPECT_EQ(FindDirectives(laughs + "SELF;\n", false).size(), 1u);
  std::string empty = "#define B0\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "B" + std::to_string(i - 1);
    empty += "#define B" + std::to_string(i) + " " + before + " " + before + "\n";
  }
  EXPECT_TRUE(FindDirectives(empty + "B39\n", false).empty());
}

TEST(Directives, OfMacrosOfFortran) {
  EXPECT_EQ(Text("#define EACH !$omp parallel do\n"
                 "EACH private(i)\n"
                 "do i = 1, 3\n"
                 "end do\n"
                 "EACHES\n",
                 true),
            "2-2/3-4 parallel do private(i)\n");
}

}  // namespace
}  // namespace epik::symbols
