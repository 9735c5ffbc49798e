// SPDX-License-Identifier: BSD-3-Clause
// Communicators: an identity that all of their processes agree upon, a number in this process, and their ranks as ranks
// of MPI_COMM_WORLD.
//
// The identity needs no message. Collective calls on a communicator come in the same order in all of its processes, so
// the result of its n-th creation is identified by (identity of the old one, n, first process of the new one). A call
// that is collective over fewer processes (MPI_Comm_create_group) is identified by the old one, members and tag, and
// how often it was made before; a call that is collective over more (MPI_Intercomm_create) by the same without an old
// one. A freed handle may come back; its identity does not.
#ifndef EPIK_ADAPTERS_MPI_COMMS_H_
#define EPIK_ADAPTERS_MPI_COMMS_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/mpi/hash_table.h"
#include "flavour.h"

namespace epik::mpi {

// How often calls like this one have made a communicator.
struct Made {
  uint64_t key = 0;
  uint64_t times = 0;
};

struct Comm {
  uint64_t id = 0;
  uint32_t references = 1;   // by its handle, by open requests and windows; atomic
  uint32_t creations = 0;    // on it so far; atomic
  uint32_t number = 0;       // 0: not numbered yet; atomic
  uint32_t collectives = 0;  // that this process has taken part in: CountCollective
  uint32_t persistent = 0;   // operations that it has made: CountPersistent
  bool is_inter = false;
  bool is_met = false;       // processes of this job may know it, or what it was made from, by other identities
  int32_t rank = 0;          // own
  int32_t locals = 0;        // processes of the own group
  int32_t peers = 0;         // of the group that messages go to: the remote one, or the own
  int32_t* world = nullptr;  // of `peers`, by rank, as ranks of MPI_COMM_WORLD; negative: not of this job. Atomic
  int32_t* own = nullptr;    // the same for `locals`, if that is another group
  HashTable<Made> made;      // of its members, by MPI_Comm_create_group
};

inline constexpr uint32_t kWorldNumber = 0;

// There is nobody to wait for.
inline bool IsAlone(const Comm* comm) { return comm == nullptr || (comm->locals == 1 && !comm->is_inter); }

// The step is not atomic, because MPI lets no two threads begin operations of one communicator at a time.
inline uint32_t NextOf(uint32_t* counter) {
  const uint32_t count = __atomic_load_n(counter, __ATOMIC_RELAXED) + 1;
  __atomic_store_n(counter, count, __ATOMIC_RELAXED);
  return count;
}
// Counts an operation of the communicator and returns its number; null: 0. All processes of the communicator count it,
// even while a thread pauses, or if the call failed after MPI had accepted its arguments.
inline uint32_t CountCollective(Comm* comm) { return comm == nullptr ? 0 : NextOf(&comm->collectives); }
// The same for the `_init` of a persistent operation. Starts count in no order but that of their own request, because
// processes may start several requests in different orders.
inline uint32_t CountPersistent(Comm* comm) { return comm == nullptr ? 0 : NextOf(&comm->persistent); }

// MPI is up: communicators can be found from now on.
void KnowComms();

// The communicator of a valid handle; null: no memory, or MPI is not up. Valid until the handle is freed.
Comm* Find(MPI_Comm comm);
// The same for any handle, valid or not; null when the handle was not seen yet.
Comm* FindKnown(MPI_Comm comm);
// Keeps the communicator when its handle is freed.
Comm* Keep(Comm* comm);
void Release(Comm* comm);

// The rank in MPI_COMM_WORLD of the process with `rank` in the group that messages go to. Negative: a process of
// another job (spawned, connected to), or no process (MPI_PROC_NULL).
int32_t WorldRank(int rank, MPI_Comm comm);
int32_t WorldRank(int rank, const Comm* comm);
// Finds a communicator whose ranks the second one knows from now on.
Comm* FindRanked(MPI_Comm handle);
// The number in records; 0 is MPI_COMM_WORLD. The first request defines it.
uint32_t NumberOf(Comm* comm, MPI_Comm handle);
// Returns the number as NumberOf does, and is faster if the communicator has one.
inline uint32_t KnownNumberOf(Comm* comm, MPI_Comm handle) {
  if (handle == World()) return kWorldNumber;
  const uint32_t number = __atomic_load_n(&comm->number, __ATOMIC_ACQUIRE);
  return number != 0 ? number : NumberOf(comm, handle);
}

// A call that is collective over `old` made `comm`, which may be null in this process.
void Created(MPI_Comm old, MPI_Comm comm);
// The same between two groups, each of which has an `old` of its own, or none.
void CreatedBetween(MPI_Comm old, MPI_Comm comm);
// The same as Created, if the new handle may not be used yet.
void CreatedCopy(MPI_Comm old, MPI_Comm comm);
// Collective over the members of `comm` only.
void CreatedByMembers(MPI_Comm comm, int tag);
// The same, if all of them are members of `old`. Threads may make such calls at once, each with an `old` of its own.
void CreatedByMembers(MPI_Comm old, MPI_Comm comm, int tag);
// This process found `comm`.
void Met(MPI_Comm comm);
void Named(MPI_Comm comm);
// The handle is about to become invalid.
void Forget(MPI_Comm comm);

// The identity of a window or communicator that is created next on this communicator.
uint64_t NextIdentity(Comm* comm);

// An identity of the members of a communicator, in their order; the same in all of them. 0: MPI is not up.
uint64_t IdentityOfMembers(MPI_Comm comm);

uint64_t Mix(uint64_t a, uint64_t b);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_COMMS_H_
