// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/values/values.h"

#include <algorithm>
#include <string_view>

#include "archive/cubex/reader.h"
#include "archive/directory/archive.h"
#include "config/settings.h"
#include "tools/epk/archives_here.h"
#include "tools/epk/doctor/metrics.h"

namespace epik::epk {
namespace {

using Words = std::vector<std::string>;

// Words in the description of a variable's values that are no values themselves.
constexpr std::string_view kProse[] = {"or", "to", "and", "a", "as", "in", "separated", "by", "with", "without"};

// Takes from the description of a variable's values the words that it accepts. Users fill in the words in capitals
// (DURATION, N) themselves.
Words AcceptedBy(const config::Description& variable) {
  Words words;
  const std::string type = variable.type;
  if (type == "text" || type == "path" || type == "name" || type == "words") return words;
  const std::string accepted = variable.accepted();
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' ||
           c == '%';
  };
  for (size_t at = 0; at < accepted.size();) {
    size_t end = at;
    while (end < accepted.size() && is_part(accepted[end])) ++end;
    std::string word = accepted.substr(at, end - at);
    at = std::max(end, at + 1);
    const size_t colon = word.find(':');
    const bool is_prose = std::find(std::begin(kProse), std::end(kProse), word) != std::end(kProse);
    if (word.empty() || is_prose || std::find(words.begin(), words.end(), word) != words.end()) continue;
    config::Settings scratch;
    if (colon != std::string::npos) {
      words.push_back(word.substr(0, colon + 1));
    } else if (variable.parse(word, &scratch)) {
      words.push_back(std::move(word));
    }
  }
  return words;
}

Words Counters() {
  Words words;
  for (const doctor::SourceFinding& source : doctor::LookAtMetrics({})) {
    for (const doctor::CounterFinding& counter : source.counters) {
      if (counter.missing.empty()) words.push_back(counter.name);
    }
  }
  return words;
}

Words MetricsHere() {
  Words words;
  const std::string newest =
      NewestArchive([](const std::string& name) { return !name.ends_with(archive::kUnfinishedSuffix); });
  archive::CubexReader reader;
  std::string ignored;
  if (newest.empty() || !reader.Open(newest + "/summary.cubex", &ignored)) return words;
  for (const archive::Metric& metric : reader.definitions().metrics) words.push_back(metric.unique_name);
  return words;
}

}  // namespace

std::vector<std::string> ValuesOf(const std::string& kind) {
  if (kind == "counters") return Counters();
  if (kind == "metrics") return MetricsHere();
  if (kind == "trace") return AcceptedBy(config::Describe(config::Key::trace));
  Words words;
  if (kind == "variables") {
    for (const config::Description& row : config::Descriptions()) words.push_back(std::string(row.name) + "=");
  } else if (const config::Description* row = config::FindDescription(kind)) {
    words = AcceptedBy(*row);
  }
  return words;
}

}  // namespace epik::epk
