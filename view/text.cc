// SPDX-License-Identifier: BSD-3-Clause
#include "view/text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace epik::view {
namespace {

constexpr uint32_t kBroken = 0xFFFFFFFF;

struct Range {
  uint32_t first, last;
};

// wcwidth() is not used, because it depends on the process's locale, and a report must look the same in all locales.
constexpr Range kWide[] = {{0x1100, 0x115F},  {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},
                           {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                           {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
                           {0x20000, 0x3FFFD}};
// Combining marks.
constexpr Range kZero[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x1AB0, 0x1AFF},
                           {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
// Control characters, line and paragraph separators, and Unicode's format characters (category Cf), with which a name
// could look like another one. report/html/src/format.ts has the same list.
constexpr Range kUnsafe[] = {{0, 0x1F},          {0x7F, 0x9F},       {0xAD, 0xAD},       {0x600, 0x605},
                             {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x180E, 0x180E},
                             {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0xFEFF, 0xFEFF},
                             {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x1BCA0, 0x1BCA3},
                             {0x1D173, 0x1D17A}, {0xE0000, 0xE007F}};

template <size_t N>
bool In(const Range (&ranges)[N], uint32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [c](const Range& range) { return range.first <= c && c <= range.last; });
}

struct Char {
  uint32_t code;  // kBroken for a byte outside of any character
  size_t bytes;
};

Char Next(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xF0 && lead <= 0xF4  ? 4
                       : lead >= 0xE0 && lead < 0xF0 ? 3
                       : lead >= 0xC2 && lead < 0xE0 ? 2
                                                     : 0;
  if (bytes == 0 || bytes > text.size()) return {kBroken, 1};
  uint32_t code = lead & (0xFF >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {kBroken, 1};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[bytes] || code > 0x10FFFF || surrogate) return {kBroken, 1};
  return {code, bytes};
}

size_t Columns(uint32_t code) {
  if (code == kBroken) return 1;
  if (In(kZero, code)) return 0;
  return In(kWide, code) ? 2 : 1;
}

// The longest beginning of `text` that fits; combining marks stay with their letter.
std::string_view Head(std::string_view text, size_t width) {
  size_t used = 0, at = 0;
  while (at < text.size()) {
    const Char c = Next(text.substr(at));
    if (used + Columns(c.code) > width) break;
    used += Columns(c.code);
    at += c.bytes;
  }
  return text.substr(0, at);
}

// The longest end of `text` that fits: skips characters from the front until the rest fits.
std::string_view Tail(std::string_view text, size_t width) {
  size_t left = Width(text);
  while (!text.empty()) {
    const Char c = Next(text);
    if (left <= width && Columns(c.code) > 0) break;
    left -= std::min(left, Columns(c.code));
    text.remove_prefix(c.bytes);
  }
  return text;
}

}  // namespace

size_t Width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Char c = Next(text);
    width += Columns(c.code);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string Printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Char c = Next(text);
    if (c.code == kBroken || In(kUnsafe, c.code)) {
      clean += '?';
    } else {
      clean += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return clean;
}

std::string Shorten(std::string_view text, size_t width, Cut cut, std::string_view mark) {
  if (Width(text) <= width) return std::string(text);
  const size_t mark_width = Width(mark);
  if (width <= mark_width) return std::string(Head(mark, width));
  const size_t room = width - mark_width;
  if (cut == Cut::kEnd) return std::string(Head(text, room)) + std::string(mark);
  if (cut == Cut::kStart) return std::string(mark) + std::string(Tail(text, room));
  const std::string_view tail = Tail(text, room / 2);
  return std::string(Head(text, room - Width(tail))) + std::string(mark) + std::string(tail);
}

std::string PadRight(std::string_view text, size_t width) {
  const size_t has = Width(text);
  return std::string(text) + std::string(has < width ? width - has : 0, ' ');
}

std::string PadLeft(std::string_view text, size_t width) {
  const size_t has = Width(text);
  return std::string(has < width ? width - has : 0, ' ') + std::string(text);
}

}  // namespace epik::view
