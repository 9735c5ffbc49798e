// SPDX-License-Identifier: BSD-3-Clause
#include "archive/files/calibration.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "archive/files/guarded.h"

namespace epik::archive {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLargestFile = size_t{64} << 10;
constexpr double kMostNs = 1e7;
constexpr int kVersion = 1;
constexpr size_t kLongestText = 256;

constexpr PriceName kNames[] = {
    {"function", "summary", "enter and exit"},
    {"function", "trace", "without the summary"},
    {"function", "both", "summary and trace"},
    {"function", "sampled", "counted, not timed"},
    {"function", "filtered", "left out, but called"},
    {"mpi", "summary", "a call that sends"},
    {"mpi", "both", "with its records"},
    {"message", "trace", "the record alone"},
    {"openmp", "summary", "a critical section"},
    {"openmp", "both", "with its records"},
};

struct Condition {
  const char* name;
  double Calibration::Price::*value;
};
constexpr Condition kConditions[] = {{"quiet_small", &Calibration::Price::quiet_small},
                                     {"quiet_large", &Calibration::Price::quiet_large},
                                     {"busy_small", &Calibration::Price::busy_small},
                                     {"busy_large", &Calibration::Price::busy_large}};

bool TakeText(const Json& object, const char* key, std::string* text) {
  if (!object.contains(key) || !object[key].is_string()) return false;
  *text = object[key].get<std::string>();
  return text->size() <= kLongestText;
}

bool TakePrice(const Json& row, Calibration::Price* price) {
  if (!row.is_object() || !TakeText(row, "event", &price->event) || !TakeText(row, "mode", &price->mode)) return false;
  const bool known = std::any_of(std::begin(kNames), std::end(kNames), [&](const PriceName& name) {
    return price->event == name.event && price->mode == name.mode;
  });
  if (!known) return false;
  for (const Condition& condition : kConditions) {
    if (!row.contains(condition.name)) continue;
    const Json& value = row[condition.name];
    if (!value.is_number()) return false;
    const auto ns = value.get<double>();
    if (!std::isfinite(ns) || ns < 0 || ns > kMostNs) return false;
    price->*condition.value = ns;
  }
  return price->quiet_small >= 0;
}

// Returns null, or the reason why the text cannot be read.
const char* ReadText(int fd, std::string* text) {
  struct stat info;
  if (fstat(fd, &info) != 0) return strerrordesc_np(errno);
  if (S_ISDIR(info.st_mode)) return "is a directory";
  if (!S_ISREG(info.st_mode)) return "is not a file";  // a pipe or a device could keep us waiting forever
  char block[4096];
  for (;;) {
    const ssize_t got = read(fd, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return strerrordesc_np(errno);
    if (got == 0) return nullptr;
    text->append(block, static_cast<size_t>(got));
    if (text->size() > kLargestFile) return "is larger than 64 KiB: not a file of epk calibrate";
  }
}

bool Parse(const std::string& text, Calibration* calibration, std::string* error) {
  const auto fail = [error](const char* why) {
    *error = why;
    return false;
  };
  const Json json = Json::parse(text, nullptr, false);
  constexpr const char* kNot = "is not a file of epk calibrate, or is damaged";
  if (!json.is_object() || !json.contains("epik_costs") || !json["epik_costs"].is_number_integer()) return fail(kNot);
  if (json["epik_costs"].get<int64_t>() != kVersion) return fail("is of another version: run epk calibrate again");
  Calibration read;
  if (!TakeText(json, "processor", &read.host.processor) || !TakeText(json, "measured", &read.measured)) {
    return fail(kNot);
  }
  if (!json.contains("processors") || !json["processors"].is_number_unsigned() || !json.contains("prices_ns") ||
      !json["prices_ns"].is_array() || json["prices_ns"].size() > std::size(kNames)) {
    return fail(kNot);
  }
  read.host.processors = static_cast<int>(std::min<uint64_t>(json["processors"].get<uint64_t>(), 1 << 20));
  for (const Json& row : json["prices_ns"]) {
    if (!TakePrice(row, &read.prices.emplace_back())) return fail(kNot);
  }
  if (!(read.Quiet("function", "summary") > 0)) return fail("has no price of a function: run epk calibrate again");
  read.there = true;
  *calibration = std::move(read);
  return true;
}

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace

std::string HostClass::Words() const {
  std::string words = processor.empty() ? "an unknown processor" : processor;
  if (processors > 0) words += " × " + std::to_string(processors);
  return words;
}

double Calibration::Price::Least() const {
  double least = quiet_small;
  for (const Condition& condition : kConditions) {
    if (this->*condition.value >= 0) least = std::min(least, this->*condition.value);
  }
  return std::max(0.0, least);
}

double Calibration::Price::Most() const {
  double most = 0;
  for (const Condition& condition : kConditions) most = std::max(most, this->*condition.value);
  return most;
}

const Calibration::Price* Calibration::Find(std::string_view event, std::string_view mode) const {
  for (const Price& price : prices) {
    if (price.event == event && price.mode == mode) return &price;
  }
  return nullptr;
}

double Calibration::Quiet(std::string_view event, std::string_view mode, double otherwise) const {
  const Price* price = Find(event, mode);
  return price == nullptr ? otherwise : price->quiet_small;
}

std::string Calibration::ToJson() const {
  Json rows = Json::array();
  for (const Price& price : prices) {
    Json row = {{"event", price.event}, {"mode", price.mode}};
    for (const Condition& condition : kConditions) {
      const double ns = price.*condition.value;
      if (ns >= 0 && ns <= kMostNs)
        row[condition.name] = static_cast<double>(static_cast<uint64_t>(ns * 100 + 0.5)) / 100;
    }
    rows.push_back(std::move(row));
  }
  const Json json = {{"epik_costs", kVersion},
                     {"processor", host.processor},
                     {"processors", host.processors},
                     {"measured", measured},
                     {"prices_ns", std::move(rows)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool Calibration::FromJson(const std::string& text, Calibration* calibration, std::string* error) {
  return Guarded(error, [&] { return Parse(text, calibration, error); });
}

std::span<const PriceName> PriceNames() { return kNames; }

std::string DefaultCalibrationPath(const HostClass& host) {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  std::string folder;
  // The XDG standard says that relative paths are ignored.
  if (config != nullptr && config[0] == '/') {
    folder = config;
  } else if (home != nullptr && home[0] == '/') {
    folder = std::string(home) + "/.config";
  } else {
    return "";
  }
  std::string name;
  for (const char c : host.processor) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return folder + "/epik/costs_" + name.substr(0, 100) + "_x" + std::to_string(host.processors) + ".json";
}

bool ReadCalibration(const std::string& path, const HostClass& host, Calibration* calibration, std::string* error) {
  const auto fail = [&](const std::string& why) {
    *error = "the prices in " + path + " are not used: the file " + why;
    return false;
  };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return fail(std::string("cannot be opened: ") + strerrordesc_np(errno));
  std::string text, why;
  const char* failure = ReadText(fd, &text);
  close(fd);
  if (failure != nullptr) return fail(failure);
  Calibration read;
  if (!Calibration::FromJson(text, &read, &why)) return fail(why);
  const bool other_model = !host.processor.empty() && host.processor != read.host.processor;
  const bool other_number = host.processors > 0 && host.processors != read.host.processors;
  if (other_model || other_number) return fail("is of another machine: " + read.host.Words() + ", not " + host.Words());
  read.file = path;
  *calibration = std::move(read);
  return true;
}

bool FindCalibration(const std::string& named, const HostClass& host, Calibration* calibration, std::string* error) {
  error->clear();
  if (!named.empty()) return ReadCalibration(named, host, calibration, error);
  if (host.processor.empty() || host.processors <= 0) return false;
  const std::string path = DefaultCalibrationPath(host);
  return !path.empty() && Exists(path) && ReadCalibration(path, host, calibration, error);
}

}  // namespace epik::archive
