// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/combining.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tools/epk/message.h"

namespace epik::epk {
namespace {

struct Options {
  std::vector<std::string> archives;
  std::string output;
};

int Run(const std::string& command, algebra::Operation operation, const Options& options) {
  std::vector<std::string> notes;
  std::string error;
  const bool good = algebra::CombineFiles(operation, options.archives, options.output, &notes, &error);
  for (const std::string& note : notes) TellUser(command, note);
  if (!good) throw Fault(error);
  return kDone;
}

}  // namespace

void AddCombining(CLI::App& app, std::function<int()>& run, algebra::Operation operation, const char* manual) {
  auto options = std::make_shared<Options>();
  app.add_option("archives", options->archives, "archives or .cubex files, one or more")
      ->type_name("ARCHIVE")
      ->required();
  app.add_option("-o,--output", options->output, "the result: NAME.cubex, or a directory to make")
      ->type_name("OUT")
      ->required();
  app.footer(manual);
  run = [options, operation, command = app.get_name()] { return Run(command, operation, *options); };
}

}  // namespace epik::epk
