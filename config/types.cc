// SPDX-License-Identifier: BSD-3-Clause
#include "config/types.h"

#include <algorithm>
#include <charconv>

#include "config/number.h"

namespace epik::config {
namespace {

bool IsEscape(std::string_view text, size_t i) {
  return text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == ':' || text[i + 1] == '\\');
}

bool HasComma(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsEscape(text, i)) {
      ++i;
    } else if (text[i] == ',') {
      return true;
    }
  }
  return false;
}

// Length of the run of colons that starts at i.
size_t Colons(std::string_view text, size_t i) {
  size_t n = 0;
  while (i + n < text.size() && text[i + n] == ':') ++n;
  return n;
}

void AddItem(std::string_view raw, std::vector<std::string>* items) {
  raw = Trim(raw);
  std::string item;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (IsEscape(raw, i)) ++i;
    item += raw[i];
  }
  if (!item.empty()) items->push_back(std::move(item));
}

std::vector<std::string> SplitList(std::string_view text) {
  const bool by_comma = HasComma(text);
  std::vector<std::string> items;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsEscape(text, i)) {
      ++i;
      continue;
    }
    const size_t colons = by_comma ? 0 : Colons(text, i);
    if (text[i] == ',' || colons == 1) {
      AddItem(text.substr(begin, i - begin), &items);
      begin = i + 1;
    } else if (colons > 1) {
      i += colons - 1;
    }
  }
  AddItem(text.substr(begin), &items);
  return items;
}

std::string EscapeItem(std::string_view item, bool alone) {
  std::string out;
  for (size_t i = 0; i < item.size();) {
    const size_t colons = Colons(item, i);
    if (colons > 0) {
      if (alone && colons == 1) out += '\\';
      out.append(colons, ':');
      i += colons;
      continue;
    }
    if (item[i] == ',' || item[i] == '\\') out += '\\';
    out += item[i++];
  }
  return out;
}

bool HasControl(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
  }
  return false;
}

}  // namespace

bool Bool::Parse(std::string_view text, bool* value) const {
  static constexpr const char* kWords = "no yes false true off on 0 1";
  const int position = FindWord(kWords, text);
  if (position >= 0) *value = position % 2 == 1;
  return position >= 0;
}

std::string Bool::Format(bool value) const { return value ? "yes" : "no"; }

bool Integer::Parse(std::string_view text, int64_t* value) const {
  text = Trim(text);
  for (const Word& word : words) {
    if (word.word != nullptr && SameWord(text, word.word)) {
      *value = word.value;
      return true;
    }
  }
  int64_t parsed;
  if (!ParseInteger(text, &parsed) || parsed < low || parsed > high) return false;
  *value = parsed;
  return true;
}

std::string Integer::Format(int64_t value) const {
  if (value < low || value > high) {
    for (const Word& word : words) {
      if (word.word != nullptr && word.value == value) return word.word;
    }
  }
  return std::to_string(value);
}

std::string Integer::Accepted() const {
  const bool open = high >= kUnlimited - 1;
  std::string out = std::to_string(low) + (open ? " or more" : " to " + std::to_string(high));
  for (const Word& word : words) {
    if (word.word != nullptr) out += std::string(", ") + word.word;
  }
  return out;
}

bool Level::Parse(std::string_view text, int64_t* value) const {
  int64_t parsed;
  bool yes;
  if (Bool().Parse(text, &yes)) {
    parsed = yes ? 1 : 0;
  } else if (!ParseInteger(Trim(text), &parsed) || parsed < 0 || parsed > high) {
    return false;
  }
  *value = parsed;
  return true;
}

bool Size::Parse(std::string_view text, uint64_t* value) const {
  uint64_t parsed;
  if (!ParseSize(Trim(text), &parsed) || parsed < low) return false;
  *value = parsed;
  return true;
}

std::string Size::Format(uint64_t value) const { return FormatSize(value); }

std::string Size::Accepted() const {
  return "bytes, " + FormatSize(low) + " or more, as in 500k, 16M, 2GiB; k M G are of 1024, kB MB GB of 1000";
}

bool Duration::Parse(std::string_view text, int64_t* value) const { return ParseDuration(Trim(text), value); }
std::string Duration::Format(int64_t value) const { return FormatDuration(value); }

bool Percent::Parse(std::string_view text, double* value) const {
  text = Trim(text);
  if (SameWord(text, "off")) {
    *value = 0;
    return true;
  }
  uint64_t mantissa;
  int decimals;
  std::string_view rest;
  if (!ParseDecimal(text, &mantissa, &decimals, &rest)) return false;
  rest = Trim(rest);
  if (!rest.empty() && rest != "%") return false;
  uint64_t scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  // Divides two exact numbers once, so the result is the double nearest to the text and reads back as the same.
  if (mantissa > 100 * scale) return false;
  *value = static_cast<double>(mantissa) / static_cast<double>(scale);
  return true;
}

std::string Percent::Format(double value) const {
  if (value == 0) return "off";
  // Writes the fewest decimals that read back as the same number. std::to_chars would do it, but its tables are a fifth
  // of libepk.so.
  int decimals = 0;
  uint64_t scale = 1;
  const auto scaled = [&] { return static_cast<uint64_t>(value * static_cast<double>(scale) + 0.5); };
  while (decimals < kMaxDecimals && static_cast<double>(scaled()) / static_cast<double>(scale) != value) {
    ++decimals;
    scale *= 10;
  }
  std::string text = std::to_string(scaled() / scale);
  if (decimals > 0) {
    const std::string rest = std::to_string(scaled() % scale);
    text += "." + std::string(static_cast<size_t>(decimals) - rest.size(), '0') + rest;
  }
  return text + "%";
}

bool Text::Parse(std::string_view text, std::string* value) const {
  value->assign(text);
  return true;
}

bool Path::Parse(std::string_view text, std::string* value) const {
  value->assign(text);
  return true;
}

bool Title::Parse(std::string_view text, std::string* value) const {
  if (HasControl(text) || text.find('/') != std::string_view::npos) return false;
  value->assign(text);
  return true;
}

bool List::Parse(std::string_view text, Value* value) const {
  *value = SplitList(text);
  return true;
}

std::string List::Format(const Value& value) const {
  std::string out;
  for (const std::string& item : value) {
    if (!out.empty()) out += ',';
    out += EscapeItem(item, value.size() == 1);
  }
  return out;
}

bool Groups::Parse(std::string_view text, Value* value) const {
  const std::string in_all(std::string_view(known).substr(0, std::string_view(known).find('|')));
  std::vector<std::string> asked;
  bool none = false;
  for (const std::string& item : SplitList(text)) {
    if (item == "|") return false;
    if (SameWord(item, "NONE")) {
      none = true;
      continue;
    }
    const std::string named = SameWord(item, "DEFAULT") ? usual : item;
    const std::string words = SameWord(named, "ALL") ? in_all : named;
    for (const std::string& word : SplitList(JoinWords(words.c_str(), ","))) {
      if (FindWord(known, word) < 0) return false;
      asked.push_back(word);
    }
  }
  if (none == !asked.empty()) return false;  // "NONE" beside other words, or no word at all
  value->clear();
  // In the order of the table, each once.
  for (int at = 0; !WordAt(known, at).empty(); ++at) {
    const std::string word = WordAt(known, at);
    const auto is_it = [&word](const std::string& other) { return SameWord(word, other); };
    if (std::any_of(asked.begin(), asked.end(), is_it)) value->push_back(word);
  }
  return true;
}

std::string Groups::Format(const Value& value) const {
  Value all;
  if (Parse("ALL", &all) && value == all) return "ALL";
  std::string out;
  for (const std::string& item : value) out += (out.empty() ? "" : ":") + item;
  return out.empty() ? "NONE" : out;
}

std::string Groups::Accepted() const { return JoinWords(known, " ") + " separated by , or :, ALL, NONE, DEFAULT"; }

}  // namespace epik::config
