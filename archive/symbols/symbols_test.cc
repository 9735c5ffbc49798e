// SPDX-License-Identifier: BSD-3-Clause
// Real programs print the places of their functions, and the module must give the same names and lines.
#include "archive/symbols/symbols.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "archive/symbols/names.h"
#include "archive/symbols/test_programs.h"

namespace epik::symbols {
namespace {

std::unique_ptr<Module> OpenModule(const std::string& path, const Options& options = {}) {
  std::string error;
  std::unique_ptr<Module> module = Module::Open(path, "", &error, options);
  if (module == nullptr) throw std::runtime_error(error);
  return module;
}

void Check(const std::string& path, const std::vector<Expected>& expected, bool with_lines,
           const std::string& source = "", const Options& options = {}) {
  ASSERT_FALSE(expected.empty());
  const std::unique_ptr<Module> module = OpenModule(path, options);
  ASSERT_NE(module, nullptr);
  for (const Expected& each : expected) {
    const Symbol symbol = module->Resolve(each.offset);
    EXPECT_TRUE(symbol.found) << each.name;
    // clang calls the function of a converted lambda __invoke, gcc calls it _FUN.
    const bool converted = each.name.find("_FUN") != std::string::npos;
    if (!converted || symbol.name.find("__invoke") == std::string::npos) {
      EXPECT_EQ(symbol.name, each.name);
    }
    EXPECT_EQ(symbol.offset, each.offset) << each.name;
    if (!with_lines) {
      EXPECT_EQ(symbol.line, -1) << each.name;
      EXPECT_EQ(symbol.file, "") << each.name;
      continue;
    }
    EXPECT_EQ(symbol.line, each.line) << each.name;
    EXPECT_EQ(symbol.file, source) << each.name;
  }
}

std::string CppFolder() {
  const std::string folder = NewFolder();
  WriteFile(folder + "/show.h", kShow);
  WriteFile(folder + "/p.cc", kCppProgram);
  return folder;
}

struct Flavour {
  const char* name;
  const char* compile;
  bool lines;
};

class Flavours : public ::testing::TestWithParam<Flavour> {};

TEST_P(Flavours, NamesAndLines) {
  const std::string folder = CppFolder();
  Shell(folder, std::string(GetParam().compile) + " p.cc -o p");
  const std::vector<Expected> expected = ParseExpected(Shell(folder, "./p"));
  EXPECT_EQ(expected.size(), 11u);
  Check(folder + "/p", expected, GetParam().lines, folder + "/p.cc");
}

INSTANTIATE_TEST_SUITE_P(
    Compilers, Flavours,
    ::testing::Values(Flavour{"gcc_O0", "g++ -g -O0", true}, Flavour{"gcc_O2", "g++ -g -O2", true},
                      Flavour{"gcc_plain", "g++ -O2", false}, Flavour{"gcc_non_pie", "g++ -g -O1 -no-pie", true},
                      Flavour{"gcc_static", "g++ -g -O1 -static", true}, Flavour{"gcc_dwarf4", "g++ -gdwarf-4", true},
                      Flavour{"gcc_compressed", "g++ -g -gz", true}, Flavour{"gcc_split", "g++ -g -gsplit-dwarf", true},
                      Flavour{"gcc_no_build_id", "g++ -g -Wl,--build-id=none", true},
                      Flavour{"gcc_sections", "g++ -g -O2 -ffunction-sections -Wl,--gc-sections", true},
                      Flavour{"gcc_lto", "g++ -g -O1 -flto", true}, Flavour{"clang_O0", "clang++ -g -O0", true},
                      Flavour{"clang_O2", "clang++ -g -O2", true}, Flavour{"clang_plain", "clang++ -O1", false},
                      Flavour{"clang_split", "clang++ -g -gsplit-dwarf", true},
                      Flavour{"clang_dwarf4", "clang++ -gdwarf-4", true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Module, LinesCanBeSwitchedOff) {
  const std::string folder = CppFolder();
  Shell(folder, "g++ -g p.cc -o p");
  Options options;
  options.lines = false;
  Check(folder + "/p", ParseExpected(Shell(folder, "./p")), false, "", options);
}

TEST(Module, AnyAddressInsideBelongsToTheFunction) {
  const std::string folder = CppFolder();
  Shell(folder, "g++ -g p.cc -o p");
  const std::unique_ptr<Module> module = OpenModule(folder + "/p");
  for (const Expected& each : ParseExpected(Shell(folder, "./p"))) {
    const Symbol symbol = module->Resolve(each.offset + 3);
    EXPECT_EQ(symbol.name, each.name);
    EXPECT_EQ(symbol.offset, each.offset);
    EXPECT_EQ(symbol.line, each.line);
  }
  EXPECT_EQ(module->Resolve(8).name, "p+0x8");
  EXPECT_FALSE(module->Resolve(UINT64_MAX).found);
  EXPECT_EQ(module->Resolve(UINT64_MAX).offset, UINT64_MAX);
}

TEST(Module, EndLines) {
  const std::string folder = NewFolder();
  WriteFile(folder + "/e.c",
            "int g(int);\nint f(int a) {\n  if (a)\n    a = g(a);\n  return a;\n}\nint g(int b) { return b; }\n");
  Shell(folder, "gcc -g -shared -fPIC e.c -o libe.so");
  Options options;
  options.end_lines = true;
  const std::unique_ptr<Module> module = OpenModule(folder + "/libe.so", options);
  const uint64_t f = std::stoull(Shell(folder, "nm libe.so | grep ' f$'"), nullptr, 16);
  const Symbol symbol = module->Resolve(f);
  EXPECT_EQ(symbol.line, 2);
  EXPECT_EQ(symbol.end_line, 6);
}

TEST(Module, StrippedProgramsKeepWhatIsExported) {
  const std::string folder = CppFolder();
  Shell(folder, "g++ -g -rdynamic p.cc -o p && strip p");
  const std::unique_ptr<Module> module = OpenModule(folder + "/p");
  for (const Expected& each : ParseExpected(Shell(folder, "./p"))) {
    const Symbol symbol = module->Resolve(each.offset);
    if (each.name.find("Local") != std::string::npos) {
      EXPECT_FALSE(symbol.found);
      EXPECT_EQ(symbol.name, Unresolved("p", each.offset));
    }
    if (each.name == "plain" || each.name == "S::Outside(int)") {
      EXPECT_EQ(symbol.name, each.name);
    }
    EXPECT_EQ(symbol.line, -1);
  }
}

TEST(Module, SharedLibrary) {
  const std::string folder = NewFolder();
  WriteFile(folder + "/show.h", kShow);
  WriteFile(folder + "/l.c",
            "#include \"show.h\"\nstatic int quiet(int a) { return a + 1; }\nint loud(int a) { return quiet(a); }\n"
            "void tell(void) {\n  SHOW(quiet, 2, \"quiet\");\n  SHOW(loud, 3, \"loud\");\n}\n");
  WriteFile(folder + "/m.c", "void tell(void);\nint main(void) { tell(); return 0; }\n");
  Shell(folder, "gcc -g -shared -fPIC l.c -o libl.so && gcc m.c -o m -L. -ll -Wl,-rpath,$PWD");
  Check(folder + "/libl.so", ParseExpected(Shell(folder, "./m")), true, folder + "/l.c");
}

// objcopy splits the file, which is found through .gnu_debuglink beside the program, in .debug/, and by build-id.
TEST(Module, SeparateDebugFiles) {
  const std::string folder = CppFolder();
  Shell(folder,
        "g++ -g -O1 p.cc -o p && objcopy --only-keep-debug p p.debug && strip -g p -o q && strip p"
        " && cp p bare && objcopy --add-gnu-debuglink=p.debug p && objcopy --add-gnu-debuglink=p.debug q");
  const std::vector<Expected> expected = ParseExpected(Shell(folder, "./p"));
  Check(folder + "/p", expected, true, folder + "/p.cc");
  Check(folder + "/q", expected, true, folder + "/p.cc");
  Shell(folder, "mkdir .debug && mv p.debug .debug/");
  Check(folder + "/p", expected, true, folder + "/p.cc");

  const std::string id = OpenModule(folder + "/bare")->build_id();
  ASSERT_EQ(id.size(), 40u);
  const std::string place = "store/.build-id/" + id.substr(0, 2);
  Shell(folder, "mkdir -p " + place + " && mv .debug/p.debug " + place + "/" + id.substr(2) + ".debug");
  Options options;
  options.debug_folders = {folder + "/none", folder + "/store"};
  Check(folder + "/bare", expected, true, folder + "/p.cc", options);
  EXPECT_FALSE(OpenModule(folder + "/bare")->Resolve(expected[2].offset).found);
}

TEST(Module, SeparateDebugFileOfAnotherBuildIsNotUsed) {
  const std::string folder = CppFolder();
  Shell(folder,
        "g++ -g -O0 p.cc -o other && objcopy --only-keep-debug other p.debug"
        " && g++ -g -O2 p.cc -o p && strip p && objcopy --add-gnu-debuglink=p.debug p");
  const std::vector<Expected> expected = ParseExpected(Shell(folder, "./p"));
  EXPECT_FALSE(OpenModule(folder + "/p")->Resolve(expected[2].offset).found);
}

TEST(Module, DebugFileWithoutBuildIdIsKnownByItsChecksum) {
  const std::string folder = CppFolder();
  Shell(folder,
        "g++ -g -Wl,--build-id=none p.cc -o p && objcopy --only-keep-debug p p.debug && strip p"
        " && objcopy --add-gnu-debuglink=p.debug p");
  Check(folder + "/p", ParseExpected(Shell(folder, "./p")), true, folder + "/p.cc");
  Shell(folder, "printf x >> p.debug");
  EXPECT_FALSE(OpenModule(folder + "/p")->Resolve(ParseExpected(Shell(folder, "./p"))[2].offset).found);
}

TEST(Module, RefusesWhatIsNotTheMeasuredFile) {
  const std::string folder = CppFolder();
  Shell(folder, "g++ p.cc -o p && g++ -Wl,--build-id=none p.cc -o none && g++ -c p.cc -o p.o && mkfifo fifo");
  std::string error;
  EXPECT_EQ(Module::Open(folder + "/p", "00ff", &error), nullptr);
  EXPECT_NE(error.find("00ff was measured"), std::string::npos) << error;
  EXPECT_EQ(Module::Open(folder + "/none", "00ff", &error), nullptr);
  EXPECT_NE(error.find("build-id is missing"), std::string::npos) << error;
  EXPECT_NE(Module::Open(folder + "/none", "", &error), nullptr);
  for (const char* bad : {"/p.cc", "/p.o", "/fifo", "/nothing", "/p (deleted)", ""}) {
    error.clear();
    EXPECT_EQ(Module::Open(folder + bad, "", &error), nullptr) << bad;
    EXPECT_NE(error.find(folder + bad + ": "), std::string::npos) << error;
  }
  EXPECT_EQ(Module::Open("", "", &error), nullptr);
  EXPECT_EQ(Module::Open("linux-vdso.so.1", "", &error), nullptr);
}

TEST(Module, ClonesAreFolded) {
  const std::string folder = NewFolder();
  WriteFile(folder + "/c.cc",
            R"--(static __attribute__((noinline)) int Scale(int a, int b) { volatile int c = a; return c * b; }
__attribute__((noinline)) int Risky(int a) {
  if (a > 1000) throw a * 3;
  return Scale(a, 3);
}
int main(int argc, char**) { return Risky(argc) == Scale(argc + 1, 3); }
)--");
  Shell(folder, "g++ -g -O2 c.cc -o c");
  const std::unique_ptr<Module> folded = OpenModule(folder + "/c");
  Options options;
  options.fold_clones = false;
  const std::unique_ptr<Module> kept = OpenModule(folder + "/c", options);
  const auto address = [&](const std::string& symbol) {
    return std::stoull(Shell(folder, "nm c | grep ' " + symbol + "$'"), nullptr, 16);
  };
  const Symbol clone = folded->Resolve(address("_ZL5Scaleii.constprop.0"));
  EXPECT_EQ(clone.name, "Scale(int, int)");
  EXPECT_EQ(clone.mangled, "_ZL5Scaleii.constprop.0");
  EXPECT_EQ(clone.line, 1);
  EXPECT_EQ(kept->Resolve(address("_ZL5Scaleii.constprop.0")).name, "Scale(int, int) [clone .constprop.0]");
  const Symbol cold = folded->Resolve(address("_Z5Riskyi.cold"));
  EXPECT_EQ(cold.name, "Risky(int)");
  EXPECT_EQ(cold.line, 2);
}

TEST(Module, OpenMpBodiesHaveTheLineOfTheirConstruct) {
  const std::string folder = NewFolder();
  WriteFile(folder + "/o.cc",
            "int total;\nint Sum(int n) {\n  int s = 0;\n#pragma omp parallel for reduction(+ : s)\n"
            "  for (int i = 0; i < n; ++i) s += i;\n  return s;\n}\nint main() { total = Sum(9); }\n");
  Shell(folder, "g++ -g -O1 -fopenmp o.cc -o o");
  const uint64_t body = std::stoull(Shell(folder, "nm o | grep _omp_fn"), nullptr, 16);
  const Symbol symbol = OpenModule(folder + "/o")->Resolve(body);
  EXPECT_EQ(symbol.name, "Sum(int)._omp_fn.0");
  EXPECT_TRUE(IsOmpOutlined(symbol.mangled));
  EXPECT_EQ(symbol.line, 4);
  EXPECT_EQ(symbol.file, folder + "/o.cc");
}

// gcc may end a function with a row that has the address of the next function.
TEST(Module, TheFirstLineOfAFunctionIsNotThatOfTheFunctionBefore) {
  const std::string folder = NewFolder();
  WriteFile(folder + "/p.c",
            "volatile int x;\nvoid Before(void) {\n  x = 1;\n}\nvoid Asked(void) {\n  x = 2;\n}\n"
            "int main(void) {\n  Before();\n  Asked();\n  return 0;\n}\n");
  Shell(folder,
        "gcc -g -O1 -S p.c && sed -i '/^Asked:/i \\\t.loc 1 3 3 is_stmt 0 view .LVUbefore' p.s && gcc p.s -o p");
  const std::unique_ptr<Module> module = OpenModule(folder + "/p");
  const uint64_t asked = std::stoull(Shell(folder, "nm p | grep ' Asked$'"), nullptr, 16);
  Symbol symbol = module->Resolve(asked);
  module->UseLineOfCode(asked, &symbol);
  ASSERT_EQ(symbol.places.size(), 1u);
  EXPECT_EQ(symbol.places[0].line, 5);
  EXPECT_EQ(symbol.places[0].first_line, 5);
}

constexpr char kFortran[] = R"--(module m
contains
  subroutine p(a)
    real :: a(:)
    integer :: i
    !$omp parallel do
    do i = 1, size(a)
      a(i) = inner(a(i))
    end do
  contains
    real function inner(x)
      real :: x
      inner = x + 1
    end function
  end subroutine
end module
subroutine ext(n)
  integer :: n
  print *, n
end subroutine
program prog
  use m
  real :: b(10)
  b = 0
  !$omp parallel
  call ext(1)
  !$omp end parallel
  call p(b)
end program
)--";

TEST(Module, FortranNames) {
  if (!HasTool("gfortran")) GTEST_SKIP() << "no gfortran";
  const std::string folder = NewFolder();
  WriteFile(folder + "/f.f90", kFortran);
  struct {
    const char* symbol;
    const char* name;
    const char* plain;  // without DWARF
    int line;
  } const kCases[] = {{"__m_MOD_p", "m::p", "m::p", 3},
                      {"ext_", "ext", "ext_", 17},
                      {"inner.0", "m::p::inner", "inner.0", 11},
                      {"MAIN__", "prog", "MAIN__", 21},
                      {"MAIN__._omp_fn.0", "prog._omp_fn.0", "MAIN__._omp_fn.0", 25},
                      {"__m_MOD_p._omp_fn.0", "m::p._omp_fn.0", "m::p._omp_fn.0", 6}};
  Shell(folder, "gfortran -g -fopenmp f.f90 -o f && strip -g f -o plain");
  const std::unique_ptr<Module> module = OpenModule(folder + "/f");
  const std::unique_ptr<Module> plain = OpenModule(folder + "/plain");
  for (const auto& each : kCases) {
    const uint64_t offset = std::stoull(Shell(folder, std::string("nm f | grep ' ") + each.symbol + "$'"), nullptr, 16);
    const Symbol symbol = module->Resolve(offset);
    EXPECT_EQ(symbol.mangled, each.symbol);
    EXPECT_EQ(symbol.name, each.name);
    EXPECT_EQ(symbol.line, each.line) << each.symbol;
    EXPECT_EQ(symbol.file, folder + "/f.f90");
    EXPECT_EQ(plain->Resolve(offset).name, each.plain);
  }
}

}  // namespace
}  // namespace epik::symbols
