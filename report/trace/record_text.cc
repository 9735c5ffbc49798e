// SPDX-License-Identifier: BSD-3-Clause
#include "report/trace/record_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "runtime/epilog/record_names.h"

namespace epik::report {

using archive::TraceArchive;
using epitome::kNone;

namespace {

template <typename Things>
std::string Named(const Things& things, uint32_t number, uint64_t value) {
  return number == kNone || things[number].name.empty() ? std::to_string(value) : JsonText(things[number].name);
}

std::string JsonField(const TraceArchive& archive, uint32_t process, std::string_view kind, uint64_t value) {
  if (kind == "int" || kind == "rank" || kind == "ns") return std::to_string(static_cast<int64_t>(value));
  if (kind == "node") return JsonText(archive.NameOfNode(process, static_cast<uint32_t>(value)));
  if (kind == "region") return JsonText(RegionOfField(archive, process, value));
  if (kind == "comm") return Named(archive.definitions().communicators, archive.CommunicatorOf(process, value), value);
  if (kind == "window") return Named(archive.definitions().windows, archive.WindowOf(process, value), value);
  if (kind == "ticks") return std::to_string(archive.processes()[process]->clock.Ns(value));
  if (kind == "double") return JsonNumber(std::bit_cast<double>(value));
  return std::to_string(value);
}

}  // namespace

std::string JsonText(std::string_view text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
  if (plain) return '"' + std::string(text) + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string JsonNumber(double number) {
  char text[40];
  std::snprintf(text, sizeof text, std::isfinite(number) ? "%.17g" : "\"%g\"", number);
  return text;
}

std::string RegionOfField(const TraceArchive& archive, uint32_t process, uint64_t field) {
  if (const archive::MetricName* metric = archive.Metric(process, field)) return metric->name;
  const uint32_t region = archive.Region(process, field);
  return region == kNone ? std::to_string(field) : archive.definitions().profile.regions[region].name;
}

std::string JsonFields(const TraceArchive& archive, uint32_t process, const epilog::Event& event) {
  const epilog::RecordName& names = epilog::NameOf(event.kind);
  std::string text = "{";
  for (uint32_t i = 0; i < event.fields; ++i) {
    if (i > 0) text += ',';
    text += '"' + std::string(names.field[i].name) +
            "\":" + JsonField(archive, process, names.field[i].kind, event.field[i]);
  }
  return text + '}';
}

}  // namespace epik::report
