// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/pmpi.h"

#include <dlfcn.h>

#include "flavour.h"

namespace epik::mpi {

Pmpi pmpi;

namespace {

bool found = false;

void* FindIn(int mode, const char* symbol) {
  for (const char* name : kLibraries) {
    void* library = dlopen(name, mode | RTLD_LAZY | RTLD_GLOBAL);
    if (library == nullptr) continue;
    void* address = dlsym(library, symbol);
    // A library that we loaded stays loaded: it may have started threads and installed handlers.
    if (mode == RTLD_NOLOAD) dlclose(library);
    if (address != nullptr) return address;
  }
  return nullptr;
}

// dlsym does not search libraries that the program loaded for itself (a Python module, a plugin). And a linker that
// drops libraries it takes for unneeded may have dropped MPI itself, because the adapter defines all its functions.
void* FindElsewhere(const char* symbol) {
  void* address = FindIn(RTLD_NOLOAD, symbol);
  return address != nullptr ? address : FindIn(0, symbol);
}

bool IsOurs(void* address) {
  Dl_info theirs, ours;
  return dladdr(address, &theirs) != 0 && dladdr(&pmpi, &ours) != 0 && theirs.dli_fbase == ours.dli_fbase;
}

template <class Function>
void Find(Function** function, const char* symbol) {
  void* address = dlsym(RTLD_DEFAULT, symbol);
  if (address == nullptr) address = FindElsewhere(symbol);
  *function = reinterpret_cast<Function*>(address);
}

}  // namespace

// libepk_mpi_any.so (any/any.cc) may have loaded us. Then the next definition is the one after that library.
void* FindNext(const char* symbol) {
  using Next = void*(const char*);
  auto* next = reinterpret_cast<Next*>(dlsym(RTLD_DEFAULT, "epik_mpi_next"));
  void* address = next != nullptr ? next(symbol) : dlsym(RTLD_NEXT, symbol);
  return address != nullptr && !IsOurs(address) ? address : FindElsewhere(symbol);
}

// Null when the program does not use the Fortran binding that has this constant.
void* FindDatum(const char* symbol) {
  void* address = dlsym(RTLD_DEFAULT, symbol);
  return address != nullptr ? address : FindIn(RTLD_NOLOAD, symbol);
}

// Needs no lock: two threads that come here at once write the same values.
void FindLibrary() {
  if (__atomic_load_n(&found, __ATOMIC_ACQUIRE)) return;
#define EPIK_PMPI_FIND(name) Find(&pmpi.name, "PMPI_" #name);
  EPIK_PMPI_FUNCTIONS(EPIK_PMPI_FIND)
#undef EPIK_PMPI_FIND
  FindConstants();
  __atomic_store_n(&found, true, __ATOMIC_RELEASE);
}

}  // namespace epik::mpi
