// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/record_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace epik::archive {

namespace {

template <typename Things>
FieldText Named(std::string_view field, const Things& things, uint32_t number, uint64_t value) {
  // The archive has no definition: only the process's number is known.
  if (number == kNone) return {field, std::to_string(value), false};
  const std::string& name = things[number].name;
  // If a definition has no name, its number in the job is shown.
  return {field, name.empty() ? "#" + std::to_string(number) : name, true};
}

}  // namespace

std::string JsonText(std::string_view text) {
  // The texts of all events pass here. Plain texts need no JSON library.
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
  if (plain) return '"' + std::string(text) + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string JsonNumber(double number) {
  char text[40];
  // 17 digits keep every double.
  std::snprintf(text, sizeof text, std::isfinite(number) ? "%.17g" : "\"%g\"", number);
  return text;
}

std::string RegionOfField(const TraceArchive& archive, uint32_t process, uint64_t field) {
  if (const MetricName* metric = archive.Metric(process, field)) return metric->name;
  const uint32_t region = archive.Region(process, field);
  return region == kNone ? std::to_string(field) : archive.definitions().profile.regions[region].name;
}

std::string SecondsText(int64_t ns) {
  char text[48];
  // A double has too few digits for nanoseconds. The subtraction is unsigned, so the lowest int64_t is right, too.
  const uint64_t size = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  std::snprintf(text, sizeof text, "%s%llu.%09llu", ns < 0 ? "-" : "",
                static_cast<unsigned long long>(size / 1000000000), static_cast<unsigned long long>(size % 1000000000));
  return text;
}

FieldText TextOfField(const TraceArchive& archive, uint32_t process, const FieldName& field, uint64_t value) {
  const TraceDefinitions& definitions = archive.definitions();
  const std::string_view name = field.name;
  const std::string_view kind = field.kind;
  // Fields are unsigned. These kinds are signed.
  if (kind == "int" || kind == "rank" || kind == "ns") {
    return {name, std::to_string(static_cast<int64_t>(value)), false};
  }
  if (kind == "node") return {name, std::string(archive.NameOfNode(process, static_cast<uint32_t>(value))), true};
  if (kind == "region") {
    if (const MetricName* metric = archive.Metric(process, value)) return {name, metric->name, true};
    return Named(name, definitions.profile.regions, archive.Region(process, value), value);
  }
  if (kind == "comm") return Named(name, definitions.communicators, archive.CommunicatorOf(process, value), value);
  if (kind == "window") return Named(name, definitions.windows, archive.WindowOf(process, value), value);
  if (kind == "ticks") return {name, SecondsText(archive.processes()[process]->clock.Ns(value)), false};
  if (kind == "double") {
    const auto number = std::bit_cast<double>(value);
    char text[40];
    std::snprintf(text, sizeof text, std::isfinite(number) ? "%.17g" : "%g", number);
    return {name, text, !std::isfinite(number)};
  }
  return {name, std::to_string(value), false};
}

std::string JsonMembers(const TraceArchive& archive, uint32_t process, const Event& event) {
  const RecordName& names = NameOf(event.kind);
  std::string text;
  for (uint32_t i = 0; i < event.fields; ++i) {
    const FieldText field = TextOfField(archive, process, names.field[i], event.field[i]);
    if (i > 0) text += ',';
    text += '"' + std::string(field.name) + "\":" + (field.is_text ? JsonText(field.text) : field.text);
  }
  return text;
}

std::string JsonFields(const TraceArchive& archive, uint32_t process, const Event& event) {
  return '{' + JsonMembers(archive, process, event) + '}';
}

}  // namespace epik::archive
