// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/symbols.h"

#include <algorithm>
#include <exception>
#include <numeric>

#include "archive/symbols/debug_info.h"
#include "archive/symbols/elf_file.h"
#include "archive/symbols/names.h"

namespace epik::symbols {
namespace {

std::string Folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Whether `file` was split off from `main`: the build-id decides or, if the linker wrote none, the checksum.
bool BelongsTo(const ElfFile& file, const ElfFile& main) {
  if (!main.build_id().empty()) return file.build_id() == main.build_id();
  return !main.debuglink().empty() && file.Crc() == main.debuglink_crc();
}

// Searches the places where gdb searches, in its order.
std::unique_ptr<ElfFile> FindDebugFile(const ElfFile& main, const Options& options) {
  std::vector<std::string> places;
  const std::string& id = main.build_id();
  for (const std::string& folder : options.debug_folders) {
    if (id.size() > 2) places.push_back(folder + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
  }
  if (!main.debuglink().empty()) {
    const std::string own = Folder(main.path());
    places.push_back(own + "/" + main.debuglink());
    places.push_back(own + "/.debug/" + main.debuglink());
    for (const std::string& folder : options.debug_folders) places.push_back(folder + own + "/" + main.debuglink());
  }
  for (const std::string& place : places) {
    std::string error;
    std::unique_ptr<ElfFile> file = place == main.path() ? nullptr : ElfFile::Open(place, &error);
    if (file != nullptr && BelongsTo(*file, main)) return file;
  }
  return nullptr;
}

Symbol NotFound(const std::string& path, uint64_t offset) {
  Symbol symbol;
  symbol.name = Unresolved(path, offset);
  symbol.offset = offset;
  return symbol;
}

}  // namespace

struct Module::Contents {
  Options options;
  std::unique_ptr<ElfFile> main;
  std::unique_ptr<ElfFile> debug;  // the separate debug file, if it is needed and exists
  SymbolTable table;               // has views of the files above, so it comes after them
  std::unique_ptr<DebugInfo> dwarf;
  bool dwarf_left_out = false;

  void OpenDwarf(const ElfFile& file);
  Symbol Describe(const SymbolTable::Match& match, uint64_t offset, Budget* budget);
};

Module::Module(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}
Module::~Module() = default;

std::unique_ptr<Module> Module::Open(const std::string& path, const std::string& expected_build_id, std::string* error,
                                     const Options& options) try {
  auto contents = std::make_unique<Contents>();
  contents->options = options;
  contents->main = ElfFile::Open(path, error);
  if (contents->main == nullptr) return nullptr;
  const ElfFile& main = *contents->main;
  if (!expected_build_id.empty() && main.build_id() != expected_build_id) {
    *error = path + ": build-id is " + (main.build_id().empty() ? "missing" : main.build_id()) + ", but " +
             expected_build_id + " was measured";
    return nullptr;
  }
  if (!main.has_symtab() || (options.lines && !main.has_debug_info())) {
    contents->debug = FindDebugFile(main, options);
  }
  const ElfFile* debug = contents->debug.get();
  contents->table = SymbolTable(!main.has_symtab() && debug != nullptr && debug->has_symtab() ? *debug : main);
  if (options.lines && main.has_debug_info()) {
    contents->OpenDwarf(main);
  } else if (options.lines && debug != nullptr && debug->has_debug_info()) {
    contents->OpenDwarf(*debug);
  }
  return std::unique_ptr<Module>(new Module(std::move(contents)));
} catch (const std::exception& problem) {
  *error = path + ": " + problem.what();
  return nullptr;
}

std::vector<Symbol> Module::ResolveAll(std::span<const uint64_t> offsets) {
  Budget all;
  return ResolveAll(offsets, &all);
}

std::vector<Symbol> Module::ResolveAll(std::span<const uint64_t> offsets, Budget* budget) try {
  std::vector<size_t> order(offsets.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return offsets[a] < offsets[b]; });
  std::vector<uint64_t> ascending;
  ascending.reserve(order.size());
  for (const size_t i : order) ascending.push_back(offsets[i]);
  const std::vector<SymbolTable::Match> matches = contents_->table.Find(ascending);
  std::vector<Symbol> symbols(offsets.size());
  for (size_t i = 0; i < order.size(); ++i) symbols[order[i]] = contents_->Describe(matches[i], ascending[i], budget);
  return symbols;
} catch (const std::exception&) {
  return {};
}

Symbol Module::Resolve(uint64_t offset) {
  std::vector<Symbol> symbols = ResolveAll({&offset, 1});
  return symbols.empty() ? Symbol() : std::move(symbols.front());
}

void Module::UseLineOfCode(uint64_t offset, Symbol* symbol) try {
  if (contents_->dwarf == nullptr) return;
  symbol->places = contents_->dwarf->FindPlaces(offset);
  if (symbol->places.empty()) return;
  symbol->file = symbol->places.front().file;
  symbol->line = symbol->places.front().line;
  symbol->end_line = -1;
} catch (const std::exception&) {
}

const std::string& Module::build_id() const { return contents_->main->build_id(); }

// libdw unpacks all compressed sections at once, whatever is asked for.
void Module::Contents::OpenDwarf(const ElfFile& file) {
  dwarf_left_out = file.unpacked_debug_bytes() > options.most_debug_bytes;
  if (!dwarf_left_out) dwarf = DebugInfo::Open(file.elf());
}

Symbol Module::Contents::Describe(const SymbolTable::Match& match, uint64_t offset, Budget* budget) {
  Symbol symbol = NotFound(main->path(), offset);
  if (match.name != nullptr) {
    symbol.mangled = match.name;
    // `f@@VERSION`: .symtab has the version in the name, .dynsym elsewhere.
    const size_t version = symbol.mangled.find('@', 1);
    if (version != std::string::npos) symbol.mangled.resize(version);
    symbol.name = ReadableName(symbol.mangled, options.fold_clones);
    symbol.offset = match.start;
    symbol.found = true;
  }
  symbol.line_left_out = dwarf_left_out;
  if (dwarf == nullptr) return symbol;
  SourceFunction source = dwarf->Find(offset, options.end_lines, budget);
  symbol.line_left_out = source.left_out;
  if (!source.found) return symbol;
  symbol.file = std::move(source.file);
  symbol.line = source.line;
  symbol.end_line = source.end_line;
  if (!symbol.found && !source.linkage_name.empty()) {
    symbol.mangled = std::move(source.linkage_name);
    symbol.name = ReadableName(symbol.mangled, options.fold_clones);
    symbol.offset = source.start;
    symbol.found = true;
  }
  // With -g1 the debug information has no modules, but the symbols have them.
  const bool has_scope = source.fortran_name.find("::") != std::string::npos;
  const bool symbol_has = !FortranModuleName(FoldClone(symbol.mangled)).empty();
  if (!source.fortran_name.empty() && (has_scope || !symbol_has)) symbol.name = std::move(source.fortran_name);
  return symbol;
}

Symbolizer::Symbolizer(Options options) : options_(std::move(options)), budget_(std::make_unique<Budget>()) {
  budget_->bytes = options_.most_debug_bytes;
}
Symbolizer::~Symbolizer() = default;

uint32_t Symbolizer::AddModule(const std::string& path, const std::string& build_id) {
  const auto [known, is_new] = known_.try_emplace({path, build_id}, static_cast<uint32_t>(modules_.size()));
  if (is_new) modules_.push_back({path, build_id, nullptr, false});
  return known->second;
}

std::vector<Symbol> Symbolizer::ResolveAll(std::span<const Address> addresses) try {
  std::vector<Symbol> symbols(addresses.size());
  std::vector<bool> asked(modules_.size());
  for (const Address& address : addresses) {
    if (address.module < asked.size()) asked[address.module] = true;
  }
  // Calls come first, because a construct has no other name than its line.
  for (const bool calls : {true, false}) {
    for (uint32_t i = 0; i < asked.size(); ++i) {
      if (asked[i]) ResolveModule(i, addresses, calls, &symbols);
    }
  }
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].name.empty()) symbols[i] = NotFound("", addresses[i].offset);
  }
  return symbols;
} catch (const std::exception&) {
  return {};
}

Module* Symbolizer::Opened(uint32_t index) {
  Entry& entry = modules_[index];
  if (!entry.tried) {
    entry.tried = true;
    std::string error;
    entry.module = Module::Open(entry.path, entry.build_id, &error, options_);
    if (entry.module == nullptr) errors_.push_back(error);
  }
  return entry.module.get();
}

void Symbolizer::ResolveModule(uint32_t index, std::span<const Address> addresses, bool calls,
                               std::vector<Symbol>* symbols) {
  Module* module = Opened(index);
  std::vector<size_t> where;
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (addresses[i].module != index || addresses[i].is_call != calls) continue;
    where.push_back(i);
    offsets.push_back(addresses[i].offset);
  }
  if (where.empty()) return;
  std::vector<Symbol> found;
  Budget all;
  if (module != nullptr) found = module->ResolveAll(offsets, calls ? &all : budget_.get());
  for (size_t i = 0; i < where.size(); ++i) {
    Symbol& symbol = (*symbols)[where[i]];
    symbol = i < found.size() ? std::move(found[i]) : NotFound(modules_[index].path, offsets[i]);
    if (module != nullptr && calls) module->UseLineOfCode(offsets[i], &symbol);
  }
}

}  // namespace epik::symbols
