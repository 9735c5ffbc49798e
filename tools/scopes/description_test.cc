// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/description.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace epik::scopes {
namespace {

TEST(Description, SaysWhatItSays) {
  Plan plan;
  std::string error;
  ASSERT_TRUE(
      ParseDescription("# all\ngather tree 8 sequential\nhelpers 2\npriority low\n\n"
                       "scope solver # of interest\n  from calls\n  where callpath ~ *my solve*\n"
                       "  where comm != MPI_COMM_WORLD\n  where sequence every 64\n  reduce last\n  rate 250ms\n"
                       "scope long\n from calls\n reduce none\n where seconds > 0.5\n where rank < 8\n"
                       "scope work\n from work\n",
                       "x", &plan, &error))
      << error;
  EXPECT_EQ(plan.fan_out, 8u);
  EXPECT_TRUE(plan.one_by_one && plan.low_priority);
  EXPECT_EQ(plan.helpers, 2u);
  ASSERT_EQ(plan.scopes.size(), 3u);
  EXPECT_EQ(plan.scopes[0].reduce, Reduce::kLast);
  EXPECT_DOUBLE_EQ(plan.scopes[0].rate_s, 0.25);
  EXPECT_EQ(plan.scopes[2].reduce, Reduce::kSum);
  EXPECT_TRUE(NamesMatch(plan.scopes[0], "main > my solve > MPI_Allreduce", "MPI_Allreduce", "rows"));
  EXPECT_FALSE(NamesMatch(plan.scopes[0], "main > my solve", "my solve", "MPI_COMM_WORLD"));
  EXPECT_FALSE(NamesMatch(plan.scopes[0], "main", "main", "rows"));
  EXPECT_TRUE(FiguresMatch(plan.scopes[0], {0, 128, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(FiguresMatch(plan.scopes[0], {0, 129, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(FiguresMatch(plan.scopes[1], {0, 1, 7, 0, 0, 1, 2}));
  EXPECT_FALSE(FiguresMatch(plan.scopes[1], {0, 1, 8, 0, 0, 1, 2}));
  EXPECT_FALSE(FiguresMatch(plan.scopes[1], {0, 1, 7, 0, 0, 1, 1.25}));
  const std::string written = WriteDescription(plan);
  Plan again;
  ASSERT_TRUE(ParseDescription(written, "y", &again, &error)) << error << "\n" << written;
  EXPECT_EQ(WriteDescription(again), written);
}

TEST(Description, NamesTheLineAndTheWord) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "f:0: there is no scope; a scope begins with: scope NAME"},
      {"# nothing\n", "there is no scope"},
      {"from calls", "f:1: 'from': belongs to a scope"},
      {"scope", "f:1: a scope has a name"},
      {"scope a\nform calls", "f:2: 'form': lines begin with: scope, from"},
      {"scope a\nfrom cals", "f:2: 'cals': accepted here: calls, links, work, visits"},
      {"scope a\nfrom calls links", "f:2: 'links': nothing may follow here"},
      {"scope a\nfrom calls\nfrom calls", "f:3: 'from': this scope has one already"},
      {"scope a\nreduce sum", "f:2: 'a': this scope has no source"},
      {"scope a\nfrom calls\nreduce sum", "'a': calls and links have no sum"},
      {"scope a\nfrom links\nreduce none", "'a': links have: reduce statistics"},
      {"scope a\nfrom work\nreduce last", "'a': work and visits have: reduce sum"},
      {"scope a\nfrom calls\nwhere colour = 1", "f:3: 'colour': accepted here: callpath, comm, region, rank"},
      {"scope a\nfrom calls\nwhere rank = x", "f:3: 'x': is no number"},
      {"scope a\nfrom calls\nwhere rank ~ 1", "f:3: '~': figures have"},
      {"scope a\nfrom calls\nwhere comm < x", "f:3: '<': names have"},
      {"scope a\nfrom calls\nwhere comm =", "f:3: a name is missing behind ="},
      {"scope a\nfrom calls\nwhere sequence every 0", "f:3: '0': every has a number from 1 on"},
      {"scope a\nfrom calls\nwhere rank = 1\nwhere comm = b\nscope b\nfrom work",
       "f:3: 'rank': goes with reduce none only, because a call without all of its ranks is never complete"},
      {"scope a\nfrom visits\nwhere rank = 1", "f:3: 'rank': visits have the field region only"},
      {"where a", "f:1: 'where': belongs to a scope"},
      {"scope a\nfrom work\nwhere comm = b\n\n", "f:3: 'comm': work has the field rank only"},
      {"scope a\nfrom calls\nwhere comm ~ *[a-\nrate 1s", "f:3: '*[a-': a set of characters ends with ], as in [a-z]"},
      {"scope a\nfrom calls\nwhere comm ~ \\[[z-a]", "f:3: '\\[[z-a]': the set of characters z-a is empty"},
      {"scope a\nfrom calls\nwhere comm ~ [!0-9b-a]", "f:3: '[!0-9b-a]': the set of characters b-a is empty"},
      {"scope a\nfrom calls\nrate fast", "f:3: 'fast': is no time"},
      {"scope a\nfrom calls\nrate 2000m", "is no time up to an hour"},
      {"scope a\nfrom calls\nhelpers 2", "f:3: 'helpers': stands above the first scope"},
      {"helpers 1000\n", "f:1: '1000': is no number from 0 to 64"},
      {"gather tree 0\n", "f:1: '0': a tree has a number from 1 to 1024"},
      {"gather ring\n", "f:1: 'ring': accepted here: flat, tree N, sequential, parallel"},
      {"priority high\n", "f:1: 'high': accepted here: low, normal"},
      {"scope a\nfrom work\nscope a\nfrom work", "f:3: 'a': there is a scope of that name already"},
  };
  for (const auto& [text, expected] : wrong) {
    Plan plan;
    std::string error;
    EXPECT_FALSE(ParseDescription(text, "f", &plan, &error)) << text;
    EXPECT_NE(error.find(expected), std::string::npos) << text << "\n" << error;
  }
  Plan plan;
  std::string error;
  EXPECT_FALSE(ParseDescription(std::string(kMostDescriptionBytes + 1, ' '), "f", &plan, &error));
  using namespace std::string_literals;
  for (const std::string& text : {"scope a\0b\nfrom calls"s, "scope a # one\nwhere region = b\0\nfrom visits"s}) {
    EXPECT_FALSE(ParseDescription(text, "f", &plan, &error));
    EXPECT_NE(error.find(text.starts_with("scope a ") ? "f:2: " : "f:1: "), std::string::npos) << error;
    EXPECT_NE(error.find("a byte that is zero"), std::string::npos) << error;
  }
}

TEST(Description, PatternsThatAreWholeAreTaken) {
  for (const std::string pattern : {"*[a-z]?", "operator[]", "[!a]", "[^0-9a]", "\\[a-", "[a-]", "[]", "a-]"}) {
    Plan plan;
    std::string error;
    EXPECT_TRUE(ParseDescription("scope a\nfrom visits\nwhere region ~ " + pattern, "f", &plan, &error)) << error;
  }
  Plan plan;
  std::string error;
  EXPECT_TRUE(ParseDescription("scope a\nfrom visits\nwhere region = f[a-", "f", &plan, &error)) << error;
}

}  // namespace
}  // namespace epik::scopes
