// SPDX-License-Identifier: BSD-3-Clause
// Turns addresses into names, files and lines: at the end of a measured program, in libepk_archive.so, or later in
// `epk`.
//
// An address is always the runtime address minus the load bias of its module (dl_phdr_info.dlpi_addr, not the start of
// the mapping). That is the virtual address the ELF file itself uses, whatever the kind of module: for
// position-independent programs and shared libraries the offset from their load base, for a non-PIE program (bias 0)
// the address as it is, for prelinked libraries the prelinked address.
//
// These functions write nothing to stdout or stderr, and let no exception out. An address that cannot be resolved gets
// the name `libx.so+0x1234`. One thread at a time may use an object.
#ifndef EPIK_ARCHIVE_SYMBOLS_SYMBOLS_H_
#define EPIK_ARCHIVE_SYMBOLS_SYMBOLS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archive/symbols/code_place.h"

namespace epik::symbols {

struct Budget;

struct Symbol {
  std::string mangled;  // as in the symbol table, with clone suffixes, without version; empty when not found
  std::string name;     // for people: demangled, clones folded; `libx.so+0x1234` when not found
  std::string file;     // of the definition; empty without debug information
  int line = -1;        // line of its declarator
  int end_line = -1;    // of its last code; set only with Options::end_lines
  uint64_t offset = 0;  // its start; or the given offset when not found
  bool found = false;
  bool line_left_out = false;     // Options::most_debug_bytes did not allow the search for file and line
  std::vector<CodePlace> places;  // for a call: in the innermost function first
};

struct Options {
  bool lines = true;        // read DWARF: file, line, names of Fortran procedures outside modules
  bool end_lines = false;   // read whole line tables too: several times the cost
  bool fold_clones = true;  // `f.constprop.0` gets the name `f`
  // The debug information that may be read, in bytes over all modules; reading takes some 4 ms a megabyte. The lines of
  // calls are looked up even beyond this limit.
  uint64_t most_debug_bytes = ~uint64_t{0};
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};  // folders with separate debug files
};

// One program or shared library.
class Module {
 public:
  // Returns null, with the reason in *error, when the file is missing, is not a 64-bit ELF program or library, or has
  // another build-id than expected (hex; empty: any). The names of another build would be wrong.
  static std::unique_ptr<Module> Open(const std::string& path, const std::string& expected_build_id, std::string* error,
                                      const Options& options = {});
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Returns one symbol for each offset, in the same order; none when memory runs out. One call for many offsets is
  // cheaper than many calls.
  std::vector<Symbol> ResolveAll(std::span<const uint64_t> offsets);
  std::vector<Symbol> ResolveAll(std::span<const uint64_t> offsets, Budget* budget);
  Symbol Resolve(uint64_t offset);

  // Replaces the line of the function by the line of the call at `offset`, if debug information has it.
  void UseLineOfCode(uint64_t offset, Symbol* symbol);

  const std::string& build_id() const;  // hex; empty if the file lacks it

 private:
  struct Contents;
  explicit Module(std::unique_ptr<Contents> contents);

  std::unique_ptr<Contents> contents_;
};

// All modules of a measurement. A file is opened once, when an address in it is first asked for.
class Symbolizer {
 public:
  struct Address {
    uint32_t module;  // what AddModule returned
    uint64_t offset;
    bool is_call = false;  // the line of the code is wanted, not that of its function
  };

  explicit Symbolizer(Options options = {});
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // Adds a module, unless it is known, and returns its index.
  uint32_t AddModule(const std::string& path, const std::string& build_id);

  // Returns one symbol for each address, in the same order. The result is empty when memory runs out.
  std::vector<Symbol> ResolveAll(std::span<const Address> addresses);

  // One line for each module that could not be read: the reason.
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  struct Entry {
    std::string path;
    std::string build_id;
    std::unique_ptr<Module> module;
    bool tried = false;
  };
  Module* Opened(uint32_t index);
  void ResolveModule(uint32_t index, std::span<const Address> addresses, bool calls, std::vector<Symbol>* symbols);

  Options options_;
  std::vector<Entry> modules_;
  std::map<std::pair<std::string, std::string>, uint32_t> known_;
  std::unique_ptr<Budget> budget_;
  std::vector<std::string> errors_;
};

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_SYMBOLS_H_
