// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>

#include "config/nearest.h"
#include "runtime/metrics/source.h"

namespace epik::metrics {

#define SOURCE(name, make, text) Source* make();
#include "runtime/metrics/sources.def"
#undef SOURCE

const Registered kSources[] = {
#define SOURCE(name, make, text) {#name, text, make},
#include "runtime/metrics/sources.def"
#undef SOURCE
    {nullptr, nullptr, nullptr}};

namespace {

char Plain(char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// As SameName compares.
std::string Plain(std::string name) {
  for (char& c : name) c = Plain(c);
  return name;
}

}  // namespace

bool SameName(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (Plain(a[i]) != Plain(b[i])) return false;
  }
  return true;
}

Counter FindOffer(const std::string& source, const std::vector<Counter>& offers, const std::string& name) {
  const std::string whole = source + "::" + name;
  const Counter* nearest = nullptr;
  int best = 1 + static_cast<int>(name.size() / 2);
  for (const Counter& offer : offers) {
    if (SameName(offer.name, whole)) return offer;
    const int distance = config::EditDistance(Plain(offer.name), Plain(whole));
    if (distance >= best) continue;
    best = distance;
    nearest = &offer;
  }
  Counter none;
  none.name = whole;
  none.missing = "there is no such counter";
  none.missing += nearest != nullptr ? "; did you mean " + nearest->name + "?" : " (epk doctor --metrics lists them)";
  return none;
}

}  // namespace epik::metrics
