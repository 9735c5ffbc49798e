// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/test_programs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace epik::symbols {

std::string NewFolder() {
  std::string path = ::testing::TempDir();
  while (!path.empty() && path.back() == '/') path.pop_back();  // so that the path is the one that compilers write
  path += "/symbols_XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  return path;
}

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string ReadFile(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

std::string Shell(const std::string& folder, const std::string& command) {
  FILE* pipe = popen(("cd '" + folder + "' && " + command).c_str(), "r");
  if (pipe == nullptr) return "";
  std::string output;
  char part[4096];
  for (size_t got = 0; (got = fread(part, 1, sizeof part, pipe)) > 0;) output.append(part, got);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);  // this ends a single test
  return output;
}

bool HasTool(const std::string& name) { return system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0; }

std::vector<Expected> ParseExpected(const std::string& output) {
  std::vector<Expected> all;
  std::istringstream lines(output);
  Expected one;
  while (lines >> std::hex >> one.offset >> std::dec >> one.line && std::getline(lines >> std::ws, one.name)) {
    all.push_back(one);
  }
  return all;
}

const char* const kShow = R"--(
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <stdio.h>
#include <stdint.h>
/* The bias of the module that holds the asked address. */
struct Asked { uintptr_t address, bias; };
static int Visit(struct dl_phdr_info* info, size_t size, void* data) {
  struct Asked* asked = (struct Asked*)data;
  int i;
  (void)size;
  for (i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* h = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + h->p_vaddr;
    if (h->p_type != PT_LOAD || asked->address < begin || asked->address >= begin + h->p_memsz) continue;
    asked->bias = info->dlpi_addr;
    return 1;
  }
  return 0;
}
static void Show(uintptr_t address, int line, const char* name) {
  struct Asked asked = {address, 0};
  dl_iterate_phdr(Visit, &asked);
  printf("%lx %d %s\n", (unsigned long)(address - asked.bias), line, name);
}
#define SHOW(function, line, name) Show((uintptr_t)(function), line, name)
)--";

const char* const kCppProgram = R"--(#include "show.h"
#define NOINLINE __attribute__((noinline))
template <class T> NOINLINE T Twice(T x) { return x + x; } enum { kTwice = __LINE__ };
static NOINLINE int Local(int a) { return a * 3; } enum { kLocal = __LINE__ };
namespace deep { namespace { NOINLINE int Hidden(int a) { return a + 7; } enum { kHidden = __LINE__ }; } }
struct S {
  int v;
  static NOINLINE int Inside(int a) { return a - 1; } enum { kInside = __LINE__ };
  static int Outside(int a);
};
NOINLINE int S::Outside(int a) { return a ^ 5; } enum { kOutside = __LINE__ };
extern "C" {
NOINLINE int plain(int a) { return a << 2; } enum { kPlain = __LINE__ };
int __plain_alias(int) __attribute__((alias("plain")));
NOINLINE int __strong(int a) { return a << 3; } enum { kStrong = __LINE__ };
int soft(int) __attribute__((weak, used, alias("__strong")));
}
int main(int argc, char**) { enum { kMain = __LINE__ };
  struct In { static NOINLINE int Member(int a) { return a * 11; } }; enum { kMember = __LINE__ };
  int (*lambda)(int) = [](int x) { return x * 9; }; enum { kLambda = __LINE__ };
  int sum = Twice(argc) + Local(argc) + deep::Hidden(argc) + S::Inside(argc) + plain(argc) + lambda(argc);
  SHOW((int (*)(int))Twice<int>, kTwice, "int Twice<int>(int)");
  SHOW((double (*)(double))Twice<double>, kTwice, "double Twice<double>(double)");
  SHOW(Local, kLocal, "Local(int)");
  SHOW(deep::Hidden, deep::kHidden, "deep::(anonymous namespace)::Hidden(int)");
  SHOW(S::Inside, S::kInside, "S::Inside(int)");
  SHOW(S::Outside, kOutside, "S::Outside(int)");
  SHOW(plain, kPlain, "plain");
  SHOW(__strong, kStrong, "soft");
  SHOW(In::Member, kMember, "main::In::Member(int)");
  SHOW(lambda, kLambda, "main::{lambda(int)#1}::_FUN(int)");
  SHOW(main, kMain, "main");
  return sum == -1;
}
)--";

}  // namespace epik::symbols
