// SPDX-License-Identifier: BSD-3-Clause
// The fuzzer without libFuzzer: valid filters, mutated by a seeded generator, the same in every run.
#include "config/fuzz_filter.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int kIterations = 60'000;

const std::vector<std::string>& Corpus() {
  static const std::vector<std::string> corpus = {
      "EXCLUDE REGION *\nINCLUDE FILE solver/*.cc  # ours\nEXCLUDE regex:^ns::.*[fg]$\nEXCLUDE GROUP mpi\n",
      "SCOREP_REGION_NAMES_BEGIN\n EXCLUDE *\n  INCLUDE MANGLED _ZN* main\\ x\nSCOREP_REGION_NAMES_END\n",
      "SCOREP_FILE_NAMES_BEGIN\nEXCLUDE */boost/* *.h\nINCLUDE f.h\nSCOREP_FILE_NAMES_END\n",
      "BEGIN_EXCLUDE_LIST\nvoid f(int *, double) C\n\"#ns::#\"\nEND_EXCLUDE_LIST\n",
      "BEGIN_FILE_INCLUDE_LIST\n*.c\nf?o.f90\nEND_FILE_INCLUDE_LIST\nBEGIN_INCLUDE_LIST\n# "
      "all\nmain\nEND_INCLUDE_LIST\n",
      "# the original\nns::f(int)\nvec<char\\*>::at\n/usr/include/\nMPI_*\noperator[]*\n[a-c]*[!x-z]\n",
      "BEGIN_INSTRUMENT_SECTION\nloops file=\"f.c\"\nEND_INSTRUMENT_SECTION\nEXCLUDE OBJECT lib*.so\nMANGLED _Z*\n",
  };
  return corpus;
}

class Mutator {
 public:
  std::string Next() {
    std::string text = Corpus()[Below(Corpus().size())];
    for (size_t n = Below(6) + 1; n > 0; --n) Change(&text);
    return text;
  }

 private:
  size_t Below(size_t n) { return random_() % n; }

  void Change(std::string* text) {
    static constexpr std::string_view kTelling = "*?[]\\#\"^$().|+{} \t\r\n\0!-:/";
    const size_t at = Below(text->size() + 1);
    switch (Below(5)) {
      case 0: text->insert(at, 1, static_cast<char>(Below(256))); break;
      case 1: text->insert(at, 1, kTelling[Below(kTelling.size())]); break;
      case 2: text->erase(at, 1 + Below(8)); break;
      case 3: text->insert(at, text->substr(Below(text->size() + 1), 30)); break;
      default: text->append(Corpus()[Below(Corpus().size())], 0, Below(60)); break;
    }
  }

  std::mt19937 random_{20240918};
};

// The body prints its input and traps when a promise is broken.
TEST(FuzzFilter, MutatedFiltersAreReadAndReadBack) {
  Mutator mutator;
  for (int i = 0; i < kIterations; ++i) {
    const std::string text = mutator.Next();
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  }
}

TEST(FuzzFilter, Extremes) {
  for (const std::string& text :
       {std::string(), std::string(1, '\0'), std::string(4096, '\xff'), std::string(1 << 16, '*'),
        "EXCLUDE " + std::string(1 << 12, '*') + "x", "EXCLUDE regex:" + std::string(900, '('),
        "EXCLUDE regex:" + std::string(900, '*'), "EXCLUDE " + std::string(1 << 12, '['), std::string(1 << 12, '\n')}) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  }
}

}  // namespace
