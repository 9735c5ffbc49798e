// SPDX-License-Identifier: BSD-3-Clause
//
// `epk instrument` alone, for the tests: takes the same words, with or without "instrument" before them.
#include <cstdio>
#include <string>
#include <vector>

#include "tools/instrument/execute.h"
#include "tools/instrument/options.h"

int main(int argc, char** argv) {
  epik::cli::App app("compile and link with measurement");
  epik::instrument::Options options;
  epik::instrument::DeclareOptions(app, options);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "instrument") words.erase(words.begin());
  const epik::cli::Parsed parsed = app.Parse(words);
  if (parsed.outcome != epik::cli::Parsed::kGood) {
    std::fprintf(stderr, "%s\n", parsed.error.c_str());
    return 2;
  }
  return epik::instrument::Run(app.rest(), options);
}
