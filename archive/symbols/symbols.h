// SPDX-License-Identifier: BSD-3-Clause
// Addresses of functions become names, files and lines: at the end of a measured program (from a library that is
// loaded only then) or later in `epk`.
//
// An address is always given as the runtime address minus the load bias of its module (dl_phdr_info.dlpi_addr, not the
// start of the mapping). That is the virtual address the ELF file itself uses, whatever the kind of module: for
// position-independent programs and shared libraries the offset from their load base, for a non-PIE program (bias 0)
// the address as it is, for prelinked libraries the prelinked address.
//
// Nothing here writes to stdout or stderr, and no exception leaves: what cannot be resolved is called
// `libx.so+0x1234`. Objects are used by one thread at a time.
#ifndef EPIK_ARCHIVE_SYMBOLS_SYMBOLS_H_
#define EPIK_ARCHIVE_SYMBOLS_SYMBOLS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace epik::symbols {

struct Budget;

struct Symbol {
  std::string mangled;  // as in the symbol table, with clone suffixes, without version; empty when not found
  std::string name;     // for people: demangled, clones folded; `libx.so+0x1234` when not found
  std::string file;     // where it is defined; empty when there is no debug information
  int line = -1;        // of its declarator
  int end_line = -1;    // of its last code; only with Options::end_lines
  uint64_t offset = 0;  // its start; the asked offset when not found
  bool found = false;
  bool line_left_out = false;  // Options::most_debug_bytes did not allow to look for file and line
};

struct Options {
  bool lines = true;        // read DWARF: file, line, names of Fortran procedures outside modules
  bool end_lines = false;   // read whole line tables too: several times the cost
  bool fold_clones = true;  // `f.constprop.0` is called `f`
  // Of debug information looked into, over all modules; some 4 ms a megabyte. Calls are looked for beyond it, too.
  uint64_t most_debug_bytes = ~uint64_t{0};
  std::vector<std::string> debug_folders = {"/usr/lib/debug"};  // where separate debug files are
};

// One program or shared library.
class Module {
 public:
  // Null, and the reason in *error, when the file is missing, is not a 64-bit ELF program or library, or does not have
  // the expected build-id (hex; empty: any): names out of another build would be wrong.
  static std::unique_ptr<Module> Open(const std::string& path, const std::string& expected_build_id, std::string* error,
                                      const Options& options = {});
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // One symbol for each offset, in the same order. Asking for many at once is cheaper.
  // Empty when memory runs out.
  std::vector<Symbol> ResolveAll(std::span<const uint64_t> offsets);
  std::vector<Symbol> ResolveAll(std::span<const uint64_t> offsets, Budget* budget);
  Symbol Resolve(uint64_t offset);

  // Puts the line of the code at `offset` in place of that of its function, where it is known.
  void UseLineOfCode(uint64_t offset, Symbol* symbol);

  const std::string& build_id() const;  // hex, empty when the file has none

 private:
  struct Contents;
  explicit Module(std::unique_ptr<Contents> contents);

  std::unique_ptr<Contents> contents_;
};

// All modules of a measurement. A file is opened when the first address in it is asked for, and once.
class Symbolizer {
 public:
  struct Address {
    uint32_t module;  // what AddModule returned
    uint64_t offset;
    bool is_call = false;  // of the code, not of the function it is in: its file and line are wanted
  };

  explicit Symbolizer(Options options = {});
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // The same pair gives the same index.
  uint32_t AddModule(const std::string& path, const std::string& build_id);

  // One symbol for each address, in the same order. Empty when memory runs out.
  std::vector<Symbol> ResolveAll(std::span<const Address> addresses);

  // Why modules that were asked for could not be used, one line each.
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
