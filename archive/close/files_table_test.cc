// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/files_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace epik::archive {
namespace {

TEST(FilesTable, ANameStaysWithinItsField) {
  FileDefinition file = {};
  file.path = "a,\"b\"\nc\x01é";
  const std::string line = LineOfFile(-1, file);
  EXPECT_EQ(line.substr(line.find('"')), "\"a,\"\"b\"\"?c?é\"\n");
  EXPECT_EQ(line.substr(0, 2), "0,") << "a process that never learned its rank";
}

TEST(FilesTable, EachColumnHasAHeading) {
  FileDefinition file = {};
  file.path = "f";
  const std::string line = LineOfFile(3, file), heading = FilesHeading();
  EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(heading.begin(), heading.end(), ','));
}

}  // namespace
}  // namespace epik::archive
