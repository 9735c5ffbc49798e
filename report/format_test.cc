// SPDX-License-Identifier: BSD-3-Clause
#include "report/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace epik::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Format, Seconds) {
  EXPECT_EQ(Seconds(0), "0 s");
  EXPECT_EQ(Seconds(1.234), "1.23 s");
  EXPECT_EQ(Seconds(0.9999), "1.00 s");
  EXPECT_EQ(Seconds(0.0451), "45.1 ms");
  EXPECT_EQ(Seconds(0.00099951), "1.00 ms");
  EXPECT_EQ(Seconds(6e-6), "6.00 µs");
  EXPECT_EQ(Seconds(6e-6, false), "6.00 us");
  EXPECT_EQ(Seconds(310e-9), "310 ns");
  EXPECT_EQ(Seconds(-0.25), "-250 ms");
  EXPECT_EQ(Seconds(123456.7), "123,457 s");
  EXPECT_EQ(Seconds(1e300), "1e+300 s");
  for (double odd : {kNan, kInf, -kInf}) EXPECT_EQ(Seconds(odd), "-");
  EXPECT_EQ(SecondsCell(1.5), "1.50 s ");
}

TEST(Format, Counts) {
  EXPECT_EQ(Count(0), "0");
  EXPECT_EQ(Count(999), "999");
  EXPECT_EQ(Count(1000), "1,000");
  EXPECT_EQ(Count(std::numeric_limits<uint64_t>::max()), "18,446,744,073,709,551,615");
  EXPECT_EQ(Plural(1, "rank"), "1 rank");
  EXPECT_EQ(Plural(2000, "rank"), "2,000 ranks");
}

TEST(Format, Shares) {
  EXPECT_EQ(Percent(1, 3), "33.3");
  EXPECT_EQ(Percent(-1e-9, 3), "0.0");
  EXPECT_EQ(Percent(1, 0), "-");
  EXPECT_EQ(Percent(kNan, 1), "-");
  EXPECT_EQ(Ratio(1.066), "1.07");
  EXPECT_EQ(Ratio(kInf), "-");
}

TEST(Format, RoundTrip) {
  for (double value : {0.1, 1.0 / 3, 1e-300, 123456789.123456789, -2.5e17}) {
    EXPECT_EQ(std::stod(RoundTrip(value)), value);
  }
  EXPECT_EQ(RoundTrip(0.1), "0.1");
  EXPECT_EQ(RoundTrip(-0.0), "0");
}

TEST(Format, Width) {
  EXPECT_EQ(DisplayWidth("größe"), 5u);
  EXPECT_EQ(DisplayWidth("計算"), 4u);
  EXPECT_EQ(DisplayWidth("\xff\xc3"), 2u);
  EXPECT_EQ(PadLeft("µs", 4), "  µs");
  EXPECT_EQ(PadRight("计", 3), "计 ");
}

TEST(Format, Printable) {
  EXPECT_EQ(Printable("a\033[1m\x7f\xc2\x9b b\n"), "a?[1m?? b?");
  EXPECT_EQ(Printable("\xc0\x80 \xed\xa0\x80 größe"), "?? ??? größe");
}

TEST(Format, ShortNames) {
  const Ink ink, plain{false, false};
  EXPECT_EQ(ShortName("f(int, double)", 14, ink), "f(int, double)");
  EXPECT_EQ(ShortName("f(int, double)", 13, ink), "f(…)");
  EXPECT_EQ(ShortName("f(int, double)", 13, plain), "f(...)");
  EXPECT_EQ(ShortName("g<A, B<C>>(int) const", 13, ink), "g<…>(…) const");
  EXPECT_EQ(ShortName("X::operator()(int, int)", 18, ink), "X::operator()(…)");
  EXPECT_EQ(ShortName("bool operator< <int>(Long)", 22, ink), "bool operator< <…>(…)");
  EXPECT_EQ(ShortName("abcdefghij", 5, ink), "ab…ij");
  EXPECT_EQ(ShortName("計算計算計算", 6, ink), "計…算");
  EXPECT_EQ(ShortName("", 20, ink), "(unnamed)");
  for (size_t width = 1; width < 40; ++width) {
    EXPECT_LE(DisplayWidth(ShortName("void ns::f<std::vector<int>>(計算, int)::{lambda()#1}", width, ink)), width);
  }
}

TEST(Format, ShortPaths) {
  const Ink ink;
  EXPECT_EQ(ShortPath({"main", "solve", "kernel"}, 21, ink), "main > solve > kernel");
  EXPECT_EQ(ShortPath({"main", "solve", "kernel"}, 20, ink), "… > solve > kernel");
  EXPECT_EQ(ShortPath({"main", "solve", "kernel"}, 12, ink), "… > kernel");
  for (size_t width = 5; width < 60; ++width) {
    EXPECT_LE(DisplayWidth(ShortPath({"main", "solver::step(double)", "計算", "kernel"}, width, ink)), width);
  }
}

TEST(Format, Wrapped) {
  EXPECT_EQ(Wrapped("", "a bb ccc dddd", 2, 8), "a bb ccc\n  dddd\n");
  EXPECT_EQ(Wrapped("x", "a bb ccc dddd", 3, 8), "x  a bb\n   ccc\n   dddd\n");
}

TEST(Format, ColoursEndWithTheLine) {
  const Ink ink{true, true};
  EXPECT_EQ(ink.Dim("a\nb\n"), "\033[2ma\033[0m\n\033[2mb\033[0m\n");
  EXPECT_EQ(Ink{}.Dim("a"), "a");
}

TEST(Format, Patterns) {
  EXPECT_TRUE(Matches("MPI_*", "MPI_Send"));
  EXPECT_TRUE(Matches("*a*b?", "xxaxxbxb1"));
  EXPECT_FALSE(Matches("MPI_", "MPI_Send"));
  EXPECT_TRUE(Matches("**", ""));
  EXPECT_FALSE(Matches("?", ""));
}

}  // namespace
}  // namespace epik::report
