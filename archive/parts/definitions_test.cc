// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/definitions.h"

#include <gtest/gtest.h>

namespace epik::archive {
namespace {

TEST(DefinitionSet, AFileWithoutBuildIdIsNoOtherFilesBuildId) {
  Definitions all;
  DefinitionSet set(&all);
  EXPECT_EQ(set.Module({"abc", ""}), 0u);
  EXPECT_EQ(set.Module({"/bin/x", "abc"}), 1u);
  EXPECT_EQ(set.Module({"/other/x", "abc"}), 1u);
}

TEST(DefinitionSet, RegionsOfTwoLinesAreTwo) {
  Definitions all;
  DefinitionSet set(&all);
  RegionDefinition region;
  region.key = event::kRegionBit;
  region.name = "loop";
  region.file = "x.c";
  for (const int32_t line : {1, 2, 1}) {
    region.line = line;
    EXPECT_EQ(set.Region(region), static_cast<uint32_t>(line - 1));
  }
}

// The window of one process's communicator 0 is that of the job's communicator 1.
TEST(DefinitionSet, AWindowGoesWithItsCommunicator) {
  Definitions all, other;
  DefinitionSet set(&all);
  EXPECT_EQ(set.Communicator({5, "first", {}, {}}), 0u);
  other.communicators = {{9, "second", {}, {}}};
  other.windows = {{7, "w", 0}, {8, "alone", kNone}};
  const Mapping mapping = set.Merge(other);
  EXPECT_EQ(mapping.communicators, std::vector<uint32_t>{1});
  ASSERT_EQ(all.windows.size(), 2u);
  EXPECT_EQ(all.windows[0].communicator, 1u);
  EXPECT_EQ(all.windows[1].communicator, kNone);
}

TEST(Definitions, AWindowOfACommunicatorThatIsNotThereIsDamage) {
  for (const uint32_t communicator : {0u, 1u, kNone}) {
    Definitions definitions, read;
    definitions.communicators = {{9, "c", {}, {}}};
    definitions.windows = {{7, "w", communicator}};
    BytesOut out;
    Pack(definitions, &out);
    const std::string bytes = out.Take();
    BytesIn in(bytes);
    EXPECT_EQ(Unpack(&in, &read), communicator != 1) << communicator;
  }
}

}  // namespace
}  // namespace epik::archive
