// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/manifest.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "archive/files/guarded.h"

namespace epik::archive {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersionKey = "manifest_version";

// The one list of keys, in the order of the file. M is Manifest or const Manifest.
template <class M, class Visitor>
bool VisitFields(M& m, Visitor&& visit) {
  return visit("program", m.program) && visit("command", m.command) && visit("title", m.title) &&
         visit("revision", m.revision) && visit("host", m.host) && visit("processor", m.processor) &&
         visit("processors", m.processors) && visit("started", m.started) && visit("wall_seconds", m.wall_seconds) &&
         visit("ranks", m.ranks) && visit("threads", m.threads) && visit("ended", m.ended) &&
         visit("ended_detail", m.ended_detail) && visit("recovered", m.recovered) &&
         visit("open_frames", m.open_frames) && visit("timer", m.timer) &&
         visit("ticks_per_second", m.ticks_per_second) && visit("clock_residual_s", m.clock_residual_s) &&
         visit("clock_measurements", m.clock_measurements) && visit("events", m.events) &&
         visit("pair_cost_ns", m.pair_cost_ns) && visit("pair_alone_ns", m.pair_alone_ns) &&
         visit("pair_behind_least_ns", m.pair_behind_least_ns) && visit("pair_behind_most_ns", m.pair_behind_most_ns) &&
         visit("own_seconds", m.own_seconds) && visit("computed_in_run", m.computed_in_run) &&
         visit("cost_least_seconds", m.cost_least_seconds) && visit("cost_seconds", m.cost_seconds) &&
         visit("cost_error_seconds", m.cost_error_seconds) &&
         visit("cost_by_prices_seconds", m.cost_by_prices_seconds) && visit("cpu_seconds", m.cpu_seconds) &&
         visit("cpu_most_seconds", m.cpu_most_seconds) && visit("cost_percent", m.cost_percent) &&
         visit("cpu_without_seconds", m.cpu_without_seconds) && visit("wall_without_seconds", m.wall_without_seconds) &&
         visit("wall_without_least_seconds", m.wall_without_least_seconds) &&
         visit("wall_without_most_seconds", m.wall_without_most_seconds) && visit("ran_seconds", m.ran_seconds) &&
         visit("queued_seconds", m.queued_seconds) && visit("preemptions", m.preemptions) &&
         visit("mpi_calls", m.mpi_calls) && visit("mpi_fortran_calls", m.mpi_fortran_calls) &&
         visit("openmp_regions", m.openmp_regions) && visit("folded_visits", m.folded_visits) &&
         visit("dropped_events", m.dropped_events) && visit("repairs", m.repairs) &&
         visit("unmatched_exits", m.unmatched_exits) && visit("hot", m.hot) && visit("trace", m.trace) &&
         visit("approximation", m.approximation) && visit("costs", m.costs) && visit("notes", m.notes) &&
         visit("modules", m.modules);
}

template <class T>
Json ToValue(const T& value) {
  return value;
}

Json ToValue(double value) { return std::isfinite(value) ? Json(value) : Json(0.0); }  // JSON has no infinity

Json ToValue(const std::vector<Manifest::Module>& modules) {
  Json list = Json::array();
  for (const Manifest::Module& module : modules) {
    list.push_back(Json{{"path", module.path}, {"build_id", module.build_id}});
  }
  return list;
}

template <class T, class Visitor>
bool VisitTrace(T& trace, Visitor&& visit) {
  return visit("events", trace.events) && visit("bytes", trace.bytes) && visit("largest_rank", trace.largest_rank) &&
         visit("largest_bytes", trace.largest_bytes) && visit("flushes", trace.flushes) && visit("lost", trace.lost) &&
         visit("format", trace.format);
}

// Null when there is no trace; null is not written.
Json ToValue(const Manifest::Trace& trace) {
  Json object;
  if (!trace.there) return object;
  VisitTrace(trace, [&object](const char* key, const auto& field) {
    object[key] = field;
    return true;
  });
  return object;
}

template <class T, class Visitor>
bool VisitHot(T& hot, Visitor&& visit) {
  return visit("sampled_paths", hot.sampled_paths) && visit("sampled_since_s", hot.sampled_since_s) &&
         visit("untimed_visits", hot.untimed_visits) && visit("dropped_paths", hot.dropped_paths) &&
         visit("dropped_since_s", hot.dropped_since_s) && visit("dropped_calls", hot.dropped_calls) &&
         visit("untimed_cost_ns", hot.untimed_cost_ns) && visit("probed_paths", hot.probed_paths);
}

Json ToValue(const Manifest::Hot& hot) {
  Json object;
  if (hot.sampled_paths == 0 && hot.dropped_paths == 0 && hot.untimed_visits == 0) return object;
  VisitHot(hot, [&object](const char* key, const auto& field) {
    object[key] = ToValue(field);
    return true;
  });
  return object;
}

template <class A, class Visitor>
bool VisitApproximation(A& a, Visitor&& visit) {
  return visit("of", a.of) && visit("change", a.change) && visit("model", a.model) && visit("bound", a.bound) &&
         visit("measured_seconds", a.measured_seconds) && visit("approximated_seconds", a.approximated_seconds) &&
         visit("pair_cost_ns", a.pair_cost_ns) && visit("pair_cost_spread", a.pair_cost_spread);
}

Json ToValue(const Manifest::Approximation& approximation) {
  Json object;
  if (!approximation.there) return object;
  VisitApproximation(approximation, [&object](const char* key, const auto& field) {
    object[key] = ToValue(field);
    return true;
  });
  return object;
}

Json ToValue(const Calibration& costs) {
  Json object;
  if (!costs.there) return object;
  object = Json::parse(costs.ToJson());
  object["file"] = costs.file;
  return object;
}

// Each returns the type that it expected, or null when it took the value.
const char* Take(const Json& json, std::string* value) {
  if (!json.is_string()) return "a string";
  *value = json.get<std::string>();
  return nullptr;
}

const char* Take(const Json& json, double* value) {
  if (!json.is_number()) return "a number";
  *value = json.get<double>();
  return nullptr;
}

const char* Take(const Json& json, bool* value) {
  if (!json.is_boolean()) return "true or false";
  *value = json.get<bool>();
  return nullptr;
}

const char* Take(const Json& json, uint64_t* value) {
  if (!json.is_number_unsigned()) return "a whole number from 0 on";
  *value = json.get<uint64_t>();
  return nullptr;
}

const char* Take(const Json& json, int* value) {
  uint64_t number = 0;
  if (Take(json, &number) != nullptr || number > static_cast<uint64_t>(std::numeric_limits<int>::max())) {
    return "a whole number from 0 to 2147483647";
  }
  *value = static_cast<int>(number);
  return nullptr;
}

const char* Take(const Json& json, Manifest::Module* module) {
  if (!json.is_object()) return "a list of objects";
  for (const auto& [key, text] : {std::pair("path", &module->path), std::pair("build_id", &module->build_id)}) {
    if (json.contains(key) && Take(json[key], text) != nullptr) return "a list of objects with strings";
  }
  return nullptr;
}

const char* Take(const Json& json, Manifest::Trace* trace) {
  if (!json.is_object()) return "an object";
  trace->there = true;
  const bool good = VisitTrace(*trace, [&json](const char* key, auto& field) {
    return !json.contains(key) || Take(json[key], &field) == nullptr;
  });
  return good ? nullptr : "an object with whole numbers from 0 on";
}

const char* Take(const Json& json, Manifest::Hot* hot) {
  if (!json.is_object()) return "an object";
  const bool good = VisitHot(*hot, [&json](const char* key, auto& field) {
    return !json.contains(key) || Take(json[key], &field) == nullptr;
  });
  return good ? nullptr : "an object with numbers from 0 on";
}

const char* Take(const Json& json, Manifest::Approximation* approximation) {
  if (!json.is_object()) return "an object";
  approximation->there = true;
  const bool good = VisitApproximation(*approximation, [&json](const char* key, auto& field) {
    return !json.contains(key) || Take(json[key], &field) == nullptr;
  });
  return good ? nullptr : "an object with texts and numbers";
}

const char* Take(const Json& json, Calibration* costs) {
  std::string error;
  if (!Calibration::FromJson(json.dump(), costs, &error)) return "prices of epk calibrate";
  if (json.contains("file") && Take(json["file"], &costs->file) != nullptr) return "prices of epk calibrate";
  return nullptr;
}

template <class T>
const char* Take(const Json& json, std::vector<T>* list) {
  if (!json.is_array()) return "a list";
  list->clear();
  for (const Json& item : json) {
    if (const char* expected = Take(item, &list->emplace_back())) {
      return std::is_same_v<T, std::string> ? "a list of strings" : expected;
    }
  }
  return nullptr;
}

bool Parse(const std::string& text, Manifest* manifest, std::string* error) {
  const auto fail = [error](const std::string& what) {
    *error = "manifest.json: " + what;
    return false;
  };
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& problem) {
    return fail("not JSON: error at byte " + std::to_string(problem.byte));
  } catch (const Json::exception&) {
    return fail("not JSON: a number beyond all bounds");
  }
  int version = 0;
  if (!json.is_object() || !json.contains(kVersionKey) || Take(json[kVersionKey], &version) != nullptr) {
    return fail(std::string("not the manifest of an archive: no ") + kVersionKey);
  }
  if (version < 1) return fail("version " + std::to_string(version) + " does not exist");
  if (version > Manifest::kVersion) {
    return fail("version " + std::to_string(version) + " is newer than this epk, which knows up to " +
                std::to_string(Manifest::kVersion));
  }
  Manifest read;
  const bool good = VisitFields(read, [&](const char* key, auto& field) {
    if (!json.contains(key)) return true;  // the manifest is older than the key
    const char* expected = Take(json[key], &field);
    return expected == nullptr ||
           fail(std::string(key) + " is " + std::string(json[key].type_name()) + ", expected " + expected);
  });
  if (good) *manifest = std::move(read);
  return good;
}

}  // namespace

std::string Manifest::ToJson() const {
  std::string text, error;
  Guarded(&error, [&] {
    Json json;
    json[kVersionKey] = kVersion;
    VisitFields(*this, [&json](const char* key, const auto& field) {
      Json value = ToValue(field);
      if (!value.is_null()) json[key] = std::move(value);
      return true;
    });
    // Arguments and paths need not be UTF-8: other bytes become U+FFFD.
    text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    return true;
  });
  return text;
}

bool Manifest::FromJson(const std::string& text, Manifest* manifest, std::string* error) {
  return Guarded(error, [&] { return Parse(text, manifest, error); });
}

}  // namespace epik::archive
