// SPDX-License-Identifier: BSD-3-Clause
// The names of critical sections, from the program itself. Compilers keep the lock of `critical(name)` in a variable
// that they call after it, and pass its address to the call that takes it. On x86-64 the instructions in front of the
// call say which variable that is. On other machines, and where the symbols were stripped, no name is found.
#ifndef EPIK_ARCHIVE_SYMBOLS_CRITICAL_NAMES_H_
#define EPIK_ARCHIVE_SYMBOLS_CRITICAL_NAMES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "archive/symbols/elf_file.h"

namespace epik::symbols {

class CriticalNames {
 public:
  // `address`: in the call or just behind it, as the file of the program counts; `function`: where its function begins.
  // "": no name, or none that is known.
  std::string Find(const std::string& program, uint64_t function, uint64_t address);

  struct Lock {
    std::string name;
    bool of_clang = false;
  };
  using Locks = std::map<uint64_t, Lock>;  // by address: of a variable, or of the place that holds its address

 private:
  struct Program {
    std::unique_ptr<ElfFile> file;  // null: it has no such variables
    Locks variables, places;
  };
  static void Read(const std::string& path, Program* program);

  std::map<std::string, Program> programs_;
};

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_CRITICAL_NAMES_H_
