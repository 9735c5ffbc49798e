// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>

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

// Letters to insert, remove or change.
size_t Distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      const size_t change = diagonal + (Plain(a[i - 1]) == Plain(b[j - 1]) ? 0 : 1);
      row[j] = std::min({change, above + 1, row[j - 1] + 1});
      diagonal = above;
    }
  }
  return row[b.size()];
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
  size_t best = 1 + name.size() / 2;
  for (const Counter& offer : offers) {
    if (SameName(offer.name, whole)) return offer;
    const size_t distance = Distance(offer.name, whole);
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
