// SPDX-License-Identifier: BSD-3-Clause
#include "config/filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace epik::config {
namespace {

Filter Read(std::string_view text) {
  std::vector<FilterProblem> problems;
  Filter filter = Filter::Parse(text, &problems);
  for (const std::string& line : RenderProblems("f", problems)) ADD_FAILURE() << line;
  return filter;
}

FilterSubject Function(std::string_view name, std::string_view file = "") {
  return {name, "", file, "/opt/bin/solve", "compiler"};
}

bool Keeps(std::string_view text, std::string_view name) { return Read(text).Measures(Function(name)); }
bool KeepsFile(std::string_view text, std::string_view file) { return Read(text).Measures(Function("f", file)); }

TEST(Filter, TheLastRuleThatMatchesDecides) {
  constexpr char kText[] = "EXCLUDE REGION *\nINCLUDE REGION solve*\nEXCLUDE solve_tiny # but not this\n";
  EXPECT_TRUE(Keeps(kText, "solve"));
  EXPECT_TRUE(Keeps(kText, "solve_all"));
  EXPECT_FALSE(Keeps(kText, "solve_tiny"));
  EXPECT_FALSE(Keeps(kText, "main"));
  EXPECT_TRUE(Keeps("", "main"));
}

TEST(Filter, RulesOfAllFieldsAreOneChain) {
  const Filter filter = Read("EXCLUDE *\nINCLUDE FILE solver/\nEXCLUDE FILE *.h\n");
  EXPECT_TRUE(filter.Measures(Function("f", "/home/x/solver/f.cc")));
  EXPECT_FALSE(filter.Measures(Function("f", "/home/x/solver/f.h")));
  EXPECT_FALSE(filter.Measures(Function("f", "/home/x/other/f.cc")));
  EXPECT_FALSE(filter.Measures(Function("f")));
}

TEST(Filter, NamesWithAndWithoutParameters) {
  EXPECT_FALSE(Keeps("ns::f", "ns::f(int, double)"));
  EXPECT_FALSE(Keeps("ns::f(int, double)", "ns::f(int, double)"));
  EXPECT_TRUE(Keeps("ns::f(int)", "ns::f(int, double)"));
  EXPECT_FALSE(Keeps("ns::f<int>", "double ns::f<int>(int) const"));
  EXPECT_TRUE(Keeps("f", "ns::f(int)"));
  EXPECT_FALSE(Keeps("*::f", "ns::f(int)"));
  EXPECT_FALSE(Keeps("operator[]", "operator[](int)"));
  EXPECT_FALSE(Keeps("vec<char*>::at(int)", "vec<char*>::at(int)"));
}

TEST(Filter, RegularExpressions) {
  EXPECT_FALSE(Keeps("EXCLUDE regex:^get[A-Z]", "getX()"));
  EXPECT_TRUE(Keeps("EXCLUDE regex:^get[A-Z]", "a::getX()"));
  EXPECT_FALSE(Keeps("regex:(min|max)$", "std::max"));
  EXPECT_FALSE(Keeps("regex:^[*+]x+$", "+xx"));
  EXPECT_FALSE(KeepsFile("EXCLUDE FILE regex:/gen/.*\\.c$", "/a/gen/b.c"));
}

// The C library would take all memory for these.
TEST(Filter, DangerousExpressionsAreRefused) {
  for (const std::string& expression :
       {std::string("a") + std::string(60, '+'), std::string("(((((((((a+)+)+)+)+)+)+)+)+)+"), std::string("(a)\\1"),
        std::string("a{1,9}"), std::string("[a")}) {
    std::vector<FilterProblem> problems;
    EXPECT_TRUE(Filter::Parse("regex:" + expression, &problems).empty()) << expression;
    EXPECT_EQ(problems.size(), 1U) << expression;
  }
}

TEST(Filter, FilesMatchFromASlashOn) {
  EXPECT_FALSE(KeepsFile("solver.cc", "/home/x/solver.cc"));
  EXPECT_TRUE(KeepsFile("solver.cc", "/home/x/mysolver.cc"));
  EXPECT_FALSE(KeepsFile("EXCLUDE FILE /usr/include/", "/usr/include/c++/12/vector"));
  EXPECT_FALSE(KeepsFile("EXCLUDE FILE c++/*/vector", "/usr/include/c++/12/vector"));
  EXPECT_FALSE(Read("EXCLUDE OBJECT solve").Measures(Function("f")));
}

TEST(Filter, MpiAndOpenMpOnlyWhenMeant) {
  const FilterSubject send{"MPI_Send", "", "", "", "mpi"};
  const FilterSubject loop{"for static @f.c:3", "", "f.c", "", "openmp"};
  EXPECT_TRUE(Read("EXCLUDE *\nEXCLUDE FILE f.c\n").Measures(send));
  EXPECT_TRUE(Read("EXCLUDE *\nEXCLUDE FILE f.c\n").Measures(loop));
  EXPECT_FALSE(Read("EXCLUDE MPI_S*").Measures(send));
  EXPECT_FALSE(Read("EXCLUDE GROUP mpi").Measures(send));
  EXPECT_FALSE(Read("EXCLUDE GROUP OMP").Measures(loop));
  EXPECT_FALSE(Read("EXCLUDE for static @*").Measures(loop));
  EXPECT_TRUE(Read("EXCLUDE for*").Measures(loop));
  EXPECT_TRUE(Read("EXCLUDE GROUP USR").Measures(loop));
  EXPECT_FALSE(Read("EXCLUDE GROUP USR").Measures(Function("f")));
}

TEST(Filter, ScorepFiles) {
  constexpr char kText[] =
      "SCOREP_REGION_NAMES_BEGIN # comment\n"
      "  EXCLUDE *\n"
      "  INCLUDE bar foo\n"
      "          baz\n"
      "          ma?n f\\ g\n"
      "SCOREP_REGION_NAMES_END\n"
      "SCOREP_FILE_NAMES_BEGIN\n"
      "  EXCLUDE */filtering/filter*\n"
      "  INCLUDE */filtering/filter_a.c\n"
      "SCOREP_FILE_NAMES_END\n";
  for (const char* kept : {"bar", "foo", "baz", "main", "f g"}) EXPECT_TRUE(Keeps(kText, kept)) << kept;
  EXPECT_FALSE(Keeps(kText, "other"));
  const Filter filter = Read(kText);
  EXPECT_FALSE(filter.Measures(Function("bar", "/x/filtering/filter_b.c")));
  EXPECT_TRUE(filter.Measures(Function("bar", "/x/filtering/filter_a.c")));
  // A file that is included does not bring back a region that is excluded.
  EXPECT_FALSE(filter.Measures(Function("other", "/x/filtering/filter_a.c")));
  FilterSubject mangled{"ns::f(int)", "_ZN2ns1fEi", "", "", "compiler"};
  EXPECT_FALSE(Read("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE MANGLED\n _ZN2ns*\nSCOREP_REGION_NAMES_END").Measures(mangled));
  EXPECT_TRUE(Read("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE _ZN2ns*\nSCOREP_REGION_NAMES_END").Measures(mangled));
}

TEST(Filter, TauFiles) {
  constexpr char kExclude[] =
      "# comment\nBEGIN_EXCLUDE_LIST\nvoid quicksort(int *, int, int)\nsort_#\n\"#tiny\"\nvoid interchange(int*,int*) "
      "C\n"
      "END_EXCLUDE_LIST\n";
  EXPECT_FALSE(Keeps(kExclude, "quicksort(int*, int, int)"));
  EXPECT_TRUE(Keeps(kExclude, "quicksort(int)"));
  EXPECT_FALSE(Keeps(kExclude, "sort_5elements(int*)"));
  EXPECT_FALSE(Keeps(kExclude, "very_tiny"));
  EXPECT_FALSE(Keeps(kExclude, "interchange(int*, int*)"));
  EXPECT_TRUE(Keeps(kExclude, "main"));
  EXPECT_FALSE(Keeps("BEGIN_EXCLUDE_LIST\nvoid *work(void *) C\nEND_EXCLUDE_LIST", "work"));
  // * is a part of types there, and no wildcard.
  EXPECT_TRUE(Keeps("BEGIN_EXCLUDE_LIST\nq*t\nEND_EXCLUDE_LIST", "quicksort"));

  constexpr char kInclude[] =
      "BEGIN_EXCLUDE_LIST\nb\nEND_EXCLUDE_LIST\nBEGIN_INCLUDE_LIST\na\nb\nEND_INCLUDE_LIST\n"
      "BEGIN_FILE_INCLUDE_LIST\n*.c\nEND_FILE_INCLUDE_LIST\n";
  const Filter filter = Read(kInclude);
  EXPECT_TRUE(filter.Measures(Function("a", "x.c")));
  EXPECT_FALSE(filter.Measures(Function("b", "x.c")));
  EXPECT_FALSE(filter.Measures(Function("c", "x.c")));
  EXPECT_FALSE(filter.Measures(Function("a", "x.f90")));
  EXPECT_TRUE(filter.Measures({"MPI_Send", "", "", "", "mpi"}));
}

TEST(Filter, WhatIsWrongHasAPlaceAndTheRestIsUsed) {
  std::vector<FilterProblem> problems;
  const Filter filter = Filter::Parse(
      "good\n"
      "EXCLUDE\n"
      "EXCLUDE REGION\n"
      "  EXCLUDE GROUP colour\n"
      "EXCLUDE regex:(open\n"
      "SCOREP_REGION_NAMES_BEGIN\n"
      "   nameless\n"
      "SCOREP_REGION_NAMES_END\n"
      "END_EXCLUDE_LIST\n"
      "SCOREP_REGION_NAMES_BEGN\n"
      "BEGIN_EXCLUDE_LIST\n"
      "also\n",
      &problems);
  const std::vector<std::string> lines = RenderProblems("f", problems);
  const std::vector<std::string> places = {
      "f:2:1: ", "f:3:9: ", "f:4:17: ", "f:5:15: ", "f:7:4: ", "f:9:1: ", "f:10:1: ", "f:11:1: "};
  ASSERT_EQ(lines.size(), places.size()) << testing::PrintToString(lines);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i].rfind(places[i], 0), 0U) << lines[i];
  EXPECT_FALSE(filter.Measures(Function("good")));
  EXPECT_FALSE(filter.Measures(Function("also")));
  EXPECT_TRUE(filter.Measures(Function("nameless")));
}

TEST(Filter, UnusedRulesAreKnown) {
  const Filter filter =
      Read("EXCLUDE *\nINCLUDE main\nEXCLUDE absent\nBEGIN_INCLUDE_LIST\n#\nalso_absent\nEND_INCLUDE_LIST");
  std::vector<bool> used(filter.rules().size());
  filter.Measures(Function("main"), &used);
  std::vector<std::string> unused;
  for (const FilterRule* rule : filter.Unused(used)) unused.push_back(std::to_string(rule->line) + " " + rule->Text());
  EXPECT_EQ(unused, (std::vector<std::string>{"3 EXCLUDE REGION absent", "6 INCLUDE REGION also_absent"}));
}

}  // namespace
}  // namespace epik::config
