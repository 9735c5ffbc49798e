// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "archive/symbols/build_id.h"

namespace epik::symbols {
namespace {

constexpr int kScansBeforeIndex = 4;

int OpenRegular(const std::string& path, size_t* size, std::string* error) {
  // O_NONBLOCK: if the path is a fifo, the program must not wait.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    *error = path + ": " + std::generic_category().message(errno);
    return -1;
  }
  struct stat status;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    *size = static_cast<size_t>(status.st_size);
    return descriptor;
  }
  *error = path + ": not a regular file";
  close(descriptor);
  return -1;
}

// GLOBAL and WEAK names are those of the source; a LOCAL one at the same place is mostly an alias of the compiler.
int BindingRank(const Elf64_Sym& symbol) { return ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ? 1 : 0; }

size_t LeadingUnderscores(const char* name) { return strncmp(name, "_Z", 2) == 0 ? 0 : strspn(name, "_"); }

}  // namespace

std::unique_ptr<ElfFile> ElfFile::Open(const std::string& path, std::string* error) {
  elf_version(EV_CURRENT);
  size_t size = 0;
  const int descriptor = OpenRegular(path, &size, error);
  if (descriptor < 0) return nullptr;
  std::unique_ptr<ElfFile> file(new ElfFile(path, descriptor));
  // elf_begin calls fstat, which a library of the program may have replaced (runtime/base/own_calls.cc). libdw changes
  // headers of sections in memory when it unpacks them.
  void* bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
  if (bytes != MAP_FAILED) {
    file->bytes_ = {static_cast<char*>(bytes), size};
    file->elf_ = elf_memory(file->bytes_.data(), size);
  } else {
    file->elf_ = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
  }
  GElf_Ehdr header;
  if (file->elf_ == nullptr || elf_kind(file->elf_) != ELF_K_ELF || gelf_getehdr(file->elf_, &header) == nullptr) {
    *error = path + ": not an ELF file";
    return nullptr;
  }
  if (gelf_getclass(file->elf_) != ELFCLASS64 || (header.e_type != ET_EXEC && header.e_type != ET_DYN)) {
    *error = path + ": not a 64-bit program or shared library";
    return nullptr;
  }
  if (!file->ReadSections()) {
    *error = path + ": damaged section table";
    return nullptr;
  }
  BuildId id;
  if (BuildIdOfFile(descriptor, &id)) file->build_id_ = id.Hex();
  return file;
}

ElfFile::~ElfFile() {
  if (elf_ != nullptr) elf_end(elf_);
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  close(descriptor_);
}

bool ElfFile::ReadSections() {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_, &names) != 0) return false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) return false;
    if (header.sh_type == SHT_NOBITS) continue;  // a separate debug file leaves it out
    if (header.sh_type == SHT_SYMTAB) symtab_ = section;
    if (header.sh_type == SHT_DYNSYM) dynsym_ = section;
    const char* name = elf_strptr(elf_, names, header.sh_name);
    if (name == nullptr) continue;
    if (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0) has_debug_info_ = true;
    GElf_Chdr packed;
    if ((header.sh_flags & SHF_COMPRESSED) != 0 && strncmp(name, ".debug_", 7) == 0 &&
        gelf_getchdr(section, &packed) != nullptr) {
      unpacked_debug_bytes_ += packed.ch_size;
    }
    if (strcmp(name, ".gnu_debuglink") == 0) ReadDebuglink(section);
  }
  return true;
}

// The section has a name that ends with NUL, padding up to a multiple of four, and the checksum.
void ElfFile::ReadDebuglink(Elf_Scn* section) {
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return;
  const char* text = static_cast<const char*>(data->d_buf);
  const size_t length = strnlen(text, data->d_size);
  const size_t crc = (length + 4) & ~size_t{3};
  if (length == 0 || crc + sizeof debuglink_crc_ > data->d_size) return;
  // Only a plain name is accepted: a slash could lead out of the folders that are searched.
  if (memchr(text, '/', length) != nullptr) return;
  debuglink_.assign(text, length);
  memcpy(&debuglink_crc_, text + crc, sizeof debuglink_crc_);
}

uint32_t ElfFile::Crc() const {
  size_t size = 0;
  const char* bytes = elf_rawfile(elf_, &size);
  return bytes == nullptr ? 0 : static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes), size));
}

SymbolTable::SymbolTable(const ElfFile& file) {
  GElf_Shdr header;
  if (file.functions() == nullptr || gelf_getshdr(file.functions(), &header) == nullptr) return;
  const Elf_Data* symbols = elf_getdata(file.functions(), nullptr);
  const Elf_Data* names = elf_getdata(elf_getscn(file.elf(), header.sh_link), nullptr);
  if (symbols == nullptr || symbols->d_buf == nullptr || names == nullptr || names->d_buf == nullptr) return;
  names_ = static_cast<const char*>(names->d_buf);
  // The table ends at its last NUL: then every name that begins inside ends inside.
  names_size_ = names->d_size;
  while (names_size_ > 0 && names_[names_size_ - 1] != '\0') --names_size_;
  symbols_ = static_cast<const char*>(symbols->d_buf);
  count_ = static_cast<uint32_t>(std::min<size_t>(symbols->d_size / sizeof(Elf64_Sym), UINT32_MAX));
}

std::vector<SymbolTable::Match> SymbolTable::Find(std::span<const uint64_t> addresses) {
  std::vector<Match> matches(addresses.size());
  if (!indexed_ && ++scans_ > kScansBeforeIndex) BuildIndex();
  if (!indexed_) {
    Scan(addresses, &matches);
    return matches;
  }
  for (size_t i = 0; i < addresses.size(); ++i) {
    auto entry = std::upper_bound(index_.begin(), index_.end(), addresses[i],
                                  [](uint64_t address, const Entry& e) { return address < e.start; });
    uint32_t chosen = 0;
    while (entry != index_.begin() && (--entry)->reach > addresses[i]) {
      if (matches[i].name != nullptr && entry->start < matches[i].start) break;
      if (entry->end > addresses[i]) Consider(*entry, &matches[i], &chosen);
    }
  }
  return matches;
}

std::vector<uint64_t> SymbolTable::Starts() const {
  std::vector<uint64_t> starts;
  Entry entry;
  for (uint32_t i = 0; i < count_; ++i) {
    if (Read(i, &entry)) starts.push_back(entry.start);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

bool SymbolTable::Wants(std::string_view wanted) const {
  for (uint32_t i = 0; i < count_; ++i) {
    const char* name = Name(i);
    if (name == nullptr || strncmp(name, wanted.data(), wanted.size()) != 0) continue;
    if (name[wanted.size()] != '\0' && name[wanted.size()] != '@') continue;
    Elf64_Sym symbol;
    memcpy(&symbol, symbols_ + i * sizeof symbol, sizeof symbol);
    if (symbol.st_shndx == SHN_UNDEF) return true;
  }
  return false;
}

void SymbolTable::Scan(std::span<const uint64_t> addresses, std::vector<Match>* matches) const {
  if (addresses.empty()) return;
  std::vector<uint32_t> chosen(addresses.size());
  Entry entry;
  for (uint32_t i = 0; i < count_; ++i) {
    if (!Read(i, &entry) || entry.end <= addresses.front() || entry.start > addresses.back()) continue;
    auto at = std::lower_bound(addresses.begin(), addresses.end(), entry.start);
    for (; at != addresses.end() && *at < entry.end; ++at) {
      const size_t k = static_cast<size_t>(at - addresses.begin());
      Consider(entry, &(*matches)[k], &chosen[k]);
    }
  }
}

// The innermost function wins: the one with the last start.
void SymbolTable::Consider(const Entry& entry, Match* match, uint32_t* chosen) const {
  if (match->name != nullptr) {
    if (entry.start < match->start) return;
    if (entry.start == match->start && !IsBetter(entry.index, *chosen)) return;
  }
  const char* name = Name(entry.index);
  if (name == nullptr) return;
  *match = {name, entry.start};
  *chosen = entry.index;
}

bool SymbolTable::Read(uint32_t index, Entry* entry) const {
  Elf64_Sym symbol;
  memcpy(&symbol, symbols_ + index * sizeof symbol, sizeof symbol);
  const int type = ELF64_ST_TYPE(symbol.st_info);
  if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) return false;
  const uint64_t size = std::max<uint64_t>(symbol.st_size, 1);
  if (symbol.st_value > UINT64_MAX - size) return false;
  *entry = {symbol.st_value, symbol.st_value + size, index, 0};
  return true;
}

const char* SymbolTable::Name(uint32_t index) const {
  Elf64_Sym symbol;
  memcpy(&symbol, symbols_ + index * sizeof symbol, sizeof symbol);
  if (symbol.st_name >= names_size_ || names_[symbol.st_name] == '\0') return nullptr;
  return names_ + symbol.st_name;
}

// Chooses between two names of one function: a name that is not LOCAL, with few leading underscores (`write`, not
// `__write`), GLOBAL before WEAK, the shorter, the first in the alphabet. The choice does not depend on the order of
// the table.
bool SymbolTable::IsBetter(uint32_t candidate, uint32_t than) const {
  Elf64_Sym a, b;
  memcpy(&a, symbols_ + candidate * sizeof a, sizeof a);
  memcpy(&b, symbols_ + than * sizeof b, sizeof b);
  const char* name_a = Name(candidate);
  const char* name_b = Name(than);
  if (name_a == nullptr || name_b == nullptr) return name_a != nullptr;
  if (BindingRank(a) != BindingRank(b)) return BindingRank(a) < BindingRank(b);
  const size_t underscores_a = LeadingUnderscores(name_a), underscores_b = LeadingUnderscores(name_b);
  if (underscores_a != underscores_b) return underscores_a < underscores_b;
  const bool weak_a = ELF64_ST_BIND(a.st_info) == STB_WEAK, weak_b = ELF64_ST_BIND(b.st_info) == STB_WEAK;
  if (weak_a != weak_b) return weak_b;
  const size_t length_a = strlen(name_a), length_b = strlen(name_b);
  return length_a != length_b ? length_a < length_b : strcmp(name_a, name_b) < 0;
}

void SymbolTable::BuildIndex() {
  Entry entry;
  for (uint32_t i = 0; i < count_; ++i) {
    if (Read(i, &entry)) index_.push_back(entry);
  }
  std::sort(index_.begin(), index_.end(), [](const Entry& a, const Entry& b) { return a.start < b.start; });
  uint64_t reach = 0;
  for (Entry& each : index_) each.reach = reach = std::max(reach, each.end);
  indexed_ = true;
}

}  // namespace epik::symbols
