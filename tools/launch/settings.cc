// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/settings.h"

#include <cstddef>

#include "config/settings.h"
#include "tools/instrument/words.h"

namespace epik::launch {
namespace {

bool IsOurs(const std::string& name) {
  for (const char* prefix : {"EPK_", "ESD_", "ELG_"}) {
    if (instrument::StartsWith(name, prefix)) return true;
  }
  return false;
}

// The error in a value, or nothing. Variables of other programs may have any value.
std::string Complaint(const std::string& name, const std::string& value) {
  if (!IsOurs(name)) return "";
  if (const config::Description* row = config::FindDescription(name)) {
    config::Settings settings;
    return value.empty() || row->parse(value, &settings) ? "" : "not " + row->noun() + "; accepted: " + row->accepted();
  }
  if (name == "EPK_CONF" || instrument::StartsWith(name, "EPK_INTERNAL_")) return "";
  const std::string nearest(config::NearestName(name));
  return "no such variable" + (nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

}  // namespace

bool SwitchesOff(const std::string& enabled) {
  config::Settings settings;
  const config::Description* row = config::FindDescription("EPK_ENABLED");
  return !enabled.empty() && row->parse(enabled, &settings) && !settings.enabled;
}

bool AskForNothing(const std::string& summary, const std::string& trace) {
  config::Settings settings;
  if (!trace.empty()) config::FindDescription("EPK_TRACE")->parse(trace, &settings);
  return !summary.empty() && config::FindDescription("EPK_SUMMARY")->parse(summary, &settings) && !settings.summary &&
         !settings.trace.on;
}

std::string SwitchedOffIn(const std::string& named) {
  const std::string variable = "EPK_CONF=" + named;
  const char* const environment[] = {variable.c_str(), nullptr};
  config::Sources sources;
  sources.environment = environment;
  sources.installation_conf = config::InstallationConf();
  const config::Settings settings = config::Load(sources).settings;
  return settings.enabled ? "" : settings.OriginOf(config::Key::enabled).Text();
}

GivenSettings ReadSettings(const Options& options) {
  GivenSettings given;
  const auto add = [&](const std::string& option, const std::string& name, const std::string& value) {
    if (!given.error.empty()) return;
    const std::string complaint = Complaint(name, value);
    if (!complaint.empty()) given.error = option + ": " + complaint;
    given.variables.emplace_back(name, value);
  };
  struct Row {
    const char* option;
    const char* name;
    const std::string& value;
  };
  for (const Row& row : {Row{"--title", "EPK_TITLE", options.title}, Row{"-o", "EPK_GDIR", options.dir},
                         Row{"-t", "EPK_TRACE", options.trace}, Row{"-f", "EPK_FILTER", options.filter},
                         Row{"-m", "EPK_METRICS", options.metrics}}) {
    if (!row.value.empty()) add(std::string(row.option) + " " + row.value, row.name, row.value);
  }
  for (const std::string& setting : options.settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      given.error = "-e " + setting + ": expected NAME=VALUE";
      return given;
    }
    add("-e " + setting, setting.substr(0, equals), setting.substr(equals + 1));
  }
  return given;
}

}  // namespace epik::launch
