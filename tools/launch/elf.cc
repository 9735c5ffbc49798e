// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string_view>

namespace epik::launch {
namespace {

constexpr std::string_view kHook = "__cyg_profile_func_enter";
constexpr std::string_view kHookOfLibrary = "__wrap___cyg_profile_func_enter";

void ReadSegments(::Elf* file, Elf& elf) {
  size_t count = 0;
  if (elf_getphdrnum(file, &count) != 0) return;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(file, static_cast<int>(i), &header) == nullptr) continue;
    elf.dynamic = elf.dynamic || header.p_type == PT_DYNAMIC;
    elf.interpreter = elf.interpreter || header.p_type == PT_INTERP;
  }
}

void ReadDynamic(::Elf* file, Elf_Scn* section, const GElf_Shdr& header, Elf& elf) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr || entry.d_tag == DT_NULL) return;
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH) continue;
    const char* text = elf_strptr(file, header.sh_link, entry.d_un.d_val);
    if (text == nullptr) continue;
    if (entry.d_tag == DT_NEEDED) elf.needed.emplace_back(text);
    if (entry.d_tag == DT_RPATH) elf.rpath = text;
    if (entry.d_tag == DT_RUNPATH) elf.runpath = text;
  }
}

void ReadSymbols(::Elf* file, Elf_Scn* section, const GElf_Shdr& header, Elf& elf) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
    const char* name = elf_strptr(file, header.sh_link, symbol.st_name);
    if (name == nullptr || (name != kHook && name != kHookOfLibrary)) continue;
    (symbol.st_shndx == SHN_UNDEF ? elf.wants_hooks : elf.has_own_hooks) = true;
  }
}

void ReadSections(::Elf* file, Elf& elf) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_DYNAMIC) ReadDynamic(file, section, header, elf);
    // A static program has its own copy of the hooks, which only the full table shows.
    if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) ReadSymbols(file, section, header, elf);
  }
}

}  // namespace

Elf ReadElf(const std::string& path) {
  Elf elf;
  elf_version(EV_CURRENT);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return elf;
  ::Elf* file = elf_begin(fd, ELF_C_READ, nullptr);
  GElf_Ehdr header;
  if (file != nullptr && elf_kind(file) == ELF_K_ELF && gelf_getehdr(file, &header) != nullptr &&
      (header.e_type == ET_EXEC || header.e_type == ET_DYN)) {
    elf.valid = true;
    elf.bits = gelf_getclass(file) == ELFCLASS64 ? 64 : 32;
    elf.machine = header.e_machine;
    ReadSegments(file, elf);
    ReadSections(file, elf);
  }
  if (file != nullptr) elf_end(file);
  close(fd);
  return elf;
}

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr int kMachine = EM_PPC64;
#elif defined(__riscv)
constexpr int kMachine = EM_RISCV;
#else
constexpr int kMachine = EM_NONE;  // not known: any will do
#endif

bool IsNative(const Elf& elf) {
  // glibc is libc.so.6; musl is libc.so, or libc.musl-MACHINE.so.1.
  const auto is_other_libc = [](const std::string& name) { return name == "libc.so" || name.starts_with("libc.musl"); };
  return (kMachine == EM_NONE || elf.machine == kMachine) && elf.bits == static_cast<int>(8 * sizeof(void*)) &&
         std::none_of(elf.needed.begin(), elf.needed.end(), is_other_libc);
}

std::string ScriptInterpreter(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[2] = {};
  if (!file.read(start, 2) || start[0] != '#' || start[1] != '!') return "";
  char line[256] = {};
  file.getline(line, sizeof line);
  const std::string_view text = line;
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

}  // namespace epik::launch
