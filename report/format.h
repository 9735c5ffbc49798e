// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names as people read them. Nothing here ever prints "nan" or "inf": what is not a number is "-".
#ifndef EPIK_REPORT_FORMAT_H_
#define EPIK_REPORT_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epik::report {

// What the reader's terminal can show.
struct Ink {
  bool color = false;
  bool unicode = true;

  std::string Bold(std::string_view text) const { return Wrap("1", text); }
  std::string Dim(std::string_view text) const { return Wrap("2", text); }
  std::string Alarm(std::string_view text) const { return Wrap("1;31", text); }
  std::string Warning(std::string_view text) const { return Wrap("33", text); }
  std::string Mpi(std::string_view text) const { return Wrap("36", text); }
  std::string Omp(std::string_view text) const { return Wrap("35", text); }
  std::string_view Dots() const { return unicode ? "…" : "..."; }
  std::string_view Times() const { return unicode ? "×" : "x"; }

 private:
  std::string Wrap(const char* code, std::string_view text) const;
};

std::string Seconds(double seconds, bool unicode = true);       // 1.23 s, 45.1 ms, 6.00 µs, 310 ns
std::string SecondsCell(double seconds, bool unicode = true);   // the same, units aligned when right-justified
std::string Count(uint64_t count);                              // 1,234,567
std::string Percent(double part, double whole);                 // 37.1; "-" when the whole is nothing
std::string Ratio(double ratio);                                // 1.07
std::string RoundTrip(double value);                            // shortest text that reads back as the same number
std::string Plural(uint64_t count, std::string_view singular);  // "1 rank", "2 ranks"

// The number of terminal columns that valid UTF-8 without combining characters takes; other bytes count one each.
// East Asian wide characters take two.
size_t DisplayWidth(std::string_view text);

std::string PadLeft(std::string_view text, size_t width);
std::string PadRight(std::string_view text, size_t width);

// Control characters and broken UTF-8 from symbol tables and file names must not reach a terminal.
std::string Printable(std::string_view text);

// At most `width` columns: parameter lists go first, then template arguments, then the middle.
std::string ShortName(std::string_view name, size_t width, const Ink& ink);

// At most `width` columns: what is cut is cut from the left.
std::string KeepTail(std::string_view text, size_t width, const Ink& ink);

// "a > b > c" in at most `width` columns: names are shortened, and callers left out from the left.
std::string ShortPath(const std::vector<std::string_view>& names, size_t width, const Ink& ink);

// Broken at words; lines after the first begin with `indent` blanks, and so does what is put before the first.
std::string Wrapped(const std::string& first, const std::string& text, size_t indent, size_t width);

// "label    text", wrapped at words to the width, with the label's indent kept.
std::string Labelled(const std::string& label, const std::string& text, size_t width);

// * stands for any text, ? for one byte. A pattern without either must be the whole text.
bool Matches(std::string_view pattern, std::string_view text);

}  // namespace epik::report

#endif  // EPIK_REPORT_FORMAT_H_
