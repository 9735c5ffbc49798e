// SPDX-License-Identifier: BSD-3-Clause
// Measures resolving: symbols_bench FILE [COUNT] resolves COUNT addresses, spread evenly over the code of FILE, first
// in a file that this process has never opened (the price that a measured program pays at its end), then again.
#include <gelf.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "archive/symbols/elf_file.h"
#include "archive/symbols/symbols.h"

namespace {

using epik::symbols::Module;
using epik::symbols::Options;
using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

std::vector<uint64_t> Spread(const std::string& path, size_t count) {
  std::vector<uint64_t> offsets;
  std::string error;
  const std::unique_ptr<epik::symbols::ElfFile> file = epik::symbols::ElfFile::Open(path, &error);
  if (file == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return offsets;
  }
  uint64_t largest = 0;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file->elf(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_EXECINSTR) == 0) continue;
    if (header.sh_size < largest) continue;
    largest = header.sh_size;
    offsets.clear();
    for (size_t i = 0; i < count; ++i) offsets.push_back(header.sh_addr + header.sh_size * i / count);
  }
  return offsets;
}

void Measure(const char* what, const std::string& path, const std::vector<uint64_t>& offsets, const Options& options) {
  std::vector<double> opens, resolves;
  size_t found = 0, lines = 0;
  for (int round = 0; round < 9; ++round) {
    std::string error;
    const Clock::time_point start = Clock::now();
    const std::unique_ptr<Module> module = Module::Open(path, "", &error, options);
    const Clock::time_point opened = Clock::now();
    if (module == nullptr) return;
    const std::vector<epik::symbols::Symbol> symbols = module->ResolveAll(offsets);
    const Clock::time_point done = Clock::now();
    opens.push_back(Milliseconds(opened - start));
    resolves.push_back(Milliseconds(done - opened));
    found = lines = 0;
    for (const auto& symbol : symbols) {
      found += symbol.found ? 1 : 0;
      lines += symbol.line > 0 ? 1 : 0;
    }
  }
  const double first = opens[0] + resolves[0];
  std::sort(opens.begin(), opens.end());
  std::sort(resolves.begin(), resolves.end());
  std::printf("%-9s first %8.3f ms, median open %7.3f + resolve %8.3f ms; %zu of %zu named, %zu with line\n", what,
              first, opens[4], resolves[4], found, offsets.size(), lines);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::vector<uint64_t> offsets = Spread(argv[1], argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100);
  if (offsets.empty()) return 1;
  Options options;
  Measure("lines", argv[1], offsets, options);
  options.lines = false;
  Measure("names", argv[1], offsets, options);
  options.lines = options.end_lines = true;
  Measure("end lines", argv[1], offsets, options);
  return 0;
}
