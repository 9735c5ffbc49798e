// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/function_code.h"

#include <dwarf.h>

#include <algorithm>
#include <set>

#include "archive/symbols/libdw.h"

namespace epik::symbols {
namespace {

// Bounds against damaged files: real ones stay far below.
constexpr int kMaxDepth = 64;
constexpr size_t kMostInlined = 1'000'000;

// The first row of a function that begins at `low`. The function before it may end with a row of that address, which is
// no beginning of a statement.
size_t OwnFirstRow(Dwarf_Lines* lines, size_t count, uint64_t low) {
  const size_t first = FirstRow(lines, count, low);
  for (size_t i = first; i < count; ++i) {
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    bool begins = false;
    if (dwarf_lineaddr(line, &address) != 0 || address != low) break;
    if (dwarf_linebeginstatement(line, &begins) == 0 && begins) return i;
  }
  return first;
}

}  // namespace

size_t FirstRow(Dwarf_Lines* lines, size_t count, uint64_t low) {
  size_t begin = 0;
  for (size_t end = count; begin < end;) {
    const size_t middle = begin + (end - begin) / 2;
    Dwarf_Addr address = 0;
    dwarf_lineaddr(dwarf_onesrcline(lines, middle), &address);
    if (address < low) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

std::string Absolute(const char* file, Dwarf_Die* unit) {
  if (file == nullptr) return "";
  if (file[0] == '/') return file;
  Dwarf_Attribute attribute;
  const char* folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return folder == nullptr ? std::string(file) : std::string(folder) + "/" + file;
}

FunctionCode::FunctionCode(Dwarf_Die function, Dwarf_Die unit) {
  FindInlined(&function, 0);
  Dwarf_Addr base = 0, low = 0, high = 0;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(&function, at, &base, &low, &high)) > 0;) {
    if (low != 0 && low < high) ReadRows(low, high, &unit);
  }
  for (const Row& row : rows_) {
    if (first_line_ < 0 || row.line < first_line_) first_line_ = row.line;
    last_line_ = std::max(last_line_, row.line);
  }
}

void FunctionCode::FindInlined(Dwarf_Die* parent, int depth) {
  Dwarf_Die die;
  if (depth > kMaxDepth || dwarf_child(parent, &die) != 0) return;
  while (inlined_.size() < kMostInlined) {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_lexical_block) FindInlined(&die, depth + 1);
    if (tag == DW_TAG_inlined_subroutine) {
      Dwarf_Attribute attribute;
      Dwarf_Word line = 0;
      if (dwarf_formudata(dwarf_attr(&die, DW_AT_call_line, &attribute), &line) != 0) line = 0;
      Dwarf_Addr base = 0, low = 0, high = 0;
      for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;) {
        if (low != 0 && low < high) inlined_.push_back({low, high, static_cast<int>(line), die});
      }
    }
    // A damaged sibling reference could lead backwards and for ever.
    const void* here = die.addr;
    if (dwarf_siblingof(&die, &die) != 0 || die.addr <= here) break;
  }
  if (depth > 0) return;
  std::sort(inlined_.begin(), inlined_.end(), [](const Inlined& a, const Inlined& b) { return a.low < b.low; });
}

void FunctionCode::ReadRows(uint64_t low, uint64_t high, Dwarf_Die* unit) {
  Dwarf_Lines* lines = nullptr;
  size_t count = 0;
  if (dwarf_getsrclines(unit, &lines, &count) != 0) return;
  struct Raw {
    Row row;
    std::string file;
    const Inlined* inlined;
  };
  std::vector<Raw> table;
  std::set<int> foreign;  // lines of functions that were inlined here
  std::set<int> calls;    // lines of their calls: the caller has code within their ranges, too
  for (const Inlined& inlined : inlined_) calls.insert(inlined.call_line);
  for (size_t i = OwnFirstRow(lines, count, low); i < count; ++i) {
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    int number = 0, column = 0;
    if (dwarf_lineaddr(line, &address) != 0 || address >= high) break;
    if (dwarf_lineno(line, &number) != 0 || number <= 0) continue;
    if (dwarf_linecol(line, &column) != 0) column = 0;
    const Inlined* inlined = At(address);
    if (inlined != nullptr && calls.count(number) == 0) foreign.insert(number);
    table.push_back({{address, number, column}, Absolute(dwarf_linesrc(line, nullptr, nullptr), unit), inlined});
  }
  int before = -1;
  for (const Raw& raw : table) {
    if (file_.empty() && raw.inlined == nullptr) file_ = raw.file;
    int line = raw.row.line;
    // Compilers leave some code of an inlined function outside of its range.
    const bool is_foreign = raw.file != file_ || foreign.count(line) != 0;
    if (raw.inlined != nullptr) {
      line = raw.inlined->call_line;
    } else if (is_foreign) {
      line = before;
    }
    if (line <= 0) continue;
    before = line;
    rows_.push_back({raw.row.address, line, line == raw.row.line ? raw.row.column : 0});
  }
}

const FunctionCode::Inlined* FunctionCode::At(uint64_t address) const {
  auto at = std::upper_bound(inlined_.begin(), inlined_.end(), address,
                             [](uint64_t a, const Inlined& inlined) { return a < inlined.low; });
  return at == inlined_.begin() || address >= (--at)->high ? nullptr : &*at;
}

bool FunctionCode::InlinedAt(uint64_t address, Dwarf_Die* inlined) const {
  const Inlined* found = At(address);
  if (found != nullptr) *inlined = found->die;
  return found != nullptr;
}

bool FunctionCode::Find(uint64_t address, CodePlace* place) const {
  if (rows_.empty() || file_.empty()) return false;
  // A function may have several pieces, which come one after the other here. The first row of its start belongs to
  // itself, not to inlined code.
  size_t last = rows_.size();
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].address <= address && (last == rows_.size() || rows_[i].address >= rows_[last].address)) last = i;
  }
  if (last == rows_.size()) return false;
  if (rows_[last].address == rows_.front().address) last = 0;
  *place = {file_, rows_[last].line, rows_[last].column, -1, first_line_, last_line_, rows_.front().address};
  for (size_t i = last + 1; i < rows_.size() && place->next_line < 0; ++i) {
    if (rows_[i].line != place->line) place->next_line = rows_[i].line;
  }
  return true;
}

std::vector<CodePlace> CodePlaces::Find(uint64_t address, Dwarf_Die function, Dwarf_Die unit) {
  std::vector<CodePlace> places;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const auto at = known_.try_emplace(function.addr, function, unit).first;
    CodePlace place;
    if (at->second.Find(address, &place)) places.push_back(std::move(place));
    if (!at->second.InlinedAt(address, &function)) break;
  }
  std::reverse(places.begin(), places.end());
  return places;
}

}  // namespace epik::symbols
