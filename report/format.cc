// SPDX-License-Identifier: BSD-3-Clause
#include "report/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace epik::report {
namespace {

constexpr size_t kLabelWidth = 11;

// Bytes of the valid UTF-8 sequence at the start of `text`; 0 when there is none.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                        : (lead & 0xf0) == 0xe0       ? 3
                        : lead >= 0xf0 && lead < 0xf5 ? 4
                                                      : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond Unicode.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0)) return 0;
  if ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) >= 0x90)) return 0;
  return length;
}

// Three significant digits, never in exponent notation.
std::string ThreeDigits(double value) {
  char text[64];
  const double size = std::fabs(value);
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Replaces what stands between the outermost pair of `open` and `close` by dots. "operator()" and "operator<" survive.
std::string Hollow(std::string_view name, char open, char close, std::string_view dots) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool part_of_operator = name.substr(0, i).ends_with("operator") || name.substr(0, i).ends_with("operator(") ||
                                  name.substr(0, i).ends_with("operator<") || name.substr(0, i).ends_with("operator-");
    if (name[i] == open && !part_of_operator && depth++ == 0) {
      out += open;
      if (i + 1 < name.size() && name[i + 1] != close) out += dots;
      continue;
    }
    if (name[i] == close && !part_of_operator && depth > 0) --depth;
    if (depth == 0) out += name[i];
  }
  return depth == 0 ? out : std::string(name);
}

bool IsWide(std::string_view sequence) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(sequence[i])) & 0x3f; };
  if (sequence.size() < 3) return false;
  const uint32_t c = sequence.size() == 3 ? (byte(0) & 0xf) << 12 | byte(1) << 6 | byte(2)
                                          : (byte(0) & 0x7) << 18 | byte(1) << 12 | byte(2) << 6 | byte(3);
  return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
         (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
}

// Calls step(character, columns) until it says false; returns the bytes passed.
template <class Step>
size_t EachCharacter(std::string_view text, Step&& step) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t length = std::max<size_t>(SequenceLength(text.substr(at)), 1);
    if (!step(IsWide(text.substr(at, length)) ? 2 : 1)) break;
    at += length;
  }
  return at;
}

// The first or last characters of the text, `width` columns at most.
std::string_view Head(std::string_view text, size_t width) {
  size_t used = 0;
  return text.substr(0, EachCharacter(text, [&](size_t columns) { return (used += columns) <= width; }));
}

std::string_view Tail(std::string_view text, size_t width) {
  size_t left = DisplayWidth(text);
  return text.substr(EachCharacter(text, [&](size_t columns) {
    if (left <= width) return false;
    left -= columns;
    return true;
  }));
}

}  // namespace

std::string Ink::Wrap(const char* code, std::string_view text) const {
  if (!color || text.empty()) return std::string(text);
  // Line by line: pagers forget colours at the end of a line.
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out += "\033[" + std::string(code) + "m" + std::string(text.substr(at, end - at)) + "\033[0m";
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

std::string Seconds(double seconds, bool unicode) {
  if (!std::isfinite(seconds)) return "-";
  const double size = std::fabs(seconds);
  if (size == 0) return "0 s";
  if (size >= 999.5) {
    if (size >= 1e15) return RoundTrip(seconds) + " s";
    return (seconds < 0 ? "-" : "") + Count(static_cast<uint64_t>(std::llround(size))) + " s";
  }
  if (size >= 0.9995) return ThreeDigits(seconds) + " s";
  if (size >= 0.9995e-3) return ThreeDigits(seconds * 1e3) + " ms";
  if (size >= 0.9995e-6) return ThreeDigits(seconds * 1e6) + (unicode ? " µs" : " us");
  return ThreeDigits(seconds * 1e9) + " ns";
}

std::string SecondsCell(double seconds, bool unicode) {
  std::string text = Seconds(seconds, unicode);
  if (text.ends_with(" s")) text += ' ';
  return text;
}

std::string Count(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string Percent(double part, double whole) {
  const double percent = part / whole * 100;
  if (whole == 0 || !std::isfinite(percent)) return "-";
  char text[64];
  snprintf(text, sizeof text, "%.1f", std::fabs(percent) < 0.05 ? 0.0 : percent);
  return std::fabs(percent) < 1e9 ? text : "-";
}

std::string Ratio(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  char text[64];
  snprintf(text, sizeof text, "%.2f", ratio);
  return std::fabs(ratio) < 1e9 ? text : "-";
}

std::string RoundTrip(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";  // no "-0"
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

std::string Plural(uint64_t count, std::string_view singular) {
  return Count(count) + " " + std::string(singular) + (count == 1 ? "" : "s");
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  EachCharacter(text, [&](size_t columns) { return (width += columns, true); });
  return width;
}

std::string PadLeft(std::string_view text, size_t width) {
  const size_t used = DisplayWidth(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::string PadRight(std::string_view text, size_t width) {
  const size_t used = DisplayWidth(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t length = SequenceLength(text.substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    // C0, DEL, and C1 (c2 80 … c2 9f), which some terminals obey like ESC [.
    const bool control =
        byte < 0x20 || byte == 0x7f || (length == 2 && byte == 0xc2 && static_cast<unsigned char>(text[at + 1]) < 0xa0);
    if (length == 0 || control) {
      out += '?';
    } else {
      out += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::string ShortName(std::string_view name, size_t width, const Ink& ink) {
  std::string text = Printable(name.empty() ? "(unnamed)" : name);
  const std::string_view dots = ink.Dots();
  if (DisplayWidth(text) > width) text = Hollow(text, '(', ')', dots);
  if (DisplayWidth(text) > width) text = Hollow(text, '<', '>', dots);
  if (DisplayWidth(text) <= width) return text;
  const size_t dot_width = DisplayWidth(dots);
  if (width <= dot_width) return std::string(Head(text, width));
  const size_t kept = width - dot_width;
  return std::string(Head(text, kept - kept / 2)) + std::string(dots) + std::string(Tail(text, kept / 2));
}

std::string KeepTail(std::string_view text, size_t width, const Ink& ink) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const size_t dot_width = DisplayWidth(ink.Dots());
  if (width <= dot_width) return std::string(Tail(text, width));
  return std::string(ink.Dots()) + std::string(Tail(text, width - dot_width));
}

std::string ShortPath(const std::vector<std::string_view>& names, size_t width, const Ink& ink) {
  constexpr size_t kLongestCaller = 40;
  const std::string arrow = " > ", more = std::string(ink.Dots()) + arrow;
  std::string path;
  for (size_t i = names.size(); i-- > 0;) {
    // Unless it is the first, there must be room to say that callers are left out.
    const size_t reserved = i == 0 ? 0 : DisplayWidth(more);
    const size_t room = width > reserved ? width - reserved : 1;
    if (path.empty()) {
      path = ShortName(names[i], room, ink);
      continue;
    }
    const std::string longer = ShortName(names[i], kLongestCaller, ink) + arrow + path;
    if (DisplayWidth(longer) > room) return more + path;
    path = longer;
  }
  return path;
}

std::string Wrapped(const std::string& first, const std::string& text, size_t indent, size_t width) {
  std::string out, line = first.empty() ? "" : PadRight(first, indent);
  bool fresh = true;  // no word on this line yet
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!fresh && DisplayWidth(line) + 1 + DisplayWidth(word) > width) {
      out += line + "\n";
      line = std::string(indent, ' ');
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
    fresh = false;
    at = end + 1;
  }
  return out + line + "\n";
}

std::string Labelled(const std::string& label, const std::string& text, size_t width) {
  return Wrapped(PadRight(label, kLabelWidth), text, kLabelWidth, width);
}

bool Matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace epik::report
