/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked to no MPI. Asks whether there is one, like libraries that do not depend on it; then loads a module that needs
   it.
 */
#include <dlfcn.h>
#include <stdio.h>

extern int MPI_Initialized(int* flag) __attribute__((weak));

int main(int argc, char** argv) {
  int flag = 0;
  if (MPI_Initialized) MPI_Initialized(&flag);
  printf(flag ? "MPI is there\n" : "MPI is not there\n");
  void* module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
  int (*run)(void) = module ? (int (*)(void))dlsym(module, "run") : 0;
  if (!run) return 1;
  printf(run() ? "MPI is up\n" : "MPI is down\n");
  return 0;
}
