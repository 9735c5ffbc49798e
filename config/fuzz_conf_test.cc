// SPDX-License-Identifier: BSD-3-Clause
// The fuzzer without libFuzzer: a corpus of valid files, mutated by a seeded generator, the same in every run.
#include "config/fuzz_conf.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int kIterations = 10'000;  // each takes a quarter of a millisecond; `./dev fuzz` tries more

const std::vector<std::string>& Corpus() {
  static const std::vector<std::string> corpus = {
      "EPK_TITLE = \"run #7 of $HOME\" # comment\nEPK_GDIR='/a b'\r\n",
      "EPK_TRACE = comm,slow:10ms,visits:5,ranks:0,8-15,every:100,window:a::f(int, int):10-20\n",
      "EPK_METRICS = PAPI_TOT_CYC,perf::INSTRUCTIONS\nEPK_METRIC_PLUGINS=a:b::c:d\\,e\\:f\\\\\n",
      "EPK_MPI_ENABLED = all:NONE\nEPK_OMP_ENABLED = default,TASK\nELG_BUFFER_SIZE = 1.5MiB\n",
      "EPK_BUDGET = 2.5%\nEPK_THROTTLE_PERCALL=1.5us\nESD_PATHS=unlimited\nEPK_RANKS=0,3-5,every:7\n",
      "EPK_FILTER = ${HOME}/f${NOPE}\nEPK_TRACCE = 1\nnonsense\nEPK_MEMORY=9999999999999999999G\nELG_MERGE=1\n",
      "EPK_VERBOSE = yes\nEPK_TIMER=TSC\nEPK_SUMMARY=perhaps\nEPK_LDIR=\"\"\nEPK_TITLE=a/b\n",
  };
  return corpus;
}

class Mutator {
 public:
  std::string Next() {
    std::string text = Pick(Corpus());
    for (int n = Below(6); n >= 0; --n) Change(&text);
    return text;
  }

 private:
  int Below(size_t n) { return static_cast<int>(random_() % n); }

  const std::string& Pick(const std::vector<std::string>& from) {
    return from[static_cast<size_t>(Below(from.size()))];
  }

  void Change(std::string* text) {
    static constexpr std::string_view kTelling = "\"'\\$#={}:,-.\n\r\t \0%09kEe";
    const size_t at = static_cast<size_t>(Below(text->size() + 1));
    switch (Below(6)) {
      case 0: text->insert(at, 1, static_cast<char>(Below(256))); break;
      case 1: text->insert(at, 1, kTelling[static_cast<size_t>(Below(kTelling.size()))]); break;
      case 2: text->erase(at, static_cast<size_t>(1 + Below(4))); break;
      case 3:
        if (at < text->size()) (*text)[at] = kTelling[static_cast<size_t>(Below(kTelling.size()))];
        break;
      case 4: text->insert(at, text->substr(static_cast<size_t>(Below(text->size() + 1)), 12)); break;
      case 5: text->append(Pick(Corpus()), 0, static_cast<size_t>(Below(60))); break;
    }
  }

  std::mt19937 random_{20240917};
};

// The body prints its input and traps when a promise is broken.
TEST(FuzzConf, MutatedFilesAreReadAndReadBack) {
  Mutator mutator;
  for (int i = 0; i < kIterations; ++i) {
    const std::string text = mutator.Next();
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  }
}

TEST(FuzzConf, Extremes) {
  std::string line = "EPK_TITLE = " + std::string(1 << 20, 'x') + "\n";
  for (const std::string& text : {std::string(), std::string(1, '\0'), std::string(4096, '\xff'), line,
                                  std::string(1 << 16, '"'), std::string(1 << 16, '$'), std::string(1 << 12, '\n')}) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  }
}

}  // namespace
