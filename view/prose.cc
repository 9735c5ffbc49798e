// SPDX-License-Identifier: BSD-3-Clause
#include "view/prose.h"

#include <algorithm>
#include <iterator>

#include "view/text.h"

namespace epik::view {
namespace {

constexpr size_t kLabelWidth = 11;
constexpr std::string_view kUnits[] = {"s",   "ms",  "µs",  "us",  "ns",  "B",   "KiB",
                                       "MiB", "GiB", "TiB", "PiB", "EiB", "GHz", "%"};

std::string_view Word(std::string_view text) { return text.substr(0, text.find_first_of(" \n")); }

bool IsUnit(std::string_view word) {
  while (!word.empty() && std::string_view(".,;:)").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

// Whether the word is the rest of a number whose thousands are apart: 12 000.
bool IsThousands(std::string_view word) {
  while (!word.empty() && std::string_view(".,;:)").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  return word.size() == 3 && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool EndsInDigit(std::string_view word) { return !word.empty() && word.back() >= '0' && word.back() <= '9'; }

// Whether the words are "rank 2" or "thread 0".
bool IsPlace(std::string_view before, std::string_view next) {
  return (before.ends_with("rank") || before.ends_with("thread")) && !next.empty() && next[0] >= '0' && next[0] <= '9';
}

// Whether the word belongs to a margin: 1.23 s ± 20 ms.
bool IsMargin(std::string_view word) { return word.ends_with("±") || word.ends_with("+-"); }

// The length of the piece at the start of `text` that must stay together; `text` begins with a word.
size_t Unbroken(std::string_view text, size_t width) {
  std::string_view word = Word(text);
  size_t end = word.size();
  // A command in backquotes stays together if it fits in a line.
  const size_t open = word.find('`');
  if (open != std::string_view::npos) {
    const size_t close = text.find('`', open + 1);
    if (close != std::string_view::npos && Width(text.substr(0, close)) < width && close >= end) {
      end = close + Word(text.substr(close)).size();
    }
  }
  while (end < text.size() && text[end] == ' ') {
    const std::string_view next = Word(text.substr(end + 1));
    const bool amount = EndsInDigit(text.substr(0, end)) && (IsUnit(next) || IsThousands(next));
    const bool margin = next == "±" || next == "+-" || IsMargin(text.substr(0, end));
    if (!amount && !margin && !IsPlace(text.substr(0, end), next)) break;
    end += 1 + next.size();
  }
  return end;
}

// The first line has another width.
std::vector<std::string> Lines(std::string_view text, size_t first, size_t others) {
  std::vector<std::string> lines;
  std::string line;
  for (size_t start; (start = text.find_first_not_of(" \n")) != std::string_view::npos;) {
    text.remove_prefix(start);
    const size_t width = lines.empty() ? first : others;
    const std::string_view word = text.substr(0, Unbroken(text, width));
    text.remove_prefix(word.size());
    if (!line.empty() && Width(line) + 1 + Width(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::vector<std::string> Wrap(std::string_view text, size_t width) { return Lines(text, width, width); }

std::string Wrapped(std::string_view first, std::string_view text, size_t indent, size_t width) {
  const std::string lead = first.empty() ? "" : PadRight(first, indent);
  const auto room = [&](size_t used) { return width > used ? width - used : 1; };
  std::string out;
  for (const std::string& line : Lines(text, room(Width(lead)), room(indent))) {
    out += (out.empty() ? lead : std::string(indent, ' ')) + line + "\n";
  }
  return out;
}

std::string Labelled(std::string_view label, std::string_view text, size_t width) {
  return Wrapped(PadRight(label, kLabelWidth), text, kLabelWidth, width);
}

}  // namespace epik::view
