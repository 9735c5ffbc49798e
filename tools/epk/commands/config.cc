// SPDX-License-Identifier: BSD-3-Clause
// epk config: every variable with type, default, value in force and source.
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "config/number.h"
#include "config/report.h"
#include "config/settings.h"

namespace epik::epk {
namespace {

constexpr int kDone = 0;
constexpr int kAtFault = 1;
constexpr int kUsage = 2;

constexpr const char* kPrefixes[] = {"", "EPK_", "ESD_", "ELG_"};  // people leave them out

struct Options {
  bool json = false;
  bool conf = false;
  bool names = false;
  std::string name;
};

constexpr char kManual[] = R"(
DESCRIPTION
  Lists every variable with the value in force, where it comes from, and what it is for. Values come from `EPIK.CONF` in
  the installation, then from the file that `EPK_CONF` names or else `./EPIK.CONF`, then from the environment; the later
  wins. What is refused or not known is said on stderr.

EXAMPLES
    epk config
    epk config EPK_TRACE
    epk config --conf > EPIK.CONF

EXIT STATUS
  0, or 1 when a value was refused or a name is not known, or 2 when NAME is no variable.

SEE ALSO
  epk-run(1)
)";

int TerminalWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  int64_t columns = 0;
  const char* text = std::getenv("COLUMNS");
  if (text != nullptr && config::ParseInteger(text, &columns) && columns > 0 && columns < 1000) {
    return static_cast<int>(columns);
  }
  return 100;
}

bool WantsColor() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || no_color[0] == '\0');
}

int Print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return written ? kDone : kAtFault;
}

// By its name, in upper or lower case, with or without the prefix.
const config::Description* Find(const std::string& name) {
  const std::string upper = config::Upper(name);
  for (const char* prefix : kPrefixes) {
    if (const config::Description* row = config::FindDescription(prefix + upper)) return row;
  }
  return nullptr;
}

int ExplainOne(const config::Loaded& loaded, const std::string& name) {
  if (config::SameWord(name, "EPK_CONF")) {
    return Print("EPK_CONF\n  names the file to read instead of ./EPIK.CONF; it is read from the environment only\n");
  }
  if (const config::Description* row = Find(name)) {
    return Print(config::RenderVariable(loaded, *row, TerminalWidth(), WantsColor()));
  }
  std::string nearest;
  for (const char* prefix : kPrefixes) {
    if (nearest.empty()) nearest = config::NearestName(prefix + name);
  }
  std::fprintf(stderr, "epk config: no variable %s%s%s%s\n", config::Printable(name).c_str(),
               nearest.empty() ? "" : "; did you mean ", nearest.c_str(), nearest.empty() ? "" : "?");
  return kUsage;
}

int Run(const Options& options) {
  if (options.names) return Print(config::RenderNames());
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
    status = Print(config::RenderTable(loaded, TerminalWidth(), WantsColor()));
  }
  return status == kDone && !loaded.AllUsed() ? kAtFault : status;
}

}  // namespace

void AddConfig(CLI::App& app, std::function<int()>& run) {
  CLI::App* command = &app;
  const auto options = std::make_shared<Options>();
  command->add_option("NAME", options->name, "Explain this variable only");
  CLI::Option* json = command->add_flag("--json", options->json, "For programs: everything, as JSON");
  CLI::Option* conf = command->add_flag("--conf", options->conf, "Print an EPIK.CONF that gives the same settings");
  CLI::Option* names = command->add_flag("--names", options->names, "Print the names only, one a line");
  json->excludes(conf)->excludes(names);
  conf->excludes(names);
  command->footer(kManual);
  run = [options] { return Run(*options); };
}

}  // namespace epik::epk
