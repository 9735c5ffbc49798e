// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/critical_names.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace epik::symbols {
namespace {

using Lock = CriticalNames::Lock;
using Locks = CriticalNames::Locks;

constexpr std::string_view kPrefix = ".gomp_critical_user_", kSuffix = ".var";  // clang uses both
constexpr uint64_t kReach = 64 << 10;                                           // bytes of code before the call
constexpr uint64_t kNear = 32;     // bytes of it in which the arguments of the call are set
constexpr int kRdi = 7, kRdx = 2;  // the register of the lock in gcc's call, and in clang's

std::optional<Lock> LockOf(const char* symbol) {
  std::string_view name = symbol == nullptr ? "" : symbol;
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  const bool of_clang = name.ends_with(kSuffix);
  if (of_clang) name.remove_suffix(kSuffix.size());
  return Lock{std::string(name), of_clang};
}

// A section with a table, and the section with its names or symbols.
struct Table {
  Elf_Data* data = nullptr;
  int count = 0;
  size_t link = 0;
};

Table TableOf(Elf_Scn* section) {
  GElf_Shdr header;
  Elf_Data* data = elf_getdata(section, nullptr);
  if (gelf_getshdr(section, &header) == nullptr || data == nullptr || header.sh_entsize == 0) return {};
  return {data, static_cast<int>(std::min<size_t>(data->d_size / header.sh_entsize, INT32_MAX)), header.sh_link};
}

void ReadSymbols(Elf* elf, Elf_Scn* section, Locks* variables) {
  const Table table = TableOf(section);
  for (int i = 0; i < table.count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(table.data, i, &symbol) == nullptr) return;
    if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_value == 0) continue;
    if (auto lock = LockOf(elf_strptr(elf, table.link, symbol.st_name))) variables->emplace(symbol.st_value, *lock);
  }
}

// Shared libraries have places for the addresses of their variables, which the loader fills.
void ReadPlaces(Elf* elf, Elf_Scn* section, Locks* places) {
  const Table table = TableOf(section);
  Elf_Scn* symbol_section = elf_getscn(elf, table.link);
  if (table.count == 0 || symbol_section == nullptr) return;
  const Table symbols = TableOf(symbol_section);
  for (int i = 0; symbols.count != 0 && i < table.count; ++i) {
    GElf_Rela place;
    GElf_Sym symbol;
    if (gelf_getrela(table.data, i, &place) == nullptr) return;
    const auto number = GELF_R_SYM(place.r_info);
    if (GELF_R_TYPE(place.r_info) != R_X86_64_GLOB_DAT || number >= static_cast<uint64_t>(symbols.count)) continue;
    if (gelf_getsym(symbols.data, static_cast<int>(number), &symbol) == nullptr) continue;
    if (auto lock = LockOf(elf_strptr(elf, symbols.link, symbol.st_name))) places->emplace(place.r_offset, *lock);
  }
}

// Code of a program. Addresses are those of its file.
struct Code {
  std::string_view bytes;
  uint64_t begin = 0;                     // of `bytes`
  uint64_t text_begin = 0, text_end = 0;  // range of the segment

  unsigned char At(size_t i) const { return static_cast<unsigned char>(bytes[i]); }
  int64_t Number(size_t i) const {
    int32_t number;
    std::memcpy(&number, bytes.data() + i, sizeof number);
    return number;
  }
};

Code CodeBetween(Elf* elf, uint64_t begin, uint64_t end) {
  size_t count = 0, size = 0;
  const char* file = elf_rawfile(elf, &size);
  if (file == nullptr || begin >= end || elf_getphdrnum(elf, &count) != 0) return {};
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) return {};
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0 || header.p_offset > size) continue;
    const uint64_t length = std::min(header.p_filesz, size - header.p_offset);
    if (begin < header.p_vaddr || end - header.p_vaddr > length) continue;
    return {{file + header.p_offset + (begin - header.p_vaddr), end - begin},
            begin,
            header.p_vaddr,
            header.p_vaddr + length};
  }
  return {};
}

// Returns the lock whose address the instruction at `i` loads into a register.
const Lock* Loaded(const Code& code, size_t i, int reg, const Locks& variables, const Locks& places) {
  const auto at = [](const Locks& locks, uint64_t address) {
    const auto found = locks.find(address);
    return found == locks.end() ? nullptr : &found->second;
  };
  const size_t left = code.bytes.size() - i;
  const int high = reg >> 3, low = reg & 7;
  if (left >= 7 && code.At(i) == (high != 0 ? 0x4c : 0x48) && code.At(i + 2) == (low << 3 | 5)) {
    const uint64_t target = code.begin + i + 7 + static_cast<uint64_t>(code.Number(i + 3));
    if (code.At(i + 1) == 0x8d) return at(variables, target);  // lea
    if (code.At(i + 1) == 0x8b) return at(places, target);     // mov, from the place that has the address
  }
  // mov of a number, in two encodings, for a program that is not position-independent.
  if (left >= 7 && code.At(i) == (high != 0 ? 0x49 : 0x48) && code.At(i + 1) == 0xc7 &&
      code.At(i + 2) == (0xc0 | low)) {
    return at(variables, static_cast<uint32_t>(code.Number(i + 3)));
  }
  const size_t prefix = high != 0 ? 1 : 0;
  const bool moves = left >= 5 + prefix && (prefix == 0 || code.At(i) == 0x41) && code.At(i + prefix) == (0xb8 | low);
  return moves ? at(variables, static_cast<uint32_t>(code.Number(i + prefix + 1))) : nullptr;
}

// Returns the register that the instruction at `i` copies into `reg`, one of the lower eight; negative when it does
// something else.
int Copied(const Code& code, size_t i, int reg) {
  if (code.bytes.size() - i < 3 || code.At(i + 1) != 0x89 || (code.At(i + 2) & 0xc7) != (0xc0 | reg)) return -1;
  const int low = code.At(i + 2) >> 3 & 7;
  return code.At(i) == 0x48 ? low : code.At(i) == 0x4c ? low | 8 : -1;
}

bool IsCall(const Code& code, size_t i) {
  if (code.bytes.size() - i < 5 || code.At(i) != 0xe8) return false;
  const uint64_t target = code.begin + i + 5 + static_cast<uint64_t>(code.Number(i + 1));
  return target >= code.text_begin && target < code.text_end;
}

// Compilers set the register just before the call, or copy it from one that keeps the address.
const Lock* PassedIn(const Code& code, int reg, const Locks& variables, const Locks& places) {
  const size_t end = code.bytes.size();
  for (size_t i = end; i-- > 0 && end - i <= kNear;) {
    if (IsCall(code, i)) return nullptr;  // the code before it prepares that call
    if (const Lock* lock = Loaded(code, i, reg, variables, places)) return lock;
    const int from = Copied(code, i, reg);
    if (from < 0) continue;
    while (i-- > 0) {
      if (const Lock* lock = Loaded(code, i, from, variables, places)) return lock;
    }
    return nullptr;
  }
  return nullptr;
}

}  // namespace

void CriticalNames::Read(const std::string& path, Program* program) {
  std::string error;
  program->file = ElfFile::Open(path, &error);
  if (program->file == nullptr) return;
  Elf* elf = program->file->elf();
  GElf_Ehdr header;
  const bool understood = gelf_getehdr(elf, &header) != nullptr && header.e_machine == EM_X86_64;
  for (Elf_Scn* section = nullptr; understood && (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr what;
    if (gelf_getshdr(section, &what) == nullptr) break;
    if (what.sh_type == SHT_SYMTAB || what.sh_type == SHT_DYNSYM) ReadSymbols(elf, section, &program->variables);
    if (what.sh_type == SHT_RELA) ReadPlaces(elf, section, &program->places);
  }
  if (program->variables.empty() && program->places.empty()) program->file.reset();
}

std::string CriticalNames::Find(const std::string& path, uint64_t function, uint64_t address) {
  const auto [at, is_new] = programs_.try_emplace(path);
  const Program& program = at->second;
  if (is_new) Read(path, &at->second);
  if (program.file == nullptr) return "";
  const uint64_t begin = std::max(function, address > kReach ? address - kReach : 0);
  // The address may be the one behind the call, or one less.
  for (const uint64_t behind : {address, address + 1}) {
    Code code = CodeBetween(program.file->elf(), begin, behind);
    const size_t size = code.bytes.size();
    const bool direct = size > 5 && code.At(size - 5) == 0xe8;
    const bool indirect = size > 6 && code.At(size - 6) == 0xff && code.At(size - 5) == 0x15;
    if (!direct && !indirect) continue;
    code.bytes.remove_suffix(direct ? 5 : 6);
    for (const int reg : {kRdi, kRdx}) {
      const Lock* lock = PassedIn(code, reg, program.variables, program.places);
      if (lock != nullptr && lock->of_clang == (reg == kRdx)) return lock->name;
    }
  }
  return "";
}

}  // namespace epik::symbols
