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
    // One that was brought in stays: its threads and handlers do.
    if (mode == RTLD_NOLOAD) dlclose(library);
    if (address != nullptr) return address;
  }
  return nullptr;
}

// Libraries that the program loaded for itself (a Python module, a plugin) are in nobody's search order; and a linker
// that leaves out what seems unneeded may have left out MPI itself, for the adapter defines all of it.
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

// Behind libepk_mpi_any.so (any/any.cc), which may have loaded us, what is next is what comes after that library.
void* FindNext(const char* symbol) {
  using Next = void*(const char*);
  auto* next = reinterpret_cast<Next*>(dlsym(RTLD_DEFAULT, "epik_mpi_next"));
  void* address = next != nullptr ? next(symbol) : dlsym(RTLD_NEXT, symbol);
  return address != nullptr && !IsOurs(address) ? address : FindElsewhere(symbol);
}

// Not found: the binding that it belongs to is not in use.
void* FindDatum(const char* symbol) {
  void* address = dlsym(RTLD_DEFAULT, symbol);
  return address != nullptr ? address : FindIn(RTLD_NOLOAD, symbol);
}

// Two threads at once write the same.
void FindLibrary() {
  if (__atomic_load_n(&found, __ATOMIC_ACQUIRE)) return;
#define EPIK_PMPI_FIND(name) Find(&pmpi.name, "PMPI_" #name);
  EPIK_PMPI_FUNCTIONS(EPIK_PMPI_FIND)
#undef EPIK_PMPI_FIND
  FindConstants();
  __atomic_store_n(&found, true, __ATOMIC_RELEASE);
}

}  // namespace epik::mpi
