// SPDX-License-Identifier: BSD-3-Clause
//
// `epk run` alone, for the tests.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "tools/launch/run.h"

int main(int argc, char** argv) {
  CLI::App app("run a program with measurement");
  epik::launch::Options options;
  epik::launch::DeclareOptions(app, options);
  std::vector<std::string> words(argv + 1, argv + argc);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::Error& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  epik::launch::Callbacks callbacks;
  callbacks.recover = [](const std::string& path) { return path + ".recovered"; };
  callbacks.digest = [](const std::string& archive) { std::fprintf(stderr, "digest %s\n", archive.c_str()); };
  return epik::launch::Run(app.remaining(), options, callbacks);
}
