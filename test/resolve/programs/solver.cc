// SPDX-License-Identifier: BSD-3-Clause
// Functions that a stripped file does not name: static functions, templates, a plug-in loaded by its path.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

template <int N>
__attribute__((noinline)) int Sweep(int n) {
  return n <= 0 ? N : Sweep<N>(n - 1) + 1;
}

__attribute__((noinline)) int Residual(int n) { return Sweep<3>(n) + Sweep<5>(n); }

}  // namespace

int main(int argc, char** argv) {
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += Residual(i);
  for (int i = 1; i < argc; ++i) {
    void* library = dlopen(argv[i], RTLD_NOW);
    if (library == nullptr) return 1;
    using Function = int (*)(int);
    sum += reinterpret_cast<Function>(dlsym(library, "mesh_entry"))(i);
  }
  std::printf("%d\n", sum);
  return 0;
}
