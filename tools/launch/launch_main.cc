// SPDX-License-Identifier: BSD-3-Clause
//
// `epk run` alone, for the tests.
#include <cstdio>
#include <string>
#include <vector>

#include "tools/launch/run.h"

int main(int argc, char** argv) {
  epik::cli::App app("run a program with measurement");
  epik::launch::Options options;
  epik::launch::DeclareOptions(app, options);
  std::vector<std::string> words(argv + 1, argv + argc);
  const epik::cli::Parsed parsed = app.Parse(words);
  if (parsed.outcome != epik::cli::Parsed::kGood) {
    std::fprintf(stderr, "%s\n", parsed.error.c_str());
    return 2;
  }
  epik::launch::Callbacks callbacks;
  callbacks.recover = [](const std::string& path, int) { return path + ".recovered"; };
  callbacks.analyze = [](const std::string& archive) { std::fprintf(stderr, "analyze %s\n", archive.c_str()); };
  return epik::launch::Run(app.rest(), options, callbacks);
}
