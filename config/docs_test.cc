// SPDX-License-Identifier: BSD-3-Clause
#include "config/docs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "config/settings.h"

namespace epik::config {
namespace {

TEST(Docs, ThePageInTheTreeIsUpToDate) {
  std::ifstream file("docs/variables.md");
  ASSERT_TRUE(file) << "docs/variables.md is not among the test's files";
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == RenderDocs()) << "bazel run //config:make_docs > docs/variables.md";
}

TEST(Docs, EveryVariableIsThere) {
  const std::string docs = RenderDocs();
  for (const Description& row : Descriptions()) {
    EXPECT_NE(docs.find("| `" + std::string(row.name) + "` |"), std::string::npos) << row.name;
  }
}

}  // namespace
}  // namespace epik::config
