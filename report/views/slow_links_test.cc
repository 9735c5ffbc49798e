// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "report/views/found.h"

namespace epik::report {
namespace {

findings::Findings WithLink(double seconds) {
  findings::Findings found;
  found.critical.begin_s = 0;
  found.critical.end_s = 1;
  findings::Link link;
  link.from = 1;
  link.to = 2;
  link.messages = 20;
  link.bytes = 2000;
  link.seconds = seconds;
  link.usual_s = 25e-6;
  link.lost_s = 20 * (seconds - link.usual_s);
  found.links.push_back(link);
  return found;
}

TEST(SlowLinks, ATurnOfTheProcessorIsNoSlowLink) {
  EXPECT_TRUE(SlowLinksThatMatter(WithLink(0.004), true, true).empty());
  EXPECT_EQ(SlowLinksThatMatter(WithLink(0.004), false, true).size(), 1u);
  EXPECT_EQ(SlowLinksThatMatter(WithLink(0.05), true, true).size(), 1u);
}

TEST(SlowLinks, ThatLoseLittleDoNotMatter) { EXPECT_TRUE(SlowLinksThatMatter(WithLink(0.0005), false, true).empty()); }

}  // namespace
}  // namespace epik::report
