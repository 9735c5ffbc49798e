// SPDX-License-Identifier: BSD-3-Clause
// Calls before main and after it: constructors and destructors of static and thread-local objects, atexit and
// at_quick_exit handlers, ELF constructors and destructors.     statics [return|exit|quick]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

__attribute__((noinline)) void Say(const char* what) {
  std::printf("%s\n", what);
  std::fflush(stdout);
}

struct Static {
  explicit Static(const char* name) : name(name) {
    Say("static constructed");
    Say(name);
  }
  ~Static() {
    Say("static destroyed");
    Say(name);
  }
  const char* name;
};

struct PerThread {
  PerThread() { Say("thread-local constructed"); }
  ~PerThread() { Say("thread-local destroyed"); }
  int touched = 0;
};

__attribute__((constructor)) void ElfConstructor() { Say("elf constructor"); }
__attribute__((destructor)) void ElfDestructor() { Say("elf destructor"); }

Static first("first");
Static second("second");
thread_local PerThread per_thread;

void AtExit() { Say("atexit"); }
void AtQuickExit() { Say("at_quick_exit"); }

Static& Late() {
  static Static late("late");
  return late;
}

void InThread() { ++per_thread.touched; }

int main(int argc, char** argv) {
  Say("main");
  std::atexit(AtExit);
  std::at_quick_exit(AtQuickExit);
  std::thread(InThread).join();
  ++per_thread.touched;
  Late();
  const char* how = argc > 1 ? argv[1] : "return";
  if (std::strcmp(how, "exit") == 0) std::exit(3);
  if (std::strcmp(how, "quick") == 0) std::quick_exit(4);
  return 0;
}
