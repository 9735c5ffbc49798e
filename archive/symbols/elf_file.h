// SPDX-License-Identifier: BSD-3-Clause
// An ELF file opened for reading, and the functions in its symbol table.
#ifndef EPIK_ARCHIVE_SYMBOLS_ELF_FILE_H_
#define EPIK_ARCHIVE_SYMBOLS_ELF_FILE_H_

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace epik::symbols {

// A 64-bit program, shared library or separate debug file. It is mapped and not read, so that a debug file of gigabytes
// costs only the pages that are used.
class ElfFile {
 public:
  static std::unique_ptr<ElfFile> Open(const std::string& path, std::string* error);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  Elf* elf() const { return elf_; }
  const std::string& path() const { return path_; }
  const std::string& build_id() const { return build_id_; }  // hex; empty if the file lacks it
  bool has_symtab() const { return symtab_ != nullptr; }
  bool has_debug_info() const { return has_debug_info_; }
  uint64_t unpacked_debug_bytes() const { return unpacked_debug_bytes_; }  // size of compressed sections when unpacked
  Elf_Scn* functions() const { return symtab_ != nullptr ? symtab_ : dynsym_; }

  // File name and checksum of the separate debug file; the name is empty when the file has no .gnu_debuglink.
  const std::string& debuglink() const { return debuglink_; }
  uint32_t debuglink_crc() const { return debuglink_crc_; }
  uint32_t Crc() const;  // of the whole file, as .gnu_debuglink has it

 private:
  ElfFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  bool ReadSections();
  void ReadDebuglink(Elf_Scn* section);

  std::string path_;
  int descriptor_;
  std::span<char> bytes_;
  Elf* elf_ = nullptr;
  std::string build_id_;
  Elf_Scn* symtab_ = nullptr;
  Elf_Scn* dynsym_ = nullptr;
  bool has_debug_info_ = false;
  uint64_t unpacked_debug_bytes_ = 0;
  std::string debuglink_;
  uint32_t debuglink_crc_ = 0;
};

// Views of the symbol table of an ElfFile. The file must live as long.
class SymbolTable {
 public:
  struct Match {
    const char* name = nullptr;  // null: no function there
    uint64_t start = 0;
  };

  SymbolTable() = default;
  explicit SymbolTable(const ElfFile& file);

  // Finds the function around each address; addresses must ascend. The first few calls scan the table, later ones use
  // an index: a scan is cheaper than a sort when some hundred addresses are looked up among 100 000 functions.
  std::vector<Match> Find(std::span<const uint64_t> addresses);

  // The begins of functions, ascending, each once.
  std::vector<uint64_t> Starts() const;

  // Whether the file imports a symbol of this name, in any version.
  bool Wants(std::string_view name) const;

 private:
  struct Entry {
    uint64_t start;
    uint64_t end;  // one past; a function without size covers its first byte
    uint32_t index;
    uint64_t reach;  // the largest end of this and all earlier entries
  };

  bool Read(uint32_t index, Entry* entry) const;
  const char* Name(uint32_t index) const;
  bool IsBetter(uint32_t candidate, uint32_t than) const;
  void Consider(const Entry& entry, Match* match, uint32_t* chosen) const;
  void Scan(std::span<const uint64_t> addresses, std::vector<Match>* matches) const;
  void BuildIndex();

  const char* symbols_ = nullptr;  // Elf64_Sym, perhaps not aligned
  uint32_t count_ = 0;
  const char* names_ = nullptr;
  size_t names_size_ = 0;
  int scans_ = 0;
  bool indexed_ = false;
  std::vector<Entry> index_;  // by start
};

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_ELF_FILE_H_
