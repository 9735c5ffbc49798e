// SPDX-License-Identifier: BSD-3-Clause
// epk config: every variable with type, default, value in force and source.
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "config/number.h"
#include "config/report.h"
#include "config/settings.h"
#include "tools/epk/command.h"
#include "tools/epk/values/values.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

constexpr int kDone = 0;
constexpr int kAtFault = 1;
constexpr int kUsage = 2;

constexpr const char* kPrefixes[] = {"", "EPK_", "ESD_", "ELG_"};  // users often omit the prefix

struct ConfigOptions {
  bool json = false;
  bool conf = false;
  bool names = false;
  std::string name;
  std::string values;  // kind of values (values.h)
};

constexpr char kConfigManual[] = R"(
DESCRIPTION
  Lists every variable with the value in force, where it comes from, and what it is for. Values come from `EPIK.CONF` in
  the installation, then from the file that `EPK_CONF` names or else `./EPIK.CONF`, then from the environment; the later
  wins. Standard error names values that are refused and variables that are not known.

EXAMPLES
    epk config
    epk config EPK_TRACE
    epk config --conf > EPIK.CONF

EXIT STATUS
  0; 1 when a value that is set was refused, or a variable that is set is not known; 2 when NAME is no variable.

SEE ALSO
  epk-run(1)
)";

int Print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw Fault("cannot write the output");
  return kDone;
}

// Finds a variable by its name, in upper or lower case, with or without the prefix.
const config::Description* Find(const std::string& name) {
  const std::string upper = config::Upper(name);
  for (const char* prefix : kPrefixes) {
    if (const config::Description* row = config::FindDescription(prefix + upper)) return row;
  }
  return nullptr;
}

// Explains a variable that does nothing; "" for other names.
std::string ExplainRetired(const std::string& name) {
  for (const char* prefix : kPrefixes) {
    const std::string whole = prefix + config::Upper(name);
    if (const char* reason = config::WhyRetired(whole)) return whole + "\n  has no effect: " + reason + "\n";
  }
  return "";
}

int ExplainOne(const config::Loaded& loaded, const std::string& name) {
  if (config::SameWord(name, "EPK_CONF")) {
    return Print("EPK_CONF\n  names the file to read instead of ./EPIK.CONF; it is read from the environment only\n");
  }
  if (const config::Description* row = Find(name)) {
    const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
    return Print(config::RenderVariable(loaded, *row, static_cast<int>(terminal.width), terminal.colour));
  }
  if (const std::string text = ExplainRetired(name); !text.empty()) return Print(text);
  std::string nearest;
  for (const char* prefix : kPrefixes) {
    if (nearest.empty()) nearest = config::NearestName(prefix + name);
  }
  std::fprintf(stderr, "epk config: no variable %s%s%s%s\n", config::Printable(name).c_str(),
               nearest.empty() ? "" : "; did you mean ", nearest.c_str(), nearest.empty() ? "" : "?");
  return kUsage;
}

int Run(const ConfigOptions& options) {
  if (options.names) return Print(config::RenderNames());
  if (!options.values.empty()) {
    std::string lines;
    for (const std::string& value : ValuesOf(options.values)) lines += value + "\n";
    return Print(lines);
  }
  const config::Loaded loaded = config::LoadFromProcess();
  for (const config::Message& message : loaded.messages) std::fprintf(stderr, "epk: %s\n", message.text.c_str());

  int status = kDone;
  if (!options.name.empty()) {
    status = ExplainOne(loaded, options.name);
  } else if (options.json) {
    status = Print(config::RenderJson(loaded));
  } else if (options.conf) {
    status = Print(config::RenderConf(loaded.settings));
  } else {
    const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
    status = Print(config::RenderTable(loaded, static_cast<int>(terminal.width), terminal.colour));
  }
  return status == kDone && !loaded.AllUsed() ? kAtFault : status;
}

}  // namespace

void AddConfig(cli::App& app, std::function<int()>& run) {
  const auto options = std::make_shared<ConfigOptions>();
  app.AddOption("NAME", options->name, "Explain this variable only");
  const cli::Option json = app.AddFlag("--json", options->json, "For programs: everything, as JSON");
  const cli::Option conf = app.AddFlag("--conf", options->conf, "Print an EPIK.CONF that gives the same settings");
  const cli::Option names = app.AddFlag("--names", options->names, "Print the names only, one a line");
  // For completion (completion.cc): nobody types it.
  app.AddOption("--values", options->values, "").Hidden();
  json.Excludes(conf).Excludes(names);
  conf.Excludes(names);
  app.Footer(kConfigManual);
  run = [options] { return Run(*options); };
}

}  // namespace epik::epk
