// SPDX-License-Identifier: BSD-3-Clause
// For processes of which nobody knows beforehand which MPI they will use: a script, an interpreter, a launcher that
// belongs to no MPI. This library stands in front of all of them; the first call of a function finds out which MPI the
// process has by now, loads its adapter and is an indirect jump from then on.
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

// What `first_call` jumps to (trampolines.py).
__attribute__((visibility("hidden"))) void* epik_any_find(uint32_t number);

// The definition that there would be without us: of the program's MPI, or of a tool that wraps it, too. Our adapters
// ask for it.
EPIK_EXPORT void* epik_mpi_next(const char* symbol) { return dlsym(RTLD_NEXT, symbol); }
}

namespace {

// Without MPI there is nothing to say but this. What a program asks to find out whether there is MPI gets its answer.
int NotThere() { return 16; }  // MPI_ERR_OTHER in Open MPI; no success in any
int IsNot(int* flag) {
  if (flag != nullptr) *flag = 0;
  return 0;
}
void IsNotInFortran(int* flag, int* error) {
  *flag = 0;
  if (error != nullptr) *error = 0;
}

bool Begins(const char* text, const char* with) { return std::strncmp(text, with, std::strlen(with)) == 0; }

// libmpi.so.40 is Open MPI's; libmpich and libmpi.so.12 are MPICH's and of what is compatible with it.
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

// It lies beside us.
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

// Two threads at once find the same.
void* epik_any_find(uint32_t number) {
  const int saved_errno = errno;
  const char* symbol = epik_any_names[number];
  Mpi mpi;
  void* address = nullptr;
  dl_iterate_phdr(Look, &mpi);
  if (mpi.adapter != nullptr) {
    void* adapter = Load(mpi.adapter);
    // It has what its own MPI has; without it the program goes on unmeasured.
    if (adapter != nullptr) address = dlsym(adapter, symbol);
    if (address == nullptr) address = epik_mpi_next(symbol);
    if (address == nullptr) address = InLibrary(mpi.path, symbol);
  } else {
    address = epik_mpi_next(symbol);
  }
  if (address != nullptr) {
    __atomic_store_n(&epik_any_slots[number], address, __ATOMIC_RELEASE);
  } else {
    address = Absent(symbol);  // this time
  }
  errno = saved_errno;
  return address;
}
