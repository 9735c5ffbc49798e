// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/windows.h"

#include <cstdlib>

#include "adapters/abi/abi.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/hash_table.h"
#include "adapters/mpi/pmpi.h"
#include "flavour.h"
#include "runtime/base/spinlock.h"
#include "runtime/event/trace.h"

namespace epik::mpi {
namespace {

using base::Locked;

struct Window {
  uint64_t key = 0;
  uint64_t id = 0;
  Comm* comm = nullptr;  // kept with the window
  uint32_t number = 0;   // 0: not defined yet
  uint32_t comm_number = 0;
};

// Programs have few windows, and a one-sided access costs more than this lock.
base::SpinLock lock;
HashTable<Window> table;
uint32_t numbers = 0;

Window* FindIn(MPI_Win window) { return WinKey(window) == 0 ? nullptr : table.Find(WinKey(window)); }

void Define(const Window& window, MPI_Win handle) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  pmpi.Win_get_name(handle, name, &length);
  epik_adapter_window(window.number, window.comm_number, window.id, name);
}

}  // namespace

void CreatedWindow(MPI_Comm comm, MPI_Win window) {
  Comm* of = Find(comm);
  if (of == nullptr || WinKey(window) == 0) return;
  // The window's ranks are those of the communicator, which the program may free before the window.
  const Window entry = {WinKey(window), Mix(NextIdentity(of), 5), Keep(of), 0, NumberOf(of, comm)};
  const Locked locked(lock);
  Window* place = table.Add(WinKey(window));
  if (place == nullptr) return;
  if (place->comm != nullptr) Release(place->comm);
  *place = entry;
}

void NamedWindow(MPI_Win window) {
  uint32_t number = 0;
  {
    const Locked locked(lock);
    const Window* entry = FindIn(window);
    if (entry != nullptr) number = entry->number;
  }
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  if (number == 0 || pmpi.Win_get_name(window, name, &length) != MPI_SUCCESS) return;
  epik_adapter_name(kEpikWindow, number, name);
}

void ForgetWindow(MPI_Win window) {
  const Locked locked(lock);
  Window* entry = FindIn(window);
  if (entry == nullptr) return;
  Release(entry->comm);
  table.Remove(entry);
}

uint32_t NumberOfWindow(MPI_Win window) { return MemberOf(-1, window).window; }

void LogLastWindowCall(uint32_t operation, MPI_Win window) {
  uint32_t comm_number = 0;
  {
    const Locked locked(lock);
    const Window* entry = FindIn(window);
    if (entry == nullptr) return;
    comm_number = entry->comm_number;
  }
  const uint64_t fields[] = {operation, comm_number};
  epik_adapter_record(static_cast<uint32_t>(event::RecordKind::kCollectiveCall), fields);
}

WindowMember MemberOf(int rank, MPI_Win window) {
  const Locked locked(lock);
  Window* entry = FindIn(window);
  if (entry == nullptr) return {0, -1};
  if (EPIK_UNLIKELY(entry->number == 0)) {
    entry->number = ++numbers;
    Define(*entry, window);
  }
  return {entry->number, WorldRank(rank, entry->comm)};
}

}  // namespace epik::mpi
