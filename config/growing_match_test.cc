// SPDX-License-Identifier: BSD-3-Clause
#include "config/growing_match.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "config/words.h"

namespace epik::config {
namespace {

std::string RandomText(std::mt19937* random, std::string_view letters, size_t most) {
  std::string text;
  for (size_t length = (*random)() % (most + 1); length > 0; --length) text += letters[(*random)() % letters.size()];
  return text;
}

TEST(GrowingMatch, IsTheMatchOfTheWholeText) {
  std::mt19937 random(7);
  int matches = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::string pattern = RandomText(&random, "ab*?[]!-\\", 7);
    GrowingMatch match(pattern);
    std::string whole;
    for (int piece = 0; piece < 4; ++piece) {
      ASSERT_EQ(match.Matches(), GlobMatches(pattern, whole)) << pattern << " and " << whole;
      matches += match.Matches() ? 1 : 0;
      const std::string text = RandomText(&random, "ab[*", 3);
      match.Add(text);
      whole += text;
    }
  }
  EXPECT_GT(matches, 1000);
}

}  // namespace
}  // namespace epik::config
