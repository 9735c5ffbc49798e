// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/combining.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tools/epk/message.h"

namespace epik::epk {
namespace {

struct CombiningOptions {
  std::vector<std::string> archives;
  std::string output;
};

int Run(algebra::Operation operation, const CombiningOptions& options) {
  std::vector<std::string> notes;
  std::string error;
  const bool good = algebra::CombineFiles(operation, options.archives, options.output, &notes, &error);
  for (const std::string& note : notes) TellUser(algebra::OperationName(operation), note);
  if (!good) throw Fault(error);
  return kDone;
}

}  // namespace

void AddCombining(cli::App& app, std::function<int()>& run, algebra::Operation operation, const char* manual) {
  auto options = std::make_shared<CombiningOptions>();
  app.AddOption("archives", options->archives, "archives or .cubex files, one or more").TypeName("ARCHIVE").Required();
  app.AddOption("-o,--output", options->output, "the result: NAME.cubex, or a directory to make")
      .TypeName("OUT")
      .Required();
  app.Footer(manual);
  run = [options, operation] { return Run(operation, *options); };
}

}  // namespace epik::epk
