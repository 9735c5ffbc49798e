// SPDX-License-Identifier: BSD-3-Clause
// Finds the names of critical sections in the program itself. Compilers keep the lock of `critical(name)` in a variable
// with a name made from it, and pass its address to the call that takes the lock. On x86-64 the instructions before the
// call show which variable that is. On other machines, and in stripped programs, no name is found.
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
  // `address` is in the call or just behind it, as the file of the program counts; `function` is where its function
  // begins. Returns "" when there is no name, or none is known.
  std::string Find(const std::string& program, uint64_t function, uint64_t address);

  struct Lock {
    std::string name;
    bool of_clang = false;
  };
  using Locks = std::map<uint64_t, Lock>;  // by address: of a variable, or of the place that holds its address

 private:
  struct Program {
    std::unique_ptr<ElfFile> file;  // null when it has no such variables
    Locks variables, places;
  };
  static void Read(const std::string& path, Program* program);

  std::map<std::string, Program> programs_;
};

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_CRITICAL_NAMES_H_
