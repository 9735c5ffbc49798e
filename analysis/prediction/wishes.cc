// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/prediction/wishes.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace epik::prediction {
namespace {

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

// Takes a number and the text behind it. Returns false when there is no number, or when it is infinite or negative.
bool TakeNumber(std::string_view text, double* number, std::string_view* unit) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  if (error != std::errc() || !std::isfinite(*number) || *number < 0) return false;
  *unit = text.substr(static_cast<size_t>(end - text.data()));
  return true;
}

bool ShareOf(std::string_view text, double* share) {
  double number = 0;
  std::string_view unit;
  if (!TakeNumber(text, &number, &unit)) return false;
  if (unit == "x" && number > 0) {
    *share = 1 / number;
    return std::isfinite(*share);
  }
  *share = 1 - number / 100;
  return unit == "%" && number <= 100;
}

// The first comma that is in no brackets; or the end.
size_t OuterComma(std::string_view text) {
  constexpr std::string_view kOpen = "(<[{", kClosed = ")>]}";
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (kOpen.find(text[at]) != std::string_view::npos) ++depth;
    if (kClosed.find(text[at]) != std::string_view::npos) --depth;
    if (text[at] == ',' && depth <= 0) return at;
  }
  return text.size();
}

struct Scale {
  std::string_view unit;
  double by;
};
constexpr Scale kTimes[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr Scale kRates[] = {{"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};

template <size_t n>
bool Take(std::string_view text, const Scale (&scales)[n], double* value) {
  std::string_view unit;
  if (!TakeNumber(text, value, &unit)) return false;
  for (const Scale& scale : scales) {
    if (scale.unit != unit) continue;
    *value *= scale.by;
    return std::isfinite(*value);
  }
  return false;
}

}  // namespace

bool ParseFaster(std::string_view text, std::vector<Faster>* faster, std::string* error) {
  size_t begin = 0;
  for (size_t end = 0; end < text.size(); ++end) {
    end = std::min(text.find(',', end), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    // Names of C++ contain colons, so the last one counts. They contain commas, too: a part without a share goes on.
    const size_t colon = part.rfind(':');
    Faster one;
    if (colon == std::string_view::npos || colon == 0 || !ShareOf(part.substr(colon + 1), &one.share)) continue;
    one.region = part.substr(0, colon);
    faster->push_back(std::move(one));
    begin = end + 1;
  }
  if (begin == text.size() + 1) return true;
  *error = "--faster '" + std::string(text.substr(begin)) +
           "' is not REGION:2x (twice as fast) or REGION:30% (30 % less time)";
  return false;
}

bool ParseNames(std::string_view text, const std::function<bool(const std::string&)>& is_name,
                std::vector<std::string>* names, std::string* unknown) {
  // Positions behind commas, the end of a list with one more comma among them.
  const size_t end = text.size() + 1;
  std::vector<size_t> starts = {0};
  for (const std::string_view part : Split(text)) starts.push_back(starts.back() + part.size() + 1);
  // From the back: how many parts the name takes that begins here, if names can follow it up to the end.
  constexpr size_t kNone = 0;
  std::vector<size_t> parts(starts.size(), kNone);
  const auto name_of = [&](size_t first, size_t count) {
    return std::string(text.substr(starts[first], starts[first + count] - 1 - starts[first]));
  };
  for (size_t first = starts.size() - 1; first-- > 0;) {
    for (size_t count = 1; first + count < starts.size() && parts[first] == kNone; ++count) {
      const std::string name = name_of(first, count);
      const bool follows = starts[first + count] == end || parts[first + count] != kNone;
      if (follows && ((count == 1 && name.empty()) || is_name(name))) parts[first] = count;
    }
  }
  if (parts[0] != kNone) {
    for (size_t first = 0; first + 1 < starts.size(); first += parts[first]) {
      std::string name = name_of(first, parts[first]);
      if (!name.empty()) names->push_back(std::move(name));
    }
    return true;
  }
  // Skips the names that it finds. The text behind them is the unknown name: it ends at the first comma outside of
  // brackets.
  size_t first = 0;
  for (size_t count = 1; first + count < starts.size(); ++count) {
    const std::string name = name_of(first, count);
    if (!name.empty() && !is_name(name)) continue;
    first += count;
    count = 0;
  }
  std::string_view rest = text.substr(std::min(starts[first], text.size()));
  *unknown = std::string(rest.substr(0, OuterComma(rest)));
  return false;
}

// Collective operations take as many steps as a tree of their members has levels.
double NetworkWish::Takes(uint64_t bytes, uint32_t members) const {
  const int steps = members > 2 ? std::bit_width(members - 1) : 1;
  return steps * (latency_ns + static_cast<double>(bytes) * ns_per_byte);
}

bool ParseNetwork(std::string_view text, NetworkWish* network, std::string* error) {
  if (text == "ideal") {
    network->ideal = true;
    return true;
  }
  for (const std::string_view part : Split(text)) {
    const size_t colon = part.find(':');
    const std::string_view name = part.substr(0, colon);
    const std::string_view value = colon == std::string_view::npos ? "" : part.substr(colon + 1);
    double rate = 0;
    if (name == "latency" && Take(value, kTimes, &network->latency_ns)) continue;
    if (name == "bandwidth" && Take(value, kRates, &rate) && std::isfinite(1e9 / rate)) {
      network->ns_per_byte = 1e9 / rate;
      continue;
    }
    *error = "--network '" + std::string(part) + "' is not ideal, latency:2us (ns, us, ms, s) or bandwidth:10G " +
             "(bytes a second; k, M, G, T)";
    return false;
  }
  return true;
}

}  // namespace epik::prediction
