// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>

#include "adapters/mpi/call_hot.h"
#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/tree_calls.h"

namespace epik::mpi {

__thread const void* outermost = nullptr;

namespace {

const void** Outermost() { return &outermost; }

// The library has no such function: the program was built for another version.
int Missing() { return MPI_ERR_OTHER; }

bool IsOn(const Group& group) {
  const uint64_t groups = epik_adapter_mpi_groups();
  return (groups & group.own) != 0 || (group.both != 0 && (groups & group.both) == group.both);
}

}  // namespace

void Prepare(Routine* routine) {
  const int saved_errno = errno;
  FindLibrary();
  void* real = FindNext(routine->symbol);
  if (epik_adapter_version() == kEpikAdapterVersion) {
    epik_adapter_keep_frame(Outermost);
    if (IsOn(routine->group)) {
      routine->region = epik_adapter_region(static_cast<uint16_t>(event::Paradigm::kMpi), routine->name);
    }
    if (routine->region == 0) routine->noted = epik_adapter_noted();
    routine->fortran = routine->symbol[0] == 'm';  // mpi_send_, mpi_send_f08_ …
    routine->stays = StaysIn(routine->name);
  }
  if (real != nullptr) real = InsteadOf(routine->symbol, real);
  __atomic_store_n(&routine->real, real != nullptr ? real : reinterpret_cast<void*>(Missing), __ATOMIC_RELEASE);
  errno = saved_errno;
}

}  // namespace epik::mpi
