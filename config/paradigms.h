// SPDX-License-Identifier: BSD-3-Clause
// The table of paradigms.
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

// The word for a paradigm's number in an arena or from an adapter. Returns the word of the user's own regions if no row
// has the number.
constexpr const char* ParadigmWord(uint16_t number) {
  for (const Paradigm& row : kParadigms) {
    if (row.number == number) return row.word;
  }
  return "user";
}

// Regions of the measurement itself cannot be filtered.
constexpr bool CanBeFiltered(const Paradigm& row) { return row.class_word != "EPIK"; }

}  // namespace epik::config

#endif  // EPIK_CONFIG_PARADIGMS_H_
