// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/files.h"

#include "adapters/abi/abi.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/hash_table.h"
#include "flavour.h"
#include "runtime/base/spinlock.h"
#include "runtime/event/trace.h"

namespace epik::mpi {
namespace {

using base::Locked;

struct File {
  uint64_t key = 0;
  uint32_t comm_number = 0;
};

// Few files are open at a time, and an access to them costs more than this lock.
base::SpinLock lock;
HashTable<File> table;

}  // namespace

void OpenedFile(MPI_Comm comm, MPI_File file) {
  const uint64_t key = FileKey(file);
  // Only traces need it, and taking a number would define the communicator in runs without a trace.
  if (key == 0 || epik_adapter_traces() == 0) return;
  Comm* known = Find(comm);
  if (known == nullptr) return;
  const uint32_t number = NumberOf(known, comm);
  const Locked locked(lock);
  if (File* entry = table.Add(key)) entry->comm_number = number;
}

void ClosedFile(MPI_File file) {
  const Locked locked(lock);
  File* entry = FileKey(file) == 0 ? nullptr : table.Find(FileKey(file));
  if (entry != nullptr) table.Remove(entry);
}

void LogFileCall(uint32_t operation, MPI_File file) {
  uint64_t fields[] = {operation, 0};
  {
    const Locked locked(lock);
    const File* entry = FileKey(file) == 0 ? nullptr : table.Find(FileKey(file));
    if (entry == nullptr) return;
    fields[1] = entry->comm_number;
  }
  epik_adapter_record(static_cast<uint32_t>(event::RecordKind::kCollectiveCall), fields);
}

}  // namespace epik::mpi
