// SPDX-License-Identifier: BSD-3-Clause
// Damaged files with any content do not harm the program that reads them.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <random>

#include "archive/symbols/build_id.h"
#include "archive/symbols/symbols.h"
#include "archive/symbols/test_programs.h"

// A damaged size must make an allocation fail, as without the sanitizer, and not end the test.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace epik::symbols {
namespace {

constexpr int kIterations = 20'000;
constexpr std::chrono::seconds kLimit(40);

constexpr char kProgram[] =
    "static __attribute__((noinline)) int quiet(int a) { return a + 1; }\nint loud(int a) { return quiet(a) * quiet(a "
    "+ 2); }\n"
    "struct pair { int a, b; };\nint sum(struct pair* p) {\n  int i, s = 0;\n"
    "  for (i = 0; i < p->b; ++i) { int t = p[i].a; s += t; }\n  return s;\n}\n";

// It is rewritten 20 000 times, which would take too long on a disk.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("mutated", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string Path(const std::string& content) const {
    const ssize_t size = static_cast<ssize_t>(content.size());
    EXPECT_EQ(ftruncate(descriptor_, size), 0);
    EXPECT_EQ(pwrite(descriptor_, content.data(), content.size(), 0), size);
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

void Use(const std::string& path, const std::vector<uint64_t>& offsets) {
  BuildId id;
  BuildIdOfFile(path.c_str(), &id);
  std::string error;
  Options options;
  options.end_lines = true;
  options.debug_folders = {};
  const std::unique_ptr<Module> module = Module::Open(path, "", &error, options);
  if (module == nullptr) {
    EXPECT_FALSE(error.empty());
    return;
  }
  EXPECT_EQ(module->ResolveAll(offsets).size(), offsets.size());
}

std::vector<uint64_t> Offsets(const std::string& folder) {
  std::vector<uint64_t> offsets = {0, 1, 0x40, UINT64_MAX, uint64_t{1} << 63};
  for (const char* name : {"quiet", "loud", "sum"}) {
    offsets.push_back(std::stoull(Shell(folder, std::string("nm lib.so | grep ' ") + name + "$'"), nullptr, 16) + 1);
  }
  return offsets;
}

class Hostile : public ::testing::TestWithParam<const char*> {};

TEST_P(Hostile, MutatedFiles) {
  const std::string folder = NewFolder();
  WriteFile(folder + "/l.c", kProgram);
  Shell(folder, std::string(GetParam()) + " -shared -fPIC -nostdlib -Wl,-z,noseparate-code l.c -o lib.so");
  const std::string original = ReadFile(folder + "/lib.so");
  const std::vector<uint64_t> offsets = Offsets(folder);
  const MemoryFile file;
  std::mt19937 random(4711);
  const auto start = std::chrono::steady_clock::now();
  int done = 0;
  for (; done < kIterations && std::chrono::steady_clock::now() - start < kLimit; ++done) {
    std::string mutated = original;
    if (random() % 16 == 0) mutated.resize(random() % mutated.size());
    for (uint32_t k = 0; k < 1 + random() % 6 && !mutated.empty(); ++k) {
      // A third of the changes is in the header, a third in the section table at the end, and a third anywhere.
      size_t at = random() % mutated.size();
      if (random() % 3 == 0) at %= 512;
      if (random() % 3 == 0) at = mutated.size() - 1 - at % std::min<size_t>(mutated.size(), 2048);
      constexpr unsigned char kValues[] = {0, 1, 0x7f, 0x80, 0xff};
      mutated[at] = static_cast<char>(random() % 2 == 0 ? kValues[random() % 5] : random());
    }
    Use(file.Path(mutated), offsets);
  }
  RecordProperty("iterations", done);
  EXPECT_GT(done, 1000);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Hostile, ::testing::Values("gcc -g -O1", "gcc -gdwarf-4 -O1", "gcc -O1", "clang -g"),
                         [](const auto& info) { return "kind_" + std::to_string(info.index); });

TEST(Truncated, AtEveryLength) {
  const std::string folder = NewFolder();
  WriteFile(folder + "/l.c", kProgram);
  Shell(folder, "gcc -g -shared -fPIC -nostdlib -Wl,-z,noseparate-code l.c -o lib.so");
  const std::string original = ReadFile(folder + "/lib.so");
  const std::vector<uint64_t> offsets = Offsets(folder);
  const MemoryFile file;
  for (size_t size = 0; size < original.size(); size += size < 256 ? 1 : 61) {
    Use(file.Path(original.substr(0, size)), offsets);
  }
}

}  // namespace
}  // namespace epik::symbols
