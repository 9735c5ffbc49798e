// SPDX-License-Identifier: BSD-3-Clause
#include "view/csv.h"

#include <gtest/gtest.h>

namespace epik::view {
namespace {

TEST(Csv, QuotesWhatHasCommasQuotesOrLines) {
  EXPECT_EQ(CsvText("main > work"), "main > work");
  EXPECT_EQ(CsvText("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvText("say \"a\"\n"), "\"say \"\"a\"\"\n\"");
  EXPECT_EQ(CsvText(""), "");
  EXPECT_EQ(CsvText("a\xff,\xc3\xa9\n\xc3"), "\"a?,\xc3\xa9\n?\"");  // a name of a file may be no UTF-8
}

TEST(Csv, FormulasBecomeTextUnlessNobodyWantsThat) {
  for (const char* text : {"=1+1", "+1", "-1", "@x", "\tx"}) EXPECT_EQ(CsvText(text), std::string("'") + text);
  EXPECT_EQ(CsvText("=a,b"), "\"'=a,b\"");
  EXPECT_EQ(CsvText("a=b"), "a=b");
  ProtectSpreadsheets(false);
  EXPECT_EQ(CsvText("=1+1"), "=1+1");
  EXPECT_EQ(CsvText("=a,b"), "\"=a,b\"");
  ProtectSpreadsheets(true);
}

}  // namespace
}  // namespace epik::view
