// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/debug_info.h"

#include <dwarf.h>

#include <algorithm>

#include "archive/symbols/libdw.h"
#include "archive/symbols/names.h"

namespace epik::symbols {
namespace {

// Bounds against damaged files: real ones stay far below.
constexpr int kMaxDepth = 64;
constexpr size_t kMaxFiles = 10'000;  // files of a unit
constexpr size_t kMaxEntries = 50'000'000;

bool IsFortran(Dwarf_Die* unit) {
  switch (dwarf_srclang(unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
    case 0x2d:               // Fortran 2018 and
    case 0x45: return true;  // 2023, which DWARF 5 added after elfutils 0.188
    default: return false;
  }
}

// Whether an entry can contain the body of a function. Classes hold declarations only, and their functions are defined
// outside. Local classes and lambdas of a function are the exception.
bool IsContainer(int tag, bool in_function) {
  switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module: return true;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type: return in_function;
    default: return false;
  }
}

// dwarf_decl_file is not used, because it aborts the program if a unit has no file table.
std::string DeclaredIn(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &number) != 0) return "";
  // The number refers to the unit that holds the attribute. With link-time optimization that may be another unit.
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_cu_die(attribute.cu, &unit, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr) return "";
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count) return "";
  return Absolute(dwarf_filesrc(files, number, nullptr, nullptr), &unit);
}

std::vector<std::string> FilesOf(Dwarf_Die* unit) {
  std::vector<std::string> names;
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0) return names;
  for (size_t i = 0; i < std::min(count, kMaxFiles); ++i) {
    names.push_back(Absolute(dwarf_filesrc(files, i, nullptr, nullptr), unit));
  }
  return names;
}

std::string LinkageName(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
  if (name == nullptr) name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
  if (name == nullptr) name = dwarf_diename(die);
  return name == nullptr ? "" : name;
}

// The last line of the function's own file with code: its closing line, unless that was optimized away.
int LastLine(Dwarf_Die* unit, uint64_t low, uint64_t high, const std::string& file) {
  Dwarf_Lines* lines = nullptr;
  size_t count = 0;
  int last = -1;
  if (dwarf_getsrclines(unit, &lines, &count) != 0) return last;
  for (size_t i = FirstRow(lines, count, low); i < count; ++i) {
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    int number = 0;
    if (dwarf_lineaddr(line, &address) != 0 || address >= high) break;
    if (dwarf_lineno(line, &number) != 0 || number <= last) continue;
    if (Absolute(dwarf_linesrc(line, nullptr, nullptr), unit) == file) last = number;
  }
  return last;
}

// The size of a unit in .debug_info; 0 when it is not known.
uint64_t BytesOfUnit(Dwarf_Die* die) {
  const Dwarf_Off begin = dwarf_dieoffset(die) - dwarf_cuoffset(die);
  Dwarf_Off end = 0;
  size_t header = 0;
  if (dwarf_nextcu(dwarf_cu_getdwarf(die->cu), begin, &end, &header, nullptr, nullptr, nullptr) != 0) return 0;
  return end > begin ? end - begin : 0;
}

}  // namespace

// State of one walk through a unit.
struct DebugInfo::Walk {
  Unit* unit;
  size_t entries = 0;
};

std::unique_ptr<DebugInfo> DebugInfo::Open(Elf* elf) {
  if (!LoadLibdw()) return nullptr;
  Dwarf* dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
  return dwarf == nullptr ? nullptr : std::unique_ptr<DebugInfo>(new DebugInfo(dwarf));
}

DebugInfo::~DebugInfo() { dwarf_end(dwarf_); }

// A line table takes about as long to read as the rest of its unit.
bool DebugInfo::AllowLines(Unit* unit, Budget* budget) {
  if (unit->lines_allowed) return true;
  const uint64_t bytes = BytesOfUnit(&unit->die);
  if (bytes > budget->bytes) return false;
  budget->bytes -= bytes;
  unit->lines_allowed = true;
  return true;
}

SourceFunction DebugInfo::Find(uint64_t address, bool end_lines, Budget* budget) {
  SourceFunction result;
  Unit* unit = nullptr;
  const Function* function = FindFunction(address, budget, &unit, &result.left_out);
  if (function == nullptr) return result;
  Describe(*function, unit, &result);
  if (end_lines && result.line > 0 && AllowLines(unit, budget)) {
    result.end_line = LastLine(&unit->die, function->low, function->high, result.file);
    if (result.end_line < result.line) result.end_line = -1;
  }
  return result;
}

std::vector<CodePlace> DebugInfo::FindPlaces(uint64_t address) {
  Unit* unit = nullptr;
  Budget all;
  bool left_out = false;
  const Function* function = FindFunction(address, &all, &unit, &left_out);
  if (function == nullptr) return {};
  std::vector<CodePlace> places = places_.Find(address, function->die, unit->die);
  if (!places.empty() && unit->files == nullptr) {
    unit->files = std::make_shared<const std::vector<std::string>>(FilesOf(&unit->die));
  }
  for (CodePlace& place : places) place.files = unit->files;
  return places;
}

const DebugInfo::Function* DebugInfo::FindFunction(uint64_t address, Budget* budget, Unit** unit, bool* left_out) {
  const auto in_unit = [&](Dwarf_Die die) -> const Function* {
    *unit = Load(die, budget);
    *left_out = *unit == nullptr;
    if (*left_out) return nullptr;
    const std::vector<Function>& functions = (*unit)->functions;
    auto at = std::upper_bound(functions.begin(), functions.end(), address,
                               [](uint64_t a, const Function& f) { return a < f.low; });
    if (at == functions.begin()) return nullptr;
    --at;
    // Functions that the linker folded into one have the same start: always takes the one that is described first.
    while (at != functions.begin() && std::prev(at)->low == at->low) --at;
    return address < at->high ? &*at : nullptr;
  };
  // .debug_aranges names the unit at once, but clang does not write it, and discarded code is in it at address 0. If it
  // gives no unit, the units' own ranges decide.
  Dwarf_Die die;
  if (dwarf_addrdie(dwarf_, address, &die) != nullptr) {
    const Function* function = in_unit(die);
    if (function != nullptr || *left_out) return function;
  }
  if (!has_ranges_) ReadRanges();
  auto at = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                             [](uint64_t a, const Range& range) { return a < range.low; });
  if (at == ranges_.begin() || address >= (--at)->high) return nullptr;
  return dwarf_offdie(dwarf_, at->unit, &die) == nullptr ? nullptr : in_unit(die);
}

DebugInfo::Unit* DebugInfo::Load(Dwarf_Die skeleton, Budget* budget) {
  std::unique_ptr<Unit>& unit = units_[dwarf_dieoffset(&skeleton)];
  if (unit != nullptr) return unit.get();
  // Split DWARF: the functions are in the .dwo file, if it can be found.
  Dwarf_Die whole, split, die = skeleton;
  uint8_t kind = 0;
  if (dwarf_cu_info(skeleton.cu, nullptr, &kind, &whole, &split, nullptr, nullptr, nullptr) == 0 &&
      kind == DW_UT_skeleton && split.addr != nullptr) {
    die = split;
  }
  const uint64_t bytes = BytesOfUnit(&die);
  if (bytes > budget->bytes) return nullptr;
  budget->bytes -= bytes;
  unit = std::make_unique<Unit>();
  unit->die = die;
  unit->fortran = IsFortran(&unit->die);
  Walk walk{unit.get()};
  ReadFunctions(&unit->die, &walk, -1, false, 0);
  std::stable_sort(unit->functions.begin(), unit->functions.end(),
                   [](const Function& a, const Function& b) { return a.low < b.low; });
  return unit.get();
}

void DebugInfo::ReadRanges() {
  has_ranges_ = true;
  Dwarf_Die die;
  for (Dwarf_CU* unit = nullptr; dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0;) {
    Dwarf_Addr base = 0, low = 0, high = 0;
    const Dwarf_Off offset = dwarf_dieoffset(&die);
    for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;) {
      if (low != 0 && low < high) ranges_.push_back({low, high, offset});
    }
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.low != b.low ? a.low < b.low : a.unit < b.unit; });
}

void DebugInfo::ReadFunctions(Dwarf_Die* parent, Walk* walk, int scope, bool in_function, int depth) {
  Dwarf_Die die;
  if (depth > kMaxDepth || dwarf_child(parent, &die) != 0) return;
  Unit* unit = walk->unit;
  while (++walk->entries < kMaxEntries) {
    const int tag = dwarf_tag(&die);
    if (IsContainer(tag, in_function)) {
      if (tag == DW_TAG_subprogram) AddFunction(&die, unit, scope);
      int inner = scope;
      if (unit->fortran && (tag == DW_TAG_module || tag == DW_TAG_subprogram) && dwarf_haschildren(&die) > 0) {
        const char* name = dwarf_diename(&die);
        unit->scopes.push_back({name == nullptr ? "" : name, scope});
        inner = static_cast<int>(unit->scopes.size()) - 1;
      }
      ReadFunctions(&die, walk, inner, in_function || tag == DW_TAG_subprogram, depth + 1);
    }
    // A damaged sibling reference could lead backwards and for ever.
    const void* here = die.addr;
    if (dwarf_siblingof(&die, &die) != 0 || die.addr <= here) return;
  }
}

void DebugInfo::AddFunction(Dwarf_Die* die, Unit* unit, int scope) {
  Dwarf_Addr base = 0, low = 0, high = 0;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;) {
    // Code that the linker discarded is at 0: other copies of an inline function.
    if (low != 0 && low < high) unit->functions.push_back({low, high, *die, scope});
  }
}

void DebugInfo::Describe(const Function& function, Unit* unit, SourceFunction* out) {
  Dwarf_Die die = function.die;
  out->found = true;
  Dwarf_Addr start = 0;
  out->start = dwarf_entrypc(&die, &start) == 0 ? start : function.low;
  out->linkage_name = LinkageName(&die);
  if (dwarf_decl_line(&die, &out->line) != 0) out->line = -1;
  if (out->line > 0) out->file = DeclaredIn(&die);
  if (out->file.empty()) {
    // A function made by the compiler, such as an OpenMP body, has no declaration: its line is that of its first code.
    Dwarf_Line* line = dwarf_getsrc_die(&unit->die, function.low);
    if (line == nullptr || dwarf_lineno(line, &out->line) != 0 || out->line <= 0) out->line = -1;
    if (out->line > 0) out->file = Absolute(dwarf_linesrc(line, nullptr, nullptr), &unit->die);
  }
  const char* name = dwarf_diename(&die);
  if (!unit->fortran || name == nullptr) return;
  std::string outer;
  for (int scope = function.scope; scope >= 0; scope = unit->scopes[static_cast<size_t>(scope)].parent) {
    const std::string& part = unit->scopes[static_cast<size_t>(scope)].name;
    if (!part.empty()) outer = outer.empty() ? part : part + "::" + outer;
  }
  const std::string_view omp = OmpSuffix(name);
  if (!omp.empty()) {
    // The name of an OpenMP body is the symbol of its parent, and its scope is the parent.
    if (!outer.empty()) out->fortran_name = outer + std::string(omp);
    return;
  }
  out->fortran_name = outer.empty() ? name : outer + "::" + name;
}

}  // namespace epik::symbols
