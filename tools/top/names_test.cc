// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/names.h"

#include <gtest/gtest.h>

namespace epik::top {
namespace {

using event::Construct;
using event::Key;

TEST(Names, ConstructsOfOpenMpHaveTheNamesOfReports) {
  constexpr Key kParallel = event::ConstructKey(Construct::kParallel, 0x1010),
                kLoop = event::ConstructKey(Construct::kLoopDynamic, 0x1020),
                kElsewhere = event::ConstructKey(Construct::kBarrier, 0x9000), kFunction = 0x1030;
  archive::ProcessImage image;
  image.modules.resize(1);
  image.modules[0].path = "/nowhere/solver";
  image.modules[0].extent.begin = image.modules[0].extent.bias = 0x1000;
  image.modules[0].extent.end = 0x2000;
  image.locations.resize(1);
  for (const Key key : {kParallel, kLoop, kElsewhere, kFunction}) {
    event::Node node{};
    node.key = key;
    node.parent = archive::kNoNode;
    image.locations[0].nodes.push_back(node);
  }
  Names names;
  names.Learn(image);
  EXPECT_EQ(names.Of(kParallel), "parallel @solver+0x10");
  EXPECT_EQ(names.Of(kLoop), "for dynamic @solver+0x20");
  EXPECT_EQ(names.Of(kElsewhere), "barrier @0x9000");
  EXPECT_EQ(names.Of(kFunction), "solver+0x30");
}

}  // namespace
}  // namespace epik::top
