// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/compiler/after_inlining/selection.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace epik::after_inlining {
namespace {

Selection Filtered(const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/filter";
  std::ofstream(path) << text;
  Selection selection;
  EXPECT_TRUE(selection.ReadFilter(path));
  return selection;
}

TEST(Selection, EverythingWithoutAWord) {
  EXPECT_TRUE(Selection().Measures("", "main", "/src/a.c"));
  EXPECT_FALSE(Selection().ReadFilter("/no/such/file"));
}

TEST(Selection, ListsAreReadAsGccReadsThem) {
  Selection selection;
  selection.LeaveOut("/usr/include,,odd\\,name,");
  EXPECT_FALSE(selection.Measures("", "f", "/usr/include/c++/12/vector"));
  EXPECT_FALSE(selection.Measures("", "f", "/src/odd,name/a.cc"));
  EXPECT_TRUE(selection.Measures("", "f", "/src/name/a.cc"));
}

TEST(Selection, FiltersMeanWhatTheyMeanInTheRun) {
  const Selection selection = Filtered(
      "EXCLUDE *\nINCLUDE solver::*\nINCLUDE mesh::sweep\nINCLUDE FILE physics/\nEXCLUDE regex:^solver::get\n"
      "EXCLUDE MANGLED _ZN6solver4slowEv\nINCLUDE REGION main\n");
  EXPECT_TRUE(selection.Measures("", "main", "/src/main.cc"));
  EXPECT_FALSE(selection.Measures("", "other", "/src/main.cc"));
  EXPECT_TRUE(selection.Measures("", "other", "/src/physics/a.cc"));
  EXPECT_TRUE(selection.Measures("", "_ZN6solver4stepEi", "/src/a.cc"));
  EXPECT_TRUE(selection.Measures("", "_ZN6solver4stepEi.constprop.0", "/src/a.cc"));
  EXPECT_FALSE(selection.Measures("", "_ZN6solver3getEi", "/src/a.cc"));
  EXPECT_FALSE(selection.Measures("", "_ZN6solver4slowEv", "/src/a.cc"));
  EXPECT_TRUE(selection.Measures("", "__mesh_MOD_sweep", "/src/mesh.f90"));
  EXPECT_FALSE(selection.Measures("", "__mesh_MOD_touch", "/src/mesh.f90"));
  EXPECT_FALSE(selection.Measures("mesh::sweep::inner", "inner.0", "/src/mesh.f90"));
  EXPECT_TRUE(selection.Measures("main", "MAIN__", "/src/mesh.f90"));
  EXPECT_FALSE(Filtered("EXCLUDE GROUP compiler\n").Measures("", "f", "/a.c"));
  EXPECT_TRUE(Filtered("EXCLUDE GROUP mpi\n").Measures("", "f", "/a.c"));
}

TEST(Names, BodiesThatTheCompilerMade) {
  EXPECT_TRUE(IsOutlined("work._omp_fn.0"));
  EXPECT_TRUE(IsOutlined("work._loopfn.3"));
  EXPECT_FALSE(IsOutlined("work.constprop.0"));
  EXPECT_TRUE(IsPieceOf("work.part.0", "work"));
  EXPECT_TRUE(IsPieceOf("work.part.0", "work.constprop.1"));
  EXPECT_TRUE(IsPieceOf("work.isra.0.part.0", "work.isra.0"));
  EXPECT_FALSE(IsPieceOf("work.part.0", "other"));
  EXPECT_FALSE(IsPieceOf("work.constprop.0", "work"));
  EXPECT_TRUE(IsPieceOf("_ZN1SC4Ev", "_ZN1SC1Ev"));
  EXPECT_TRUE(IsPieceOf("_ZN1SD4Ev", "_ZN1SD2Ev.constprop.0"));
  EXPECT_FALSE(IsPieceOf("_ZN1SC1Ev", "_ZN1SC2Ev"));
  EXPECT_FALSE(IsPieceOf("_ZN1SC4Ev", "_ZN1TC1Ev"));
  EXPECT_FALSE(IsPieceOf("work4", "work1"));
  EXPECT_FALSE(IsPieceOf("work", "work"));
}

}  // namespace
}  // namespace epik::after_inlining
