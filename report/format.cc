// SPDX-License-Identifier: BSD-3-Clause
#include "report/format.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace epik::report {
namespace {

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

// The first or last `width` columns of the text.
std::string_view Head(std::string_view text, size_t width) {
  size_t at = 0;
  for (size_t used = 0; at < text.size() && used < width; ++used) {
    const size_t length = SequenceLength(text.substr(at));
    at += length == 0 ? 1 : length;
  }
  return text.substr(0, at);
}

std::string_view Tail(std::string_view text, size_t width) {
  const size_t total = DisplayWidth(text);
  return total <= width ? text : text.substr(Head(text, total - width).size());
}

}  // namespace

std::string Ink::Wrap(const char* code, std::string_view text) const {
  if (!color || text.empty()) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
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
  for (size_t at = 0; at < text.size(); ++width) {
    const size_t length = SequenceLength(text.substr(at));
    at += length == 0 ? 1 : length;
  }
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
