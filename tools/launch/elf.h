// SPDX-License-Identifier: BSD-3-Clause
//
// The facts about a file that `epk run` needs before it starts it. The file is read, never loaded.
#ifndef EPIK_TOOLS_LAUNCH_ELF_H_
#define EPIK_TOOLS_LAUNCH_ELF_H_

#include <string>
#include <vector>

namespace epik::launch {

struct Elf {
  bool valid = false;    // an ELF program or library
  int bits = 0;          // 32 or 64
  int machine = 0;       // EM_X86_64 …
  bool dynamic = false;  // has a dynamic section: else no library can be preloaded
  bool interpreter = false;
  std::vector<std::string> needed;
  std::string rpath;
  std::string runpath;
  bool wants_hooks = false;    // calls __cyg_profile_func_enter
  bool has_own_hooks = false;  // defines it
};

// Damaged and foreign files give valid == false.
Elf ReadElf(const std::string& path);

// Whether the file has the machine, word size and C library of this program, which are those of libepk.so.
bool IsNative(const Elf& elf);

// The first line of a script without #!, or "".
std::string ScriptInterpreter(const std::string& path);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_ELF_H_
