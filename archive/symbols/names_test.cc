// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/names.h"

#include <gtest/gtest.h>

namespace epik::symbols {
namespace {

TEST(Names, Demangles) {
  EXPECT_EQ(Demangle("_ZN1S1mEi"), "S::m(int)");
  EXPECT_EQ(Demangle("main"), "main");
  EXPECT_EQ(Demangle("_Znonsense"), "_Znonsense");
  EXPECT_EQ(Demangle(""), "");
  EXPECT_EQ(Demangle("i"), "i");  // alone it is also the code of a type, but it is never decoded as "int"
}

TEST(Names, FoldsClones) {
  for (const char* symbol : {"f.constprop.0", "f.isra.12", "f.part.3", "f.cold", "f.cold.7", "f.lto_priv.0",
                             "f.llvm.1234567890", "f.localalias", "f.localalias.2", "f.isra.0.constprop.1.cold",
                             "f.__uniq.99", "f [clone .cold]", "f [clone .isra.0] [clone .cold]", "f"}) {
    EXPECT_EQ(FoldClone(symbol), "f") << symbol;
  }
  for (const char* symbol : {"inner.0", "f._omp_fn.0", "f.avx2", ".cold", ".part.0", "f.", "f..0", "f.resolver", ""}) {
    EXPECT_EQ(FoldClone(symbol), symbol);
  }
  EXPECT_EQ(FoldClone("f._omp_fn.0.cold"), "f._omp_fn.0");
  EXPECT_EQ(FoldClone("inner.0.constprop.0"), "inner.0");
}

TEST(Names, KnowsOpenMpBodies) {
  EXPECT_TRUE(IsOmpOutlined("_Z3fooi._omp_fn.0"));
  EXPECT_TRUE(IsOmpOutlined(".omp_outlined..3"));
  EXPECT_TRUE(IsOmpOutlined("f._omp_cpyfn.1"));
  EXPECT_FALSE(IsOmpOutlined("omp_get_num_threads"));
}

TEST(Names, DecodesModuleProcedures) {
  EXPECT_EQ(FortranModuleName("__solver_MOD_step"), "solver::step");
  EXPECT_EQ(FortranModuleName("__m_1_MOD_p_2"), "m_1::p_2");
  EXPECT_EQ(FortranModuleName("__MY_MOD_init"), "");
  EXPECT_EQ(FortranModuleName("a_MOD_b"), "");
  EXPECT_EQ(FortranModuleName("___MOD_"), "");
  EXPECT_EQ(FortranModuleName("__"), "");
}

TEST(Names, ShowsWhatTheAuthorWrote) {
  EXPECT_EQ(ReadableName("_Z3fooi.constprop.0", true), "foo(int)");
  EXPECT_EQ(ReadableName("_Z3fooi.constprop.0", false), "foo(int) [clone .constprop.0]");
  EXPECT_EQ(ReadableName("_Z3fooi._omp_fn.0", true), "foo(int)._omp_fn.0");
  EXPECT_EQ(ReadableName("_Z3fooi.isra.0._omp_fn.0.cold", true), "foo(int)._omp_fn.0");
  EXPECT_EQ(ReadableName("__m_MOD_p._omp_fn.2", true), "m::p._omp_fn.2");
  EXPECT_EQ(ReadableName("._omp_fn.0", true), "._omp_fn.0");
  EXPECT_EQ(ReadableName("f.cold", true), "f");
  EXPECT_EQ(ReadableName("_GLOBAL__sub_I__ZN1SC2Ei", true), "_GLOBAL__sub_I_S::S(int)");
  EXPECT_EQ(ReadableName("_GLOBAL__sub_I__ZN1SC2Ei.cold", true), "_GLOBAL__sub_I_S::S(int)");
  EXPECT_EQ(ReadableName("_GLOBAL__sub_I_solver.cc", true), "_GLOBAL__sub_I_solver.cc");
}

TEST(Names, UnresolvedAddresses) {
  EXPECT_EQ(Unresolved("/usr/lib/libx.so", 0x1234), "libx.so+0x1234");
  EXPECT_EQ(Unresolved("a.out", 0), "a.out+0x0");
  EXPECT_EQ(Unresolved("", UINT64_MAX), "?+0xffffffffffffffff");
}

}  // namespace
}  // namespace epik::symbols
