// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer entry for the analysis of traces: ./dev fuzz. Replay, causes and the critical path take an archive that the
// bytes make. They must end, and must not contradict themselves.
#include <cstdio>
#include <string>

#include "analysis/patterns/analysis.h"
#include "archive/trace/forged_archive.h"

namespace epik::patterns {
namespace {

// Returns an empty text, or a message about the contradiction.
std::string AnalyzeForged(const std::string& path, unsigned threads) {
  Analysis analysis;
  std::string error;
  if (Analyze(path, {threads, nullptr}, nullptr, &analysis, &error)) {
    return WriteAnalysis(path, analysis, &error) ? "" : error;
  }
  if (error.empty()) return "an error has no reason";
  return error.find("the analysis contradicts") == std::string::npos ? "" : error;
}

}  // namespace
}  // namespace epik::patterns

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static epik::archive::ForgedArchive archive;
  if (!archive.Forge(data, size)) return 0;
  const std::string wrong = epik::patterns::AnalyzeForged(archive.path(), 1 + static_cast<unsigned>(size % 2));
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  __builtin_trap();
}
