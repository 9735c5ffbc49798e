// SPDX-License-Identifier: BSD-3-Clause
// An adapter for processes whose MPI is not known beforehand: a script, an interpreter, a launcher that belongs to no
// MPI. This library has the functions of all MPIs. The first call of a function finds out which MPI the process has
// loaded by then, loads the adapter of that MPI, and is an indirect jump from then on.
#include <dlfcn.h>
#include <link.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "runtime/base/compiler.h"
#include "runtime/base/installation.h"
#include "runtime/base/privileges.h"

extern "C" {

extern void* epik_any_slots[];
extern const char* const epik_any_names[];

// `first_call` (trampolines.py) calls this.
__attribute__((visibility("hidden"))) void* epik_any_find(uint32_t number);

// Our adapters ask here for the definition that a call would reach without us: that of the program's MPI, or of another
// tool that wraps it.
EPIK_EXPORT void* epik_mpi_next(const char* symbol) { return dlsym(RTLD_NEXT, symbol); }
}

namespace {

// A process without MPI gets an error from every function, except from those by which programs find out whether MPI is
// up.
int NotThere() { return 16; }  // MPI_ERR_OTHER in Open MPI; an error in every MPI
int IsNot(int* flag) {
  if (flag != nullptr) *flag = 0;
  return 0;
}
void IsNotInFortran(int* flag, int* error) {
  *flag = 0;
  if (error != nullptr) *error = 0;
}

bool Begins(const char* text, const char* with) { return std::strncmp(text, with, std::strlen(with)) == 0; }

// libmpi.so.40 is Open MPI; libmpich and libmpi.so.12 are MPICH and the MPIs that are compatible with it.
const char* AdapterOf(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  if (Begins(name, "libmpich") || Begins(name, "libmpi_cray") || Begins(name, "libmpi.so.12")) {
    return "libepk_mpi_mpich.so";
  }
  return Begins(name, "libmpi.so") ? "libepk_mpi_openmpi.so" : nullptr;
}

struct Mpi {
  const char* adapter = nullptr;
  char path[4096] = "";  // of the library
};

int Look(dl_phdr_info* info, size_t, void* found) {
  auto* mpi = static_cast<Mpi*>(found);
  mpi->adapter = info->dlpi_name == nullptr ? nullptr : AdapterOf(info->dlpi_name);
  if (mpi->adapter == nullptr) return 0;
  std::snprintf(mpi->path, sizeof mpi->path, "%s", info->dlpi_name);
  return 1;
}

// The adapter is in the same folder as this library.
void* Load(const char* adapter) {
  char path[4096];
  if (epik::base::IsPrivileged() || !epik::base::IsSameWorld()) return nullptr;
  return epik::base::PathBesideUs(adapter, path, sizeof path) ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : nullptr;
}

void* InLibrary(const char* path, const char* symbol) {
  void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* address = dlsym(library, symbol);
  dlclose(library);
  return address;
}

void* Absent(const char* symbol) {
  const bool asks = std::strcmp(symbol, "MPI_Initialized") == 0 || std::strcmp(symbol, "MPI_Finalized") == 0;
  if (asks) return reinterpret_cast<void*>(IsNot);
  if (Begins(symbol, "mpi_initialized_") || Begins(symbol, "mpi_finalized_")) {
    return reinterpret_cast<void*>(IsNotInFortran);
  }
  return reinterpret_cast<void*>(NotThere);
}

}  // namespace

// Needs no lock: two threads that come here at once find the same address.
void* epik_any_find(uint32_t number) {
  const int saved_errno = errno;
  const char* symbol = epik_any_names[number];
  Mpi mpi;
  void* address = nullptr;
  dl_iterate_phdr(Look, &mpi);
  if (mpi.adapter != nullptr) {
    void* adapter = Load(mpi.adapter);
    // The adapter has all functions of its MPI. Without an adapter the program goes on unmeasured.
    if (adapter != nullptr) address = dlsym(adapter, symbol);
    if (address == nullptr) address = epik_mpi_next(symbol);
    if (address == nullptr) address = InLibrary(mpi.path, symbol);
  } else {
    address = epik_mpi_next(symbol);
  }
  if (address != nullptr) {
    __atomic_store_n(&epik_any_slots[number], address, __ATOMIC_RELEASE);
  } else {
    address = Absent(symbol);  // not remembered: MPI may be loaded later
  }
  errno = saved_errno;
  return address;
}
