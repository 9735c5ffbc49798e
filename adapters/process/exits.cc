// SPDX-License-Identifier: BSD-3-Clause
// Endings that run no exit handlers: _exit, _Exit, quick_exit, a sanitizer's, and exec, which replaces the program.
// libc implements execl and execv by calls of its own that no wrapper sees, so each is wrapped.
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/compiler.h"
#include "runtime/endings/finish.h"
#include "runtime/endings/rescue.h"

// The program's sanitizer defines it, if there is one. When the sanitizer has found a fault, it calls the function, and
// then ends the program by a bare system call.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*function)());

namespace {

using epik::endings::RescueOnExec;
using epik::event::Ending;

// Looked up early: a forked child may not ask the loader (runtime/base/forked.h).
struct RealEndings {
  void (*underscore_exit)(int);
  void (*quick_exit_)(int);
  decltype(&execve) execve_;
  decltype(&execvpe) execvpe_;
  decltype(&fexecve) fexecve_;
};
RealEndings real;

template <class Function>
void Find(const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void FindRealEndings() {
  if (real.underscore_exit != nullptr) return;
  Find("quick_exit", &real.quick_exit_);
  Find("execve", &real.execve_);
  Find("execvpe", &real.execvpe_);
  Find("fexecve", &real.fexecve_);
  Find("_exit", &real.underscore_exit);
}

int quick_exit_status = 0;

void OnQuickExit() { epik::endings::Finish(Ending::kQuickExit, quick_exit_status); }

void OnDeath() { epik::endings::Rescue(Ending::kAbort, 0); }

// Handlers run in reverse order: this one is registered first, so it runs after those of the program. A sanitizer
// keeps one callback: a program that sets its own later (libFuzzer does) replaces ours.
__attribute__((constructor)) void OnLoad() {
  at_quick_exit(OnQuickExit);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(OnDeath);
}

// Counts the words that execl and its kin were given, without the null pointer at the end. The vector for them lies on
// the caller's stack, which may be small, so it must not be larger than necessary.
size_t CountWords(const char* first, va_list rest) {
  size_t count = 0;
  for (const char* word = first; word != nullptr; word = va_arg(rest, const char*)) ++count;
  return count;
}

void CopyWords(char** words, const char* first, va_list* rest) {
  for (const char* word = first; word != nullptr; word = va_arg(*rest, const char*)) *words++ = const_cast<char*>(word);
  *words = nullptr;
}

}  // namespace

extern "C" {

EPIK_EXPORT void _exit(int status) {
  epik::endings::Rescue(Ending::kUnderscoreExit, status);
  FindRealEndings();
  real.underscore_exit(status);
  __builtin_unreachable();
}

EPIK_EXPORT void _Exit(int status) noexcept { _exit(status); }

EPIK_EXPORT void quick_exit(int status) noexcept {
  quick_exit_status = status;
  FindRealEndings();
  real.quick_exit_(status);
  __builtin_unreachable();
}

EPIK_EXPORT int execve(const char* path, char* const argv[], char* const envp[]) noexcept {
  FindRealEndings();
  RescueOnExec rescue;
  return real.execve_(path, argv, envp);
}

EPIK_EXPORT int execv(const char* path, char* const argv[]) noexcept { return execve(path, argv, environ); }

EPIK_EXPORT int execvpe(const char* file, char* const argv[], char* const envp[]) noexcept {
  FindRealEndings();
  RescueOnExec rescue;
  return real.execvpe_(file, argv, envp);
}

EPIK_EXPORT int execvp(const char* file, char* const argv[]) noexcept { return execvpe(file, argv, environ); }

EPIK_EXPORT int fexecve(int fd, char* const argv[], char* const envp[]) noexcept {
  FindRealEndings();
  RescueOnExec rescue;
  return real.fexecve_(fd, argv, envp);
}

EPIK_EXPORT int execl(const char* path, const char* word, ...) noexcept {
  va_list rest;
  va_start(rest, word);
  auto** words = static_cast<char**>(__builtin_alloca((CountWords(word, rest) + 1) * sizeof(char*)));
  va_end(rest);
  va_start(rest, word);
  CopyWords(words, word, &rest);
  va_end(rest);
  return execve(path, words, environ);
}

EPIK_EXPORT int execlp(const char* file, const char* word, ...) noexcept {
  va_list rest;
  va_start(rest, word);
  auto** words = static_cast<char**>(__builtin_alloca((CountWords(word, rest) + 1) * sizeof(char*)));
  va_end(rest);
  va_start(rest, word);
  CopyWords(words, word, &rest);
  va_end(rest);
  return execvpe(file, words, environ);
}

EPIK_EXPORT int execle(const char* path, const char* word, ...) noexcept {
  va_list rest;
  va_start(rest, word);
  auto** words = static_cast<char**>(__builtin_alloca((CountWords(word, rest) + 1) * sizeof(char*)));
  va_end(rest);
  va_start(rest, word);
  CopyWords(words, word, &rest);
  char* const* envp = va_arg(rest, char* const*);
  va_end(rest);
  return execve(path, words, envp);
}
}
