// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/communication.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "view/number.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::report {
namespace {

constexpr std::string_view kPairsHeader = "from,to,messages,bytes";

// Reads whole numbers, separated by commas, and nothing else.
bool ParseLine(std::string_view line, std::array<uint64_t, 4>* fields) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (size_t i = 0; i < fields->size(); ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return false;
    const auto [next, failed] = std::from_chars(at, end, (*fields)[i]);
    if (failed != std::errc()) return false;
    at = next;
  }
  return at == end && (*fields)[0] <= UINT32_MAX - 1 && (*fields)[1] <= UINT32_MAX - 1;
}

std::string Blanks(size_t n) { return std::string(n, ' '); }

}  // namespace

bool ParseCommunication(const std::string& text, std::vector<Traffic>* traffic, std::string* error) {
  traffic->clear();
  size_t number = 0;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line(text.data() + at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at = end + 1;
    if (number == 0) {
      if (line == kPairsHeader) continue;
      *error = "line 1 is not \"" + std::string(kPairsHeader) + "\"";
      return false;
    }
    if (line.empty()) continue;
    std::array<uint64_t, 4> f = {};
    if (!ParseLine(line, &f)) {
      *error = "line " + std::to_string(number + 1) + " is not four whole numbers";
      return false;
    }
    traffic->push_back({static_cast<uint32_t>(f[0]), static_cast<uint32_t>(f[1]), f[2], f[3]});
  }
  if (number == 0) *error = "it is empty";
  return number != 0;
}

Sheet MatrixSheet(const std::vector<Traffic>& traffic) {
  Sheet sheet{"communication",
              {{"from", "from"}, {"to", "to"}, {"messages", "messages"}, {"bytes", "bytes", Unit::kBytes}},
              {}};
  for (const Traffic& t : traffic) sheet.rows.push_back({uint64_t{t.from}, uint64_t{t.to}, t.messages, t.bytes});
  return sheet;
}

namespace {

// Bytes between blocks of `block` ranks, with a row for each sender. Less than zero: no message.
constexpr double kNoMessage = -1;
std::vector<double> Blocks(const std::vector<Traffic>& traffic, size_t side, size_t block) {
  std::vector<double> cells(side * side, kNoMessage);
  for (const Traffic& t : traffic) {
    const size_t row = t.from / block, column = t.to / block;
    if (row >= side || column >= side || t.messages == 0) continue;
    double& cell = cells[row * side + column];
    cell = std::max(cell, 0.0) + static_cast<double>(t.bytes);
  }
  return cells;
}

std::string Numbers(const std::vector<double>& cells, size_t ranks, size_t column, const view::Terminal& terminal) {
  const size_t label = std::to_string(ranks - 1).size() + 5;
  std::string out = view::PadRight("from\\to", label);
  for (size_t to = 0; to < ranks; ++to) out += view::PadLeft(std::to_string(to), column);
  out += "\n";
  for (size_t from = 0; from < ranks; ++from) {
    out += view::PadLeft(std::to_string(from), label);
    for (size_t to = 0; to < ranks; ++to) {
      const double bytes = cells[from * ranks + to];
      const std::string text = view::PadLeft(bytes < 0 ? "." : view::Bytes(bytes), column);
      out += bytes < 0 ? terminal.Dim(text) : text;
    }
    out += "\n";
  }
  return out;
}

std::string Heat(const std::vector<double>& cells, size_t side, size_t block, size_t ranks,
                 const view::Terminal& terminal) {
  static constexpr std::array<std::string_view, 5> kUnicode = {"·", "░", "▒", "▓", "█"};
  static constexpr std::array<std::string_view, 5> kAscii = {".", "-", "+", "*", "#"};
  const auto& shades = terminal.unicode ? kUnicode : kAscii;
  const double most = std::max(*std::max_element(cells.begin(), cells.end()), 0.0);
  const size_t label = std::to_string(ranks - 1).size();
  std::string out;
  for (size_t from = 0; from < side; ++from) {
    out += view::PadLeft(std::to_string(from * block), std::max<size_t>(label, 7)) + " ";
    for (size_t to = 0; to < side; ++to) {
      const double bytes = cells[from * side + to];
      const double share = bytes > 0 ? bytes / most : 0;
      out += shades[bytes < 0 ? 0 : 1 + static_cast<size_t>(std::min(3.0, std::floor(4 * share)))];
    }
    out += "\n";
  }
  out += Blanks(std::max<size_t>(label, 7) + 1) + "columns: to rank 0 ... " + std::to_string(ranks - 1) +
         (block > 1 ? ", " + std::to_string(block) + " ranks a character" : "") + "; " + std::string(shades[4]) +
         " is " + view::Bytes(most * 0.75) + " to " + view::Bytes(most) + "\n";
  return out;
}

}  // namespace

std::string DrawMatrix(const std::vector<Traffic>& traffic, size_t ranks, const view::Terminal& terminal) {
  for (const Traffic& t : traffic) ranks = std::max<size_t>(ranks, std::max(t.from, t.to) + size_t{1});
  if (ranks == 0 || traffic.empty()) return "No messages between ranks.\n";
  constexpr size_t kColumn = 10, kLabel = 10;  // two blanks and "1023 MiB"
  if (kLabel + ranks * kColumn <= terminal.width) return Numbers(Blocks(traffic, ranks, 1), ranks, kColumn, terminal);
  const size_t room = std::clamp<size_t>(terminal.width - kLabel, 8, 64);
  const size_t block = (ranks + room - 1) / room;
  const size_t side = (ranks + block - 1) / block;
  return Heat(Blocks(traffic, side, block), side, block, ranks, terminal);
}

}  // namespace epik::report
