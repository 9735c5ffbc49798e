// SPDX-License-Identifier: BSD-3-Clause
// The table of paradigms, for whoever needs a row of it.
#ifndef EPIK_CONFIG_PARADIGMS_H_
#define EPIK_CONFIG_PARADIGMS_H_

#include <cstdint>
#include <string_view>

namespace epik::config {

struct Paradigm {
  uint16_t number;
  const char* word;
  std::string_view begins;
  const char* file;
  std::string_view class_word;
  std::string_view metric;
};

inline constexpr Paradigm kParadigms[] = {
#define PARADIGM(id, number, word, begins, file, class_word, metric, light, dark) \
  {number, word, begins, file, class_word, metric},
#include "config/paradigms.def"
#undef PARADIGM
};

// The row of a word, or null.
constexpr const Paradigm* FindParadigm(std::string_view word) {
  for (const Paradigm& row : kParadigms) {
    if (word == row.word) return &row;
  }
  return nullptr;
}

// The word of a number that an arena or an adapter names; that of the user's own regions when there is no such row.
constexpr const char* ParadigmWord(uint16_t number) {
  for (const Paradigm& row : kParadigms) {
    if (row.number == number) return row.word;
  }
  return "user";
}

// Measurement is not: its regions are there because it was.
constexpr bool CanBeFiltered(const Paradigm& row) { return row.class_word != "EPIK"; }

}  // namespace epik::config

#endif  // EPIK_CONFIG_PARADIGMS_H_
