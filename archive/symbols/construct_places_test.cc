// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/construct_places.h"

#include <gtest/gtest.h>

#include <fstream>

namespace epik::archive {
namespace {

// A parallel region in another one, in a loop. Both have code behind them.
constexpr const char* kSource = R"(void f(int n) {
  for (int i = 0; i < n; ++i) {
#pragma omp parallel num_threads(n)
    {
      a();
#pragma omp parallel num_threads(1)
      b();
      c();
#pragma omp parallel num_threads(2)
      d();
    }
    if (stop()) break;
#pragma omp parallel
    e();
  }
}
)";

// The line that a region has whose call is in lines `first` to `last` of a function and has this line; or whose body is
// that function.
int LineOf(const std::string& function, int first, int last, int line, bool is_body = false) {
  const std::string file = testing::TempDir() + "nested.c";
  std::ofstream(file) << kSource;
  symbols::Symbol symbol;
  symbol.found = true;
  symbol.mangled = function;
  symbol.offset = 100;
  symbols::CodePlace place;
  place.file = file;
  place.line = line;
  place.first_line = first;
  place.last_line = last;
  symbol.places.push_back(place);
  ConstructPlaces places;
  return places.Find(event::Construct::kParallel, symbol, is_body ? 100 : 120, file).line;
}

TEST(ConstructPlaces, ACallIsNoneOfADirectiveInAnotherBody) {
  EXPECT_EQ(LineOf("f", 1, 16, 8), 3);  // the code of the loop's end comes before the call
  EXPECT_EQ(LineOf("f", 1, 16, 12), 13);
  EXPECT_EQ(LineOf("f._omp_fn.0", 3, 11, 5), 6);
  EXPECT_EQ(LineOf("f._omp_fn.0", 3, 11, 8), 9);
}

TEST(ConstructPlaces, ABodyIsThatOfTheDirectiveAroundIt) {
  EXPECT_EQ(LineOf("f._omp_fn.0", 5, 10, 8, true), 3);
  EXPECT_EQ(LineOf("f._omp_fn.1", 7, 7, 7, true), 6);
  EXPECT_EQ(LineOf("f._omp_fn.2", 10, 10, 10, true), 9);
  EXPECT_EQ(LineOf("f._omp_fn.3", 14, 14, 14, true), 13);
}

}  // namespace
}  // namespace epik::archive
