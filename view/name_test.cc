// SPDX-License-Identifier: BSD-3-Clause
#include "view/name.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "view/text.h"

namespace epik::view {
namespace {

TEST(Name, ShortNames) {
  const Terminal terminal;
  Terminal plain;
  plain.unicode = false;
  EXPECT_EQ(ShortName("f(int, double)", 14, terminal), "f(int, double)");
  EXPECT_EQ(ShortName("f(int, double)", 13, terminal), "f(…)");
  EXPECT_EQ(ShortName("f(int, double)", 13, plain), "f(...)");
  EXPECT_EQ(ShortName("g<A, B<C>>(int) const", 13, terminal), "g<…>(…) const");
  EXPECT_EQ(ShortName("X::operator()(int, int)", 18, terminal), "X::operator()(…)");
  EXPECT_EQ(ShortName("bool operator< <int>(Long)", 22, terminal), "bool operator< <…>(…)");
  EXPECT_EQ(ShortName("abcdefghij", 5, terminal), "ab…ij");
  EXPECT_EQ(ShortName("計算計算計算", 6, terminal), "計…算");
  EXPECT_EQ(ShortName("user\u202eexe.nimda", 40, terminal), "user?exe.nimda");
  for (size_t width = 1; width < 40; ++width) {
    EXPECT_LE(Width(ShortName("void ns::f<std::vector<int>>(計算, int)::{lambda()#1}", width, terminal)), width);
  }
}

TEST(Name, NamesThatWouldLookAlikeShowWhereTheyDiffer) {
  const Terminal terminal;
  const std::vector<std::string_view> names = {"grid::Sum<std::vector<double> >(std::vector<double> const&, int, int)",
                                               "main",
                                               "grid::Sum<std::vector<float> >(std::vector<float> const&, int, int)"};
  EXPECT_EQ(ShortNames(names, 100, terminal),
            (std::vector<std::string>{std::string(names[0]), "main", std::string(names[2])}));
  const std::vector<std::string> shorts = ShortNames(names, 40, terminal);
  EXPECT_NE(shorts[0], shorts[2]);
  EXPECT_EQ(shorts[1], "main");
  EXPECT_NE(shorts[0].find("double"), std::string::npos) << shorts[0];
  EXPECT_NE(shorts[2].find("float"), std::string::npos) << shorts[2];
  // Equal names look equal, and no width is too small.
  EXPECT_EQ(ShortNames({"f(int)", "f(int)"}, 5, terminal), (std::vector<std::string>{"f(…)", "f(…)"}));
  for (size_t width = 1; width < 60; ++width) {
    for (const std::string& name : ShortNames(names, width, terminal)) EXPECT_LE(Width(name), width) << name;
  }
}

TEST(Name, TheDifferenceStandsInItsBrackets) {
  const Terminal terminal;
  using Shorts = std::vector<std::string>;
  const std::vector<std::string_view> work = {
      "double long_namespace::Work<short>(short const&, int)",
      "double long_namespace::Work<Map<Key, Vector<Value> > >(Map<Key, Vector<Value> > const&, int)"};
  EXPECT_EQ(ShortNames(work, 24, terminal), Shorts({"double …::Work<short>(…)", "double…:Work<Map<…> >(…)"}));
  EXPECT_EQ(ShortNames({"Grid::Set(long_type const&, int)", "Grid::Set(long_type const&, double)"}, 24, terminal),
            Shorts({"Grid::Set(…int)", "Grid::Set(…double)"}));
  EXPECT_EQ(ShortNames({"f<long_argument>(int)", "f<long_argument, A>(int)"}, 18, terminal),
            Shorts({"f<long_a…ument>(…)", "f<long_a…nt, A>(…)"}));
  // The words outside of brackets are too long.
  const std::string words(40, 'w');
  EXPECT_EQ(ShortNames({words + "_1_" + words, words + "_2_" + words}, 20, terminal),
            Shorts({"wwwwwww…wwwww_1_www…", "wwwwwww…wwwww_2_www…"}));
}

TEST(Name, PathsThatWouldLookAlikeShowWhereTheyDiffer) {
  const Terminal terminal;
  const std::string_view sum = "grid::Sum<std::vector<double> >(std::vector<double> const&, int, int)";
  const std::string_view other = "grid::Sum<std::vector<float> >(std::vector<float> const&, int, int)";
  ShortPaths paths(terminal);
  const size_t first = paths.Add({"main", sum, "kernel"}), second = paths.Add({"main", other, "kernel"});
  const size_t alone = paths.Add({"main", sum}), again = paths.Add({"main", "kernel"});
  for (const size_t width : {60, 100, 60}) {
    EXPECT_NE(paths.At(first, width), paths.At(second, width)) << paths.At(first, width);
    EXPECT_NE(paths.At(first, width).find("double"), std::string::npos) << paths.At(first, width);
    EXPECT_NE(paths.At(second, width).find("float"), std::string::npos) << paths.At(second, width);
    EXPECT_TRUE(paths.At(second, width).ends_with(" > kernel"));
    EXPECT_EQ(paths.At(alone, width), ShortPath({"main", sum}, width, terminal));
    EXPECT_EQ(paths.At(again, width), "main > kernel");
  }
  for (size_t width = 8; width < 90; ++width) {
    for (const size_t row : {first, second, alone, again}) EXPECT_LE(Width(paths.At(row, width)), width);
  }
}

TEST(Name, PathsThatDifferInCallersWithoutRoom) {
  const Terminal terminal;
  ShortPaths paths(terminal);
  std::vector<std::string_view> recursion = {"main"};
  std::vector<size_t> deep;
  for (int depth = 0; depth < 12; ++depth) {
    recursion.push_back("recursion");
    std::vector<std::string_view> path = recursion;
    path.push_back("burn");
    deep.push_back(paths.Add(path));
  }
  const size_t one = paths.Add({"main", "first_solver", "step", "assemble", "kernel"});
  const size_t other = paths.Add({"main", "other_solver", "step", "assemble", "kernel"});
  EXPECT_EQ(paths.At(deep[11], 40), "… 11 more > recursion > recursion > burn");
  EXPECT_EQ(paths.At(deep[0], 40), "main > recursion > burn");
  EXPECT_EQ(paths.At(one, 36), "… > first_solver > … 2 more > kernel");
  EXPECT_EQ(paths.At(other, 36), "… > other_solver > … 2 more > kernel");
  for (const size_t width : {36, 40, 60, 100}) {
    std::set<std::string> texts;
    for (size_t row = 0; row <= other; ++row) {
      EXPECT_LE(Width(paths.At(row, width)), width);
      EXPECT_TRUE(texts.insert(paths.At(row, width)).second) << paths.At(row, width);
    }
  }
}

// With work for each pair of equal rows, this would take minutes.
TEST(Name, ManyRowsOfOnePath) {
  const Terminal terminal;
  ShortPaths paths(terminal);
  constexpr size_t kRows = 200000;
  for (size_t row = 0; row < kRows; ++row) paths.Add({"main", "solve", "kernel"});
  const size_t one = paths.Add({"main", "first_solver", "step", "assemble", "kernel"});
  const size_t other = paths.Add({"main", "other_solver", "step", "assemble", "kernel"});
  for (size_t row = 0; row < kRows; ++row) ASSERT_EQ(paths.At(row, 36), "main > solve > kernel");
  EXPECT_NE(paths.At(one, 36), paths.At(other, 36));
}

TEST(Name, PathsAreSplitAtArrowsAndNotInTemplates) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(SplitPath("main"), Names({"main"}));
  EXPECT_EQ(SplitPath("main > solve > f"), Names({"main", "solve", "f"}));
  EXPECT_EQ(SplitPath("main > f<std::vector<int, A<int> > >(B<C<int> > const&) > g"),
            Names({"main", "f<std::vector<int, A<int> > >(B<C<int> > const&)", "g"}));
  EXPECT_EQ(SplitPath("a > X::operator->() > operator<<(X, int) > b"),
            Names({"a", "X::operator->()", "operator<<(X, int)", "b"}));
  EXPECT_EQ(SplitPath("bool operator< <int>(L) > operator<=>(A, B) > c"),
            Names({"bool operator< <int>(L)", "operator<=>(A, B)", "c"}));
  EXPECT_EQ(SplitPath("operator"), Names({"operator"}));
  EXPECT_EQ(SplitPath("main > apply_operator > operator > operators > halo"),
            Names({"main", "apply_operator", "operator", "operators", "halo"}));
}

TEST(Name, ShortPaths) {
  const Terminal terminal;
  EXPECT_EQ(ShortPath({"main", "solve", "kernel"}, 21, terminal), "main > solve > kernel");
  EXPECT_EQ(ShortPath({"main", "solve", "kernel"}, 20, terminal), "… > solve > kernel");
  EXPECT_EQ(ShortPath({"main", "solve", "kernel"}, 12, terminal), "… > kernel");
  EXPECT_EQ(ShortPath({"main", "assemble_the_matrix", "kernel"}, 25, terminal), "… > assemb…atrix > kernel");
  EXPECT_EQ(ShortPath({"main", "assemble_the_matrix", "kernel"}, 22, terminal), "… > kernel");
  for (size_t width = 5; width < 60; ++width) {
    EXPECT_LE(Width(ShortPath({"main", "solver::step(double)", "計算", "kernel"}, width, terminal)), width);
  }
}

}  // namespace
}  // namespace epik::view
