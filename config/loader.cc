// SPDX-License-Identifier: BSD-3-Clause
#include "config/loader.h"

#include <algorithm>

#include "config/conf_file.h"

namespace epik::config {
namespace {

constexpr int kProblemsShown = 8;  // for one file: it may not be a configuration at all

// `epk run` passes these variables to the runtime; they are no settings.
bool IsInternal(std::string_view name) { return name.substr(0, 13) == "EPK_INTERNAL_"; }

// Variables that are no settings either, and count in the environment only. `epk monitor` has the second one for its
// commands, which may run measured programs.
bool IsOfEnvironment(std::string_view name) { return name == "EPK_CONF" || name == "EPK_MONITOR_JOB"; }

}  // namespace

void Loader::AddUnreadable(const std::string& path, std::string_view reason) {
  Say(Message::kFile, Printable(path) + ": " + std::string(reason) + "; ignored");
}

void Loader::AddFile(const std::string& path, std::string_view text) {
  const ConfText conf = ParseConf(text, environment_, doc_dir_);
  int problems = 0;
  for (const ConfProblem& problem : conf.problems) {
    if (++problems > kProblemsShown) continue;
    Say(problem.ignored ? Message::kFile : Message::kNote, Printable(path) + ":" + std::to_string(problem.line) + ": " +
                                                               problem.text +
                                                               (problem.ignored ? "; line ignored" : ""));
  }
  if (problems > kProblemsShown) {
    Say(Message::kFile, Printable(path) + ": " + std::to_string(problems - kProblemsShown) + " more lines like these");
  }
  int unknown = 0;
  for (const ConfEntry& entry : conf.entries) {
    const Origin origin{Origin::kFile, path, entry.line};
    if (FindDescription(entry.key) != nullptr) {
      Set(entry.key, entry.value, entry.shown, origin);
    } else if (++unknown <= kProblemsShown) {
      Unknown(entry.key, origin);
    }
  }
  if (unknown > kProblemsShown) {
    Say(Message::kUnknown,
        Printable(path) + ": " + std::to_string(unknown - kProblemsShown) + " more names that are no variables");
  }
}

void Loader::AddEnvironment() {
  const Origin origin{Origin::kEnvironment, {}, 0};
  for (const Description& row : Descriptions()) {
    if (const auto value = environment_.Find(row.name)) Set(row.name, *value, *value, origin);
  }
  environment_.ForEach([&](std::string_view name, std::string_view) {
    if (IsOurs(name) && FindDescription(name) == nullptr && !IsOfEnvironment(name)) Unknown(name, origin);
  });
}

void Loader::Set(std::string_view name, std::string_view value, std::string_view shown, const Origin& origin) {
  const Description& row = *FindDescription(name);
  // An empty value counts only where the default is empty (settings.def).
  if (value.empty() && row.fallback[0] != '\0') return;
  Origin& in_force = loaded_.settings.origins[static_cast<size_t>(row.key)];
  if (row.parse(value, &loaded_.settings)) {
    in_force = origin;
    return;
  }
  // A refused value means the default, not the value of an earlier source. A later source may still set it.
  row.parse(row.fallback, &loaded_.settings);
  in_force = {};
  refusals_.push_back({loaded_.messages.size(), row.key});
  Say(Message::kRefused, std::string(name) + "=" + Printable(shown) + " (" + Printable(origin.Text()) + "): not " +
                             row.noun() + "; accepted: " + row.accepted());
}

void Loader::Unknown(std::string_view name, const Origin& origin) {
  const std::string where = Printable(name) + " (" + Printable(origin.Text()) + "): ";
  if (const char* reason = WhyRetired(name)) return Say(Message::kNote, where + "has no effect: " + reason);
  if (IsInternal(name)) return;
  if (IsOfEnvironment(name)) return Say(Message::kUnknown, where + "counts in the environment only");
  const std::string nearest(NearestName(name));
  Say(Message::kUnknown, where + "no such variable" + (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
}

Loaded Loader::Finish() {
  // Only now do we know the value that replaces a refused one: a later source may have given a good value.
  for (const Refusal& refusal : refusals_) {
    const Origin& in_force = loaded_.settings.OriginOf(refusal.key);
    std::string& text = loaded_.messages[refusal.message].text;
    if (in_force.source == Origin::kDefault) {
      text += "; using the default '" + std::string(Describe(refusal.key).fallback) + "'";
    } else {
      text += "; using that of " + Printable(in_force.Text());
    }
  }
  Settings& settings = loaded_.settings;
  if (settings.analyze && settings.OriginOf(Key::trace).source == Origin::kDefault) ParseTrace("comm", &settings.trace);
  return std::move(loaded_);
}

}  // namespace epik::config
