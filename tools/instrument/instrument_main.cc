// SPDX-License-Identifier: BSD-3-Clause
//
// `epk instrument` alone, for the tests: takes the same words, with or without "instrument" before them.
#include <algorithm>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "tools/instrument/execute.h"
#include "tools/instrument/options.h"

int main(int argc, char** argv) {
  CLI::App app("compile and link with measurement");
  epik::instrument::Options options;
  epik::instrument::DeclareOptions(app, options);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "instrument") words.erase(words.begin());
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::Error& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return epik::instrument::Run(app.remaining(), options);
}
