// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/pmpi.h"

#include <dlfcn.h>

#include "flavour.h"

namespace epik::mpi {

Pmpi pmpi;

namespace {

bool found = false;

// Libraries that the program loaded for itself (a Python module, a plugin) are in nobody's search order.
void* FindLoaded(const char* symbol) {
  for (const char* name : kLibraries) {
    void* library = dlopen(name, RTLD_NOLOAD | RTLD_LAZY);
    if (library == nullptr) continue;
    void* address = dlsym(library, symbol);
    dlclose(library);
    if (address != nullptr) return address;
  }
  return nullptr;
}

template <class Function>
void Find(Function** function, const char* symbol) {
  void* address = dlsym(RTLD_DEFAULT, symbol);
  if (address == nullptr) address = FindLoaded(symbol);
  *function = reinterpret_cast<Function*>(address);
}

}  // namespace

void* FindNext(const char* symbol) {
  void* address = dlsym(RTLD_NEXT, symbol);
  return address != nullptr ? address : FindLoaded(symbol);
}

void* FindDatum(const char* symbol) {
  void* address = dlsym(RTLD_DEFAULT, symbol);
  return address != nullptr ? address : FindLoaded(symbol);
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
