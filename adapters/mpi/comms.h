// SPDX-License-Identifier: BSD-3-Clause
// Communicators: an identity that all of their processes agree upon, a number in this process, and their ranks as ranks
// of MPI_COMM_WORLD.
//
// The identity needs no message. Whatever is collective over a communicator happens in the same order in all of its
// processes, so what comes out of its n-th creation is known by (identity of the old one, n, first process of the new
// one). What is collective over less (MPI_Comm_create_group) or over more (MPI_Intercomm_create) is known by its
// members and tag, and how often that was made. A freed handle may come back; its identity does not.
#ifndef EPIK_ADAPTERS_MPI_COMMS_H_
#define EPIK_ADAPTERS_MPI_COMMS_H_

#include <mpi.h>

#include <cstdint>

namespace epik::mpi {

struct Comm {
  uint64_t id = 0;
  uint32_t references = 1;   // by its handle, by open requests and windows; atomic
  uint32_t creations = 0;    // on it so far; atomic
  uint32_t number = 0;       // 0: has none yet; atomic
  uint32_t collectives = 0;  // blocking ones that this process has taken part in; atomic
  bool is_inter = false;
  int32_t rank = 0;          // own
  int32_t locals = 0;        // processes of the own group
  int32_t peers = 0;         // of the group that messages go to: the remote one, or the own
  int32_t* world = nullptr;  // of `peers`, by rank, as ranks of MPI_COMM_WORLD; negative: not of this job. Atomic
  int32_t* own = nullptr;    // of `locals`, when that is another group
};

inline constexpr uint32_t kWorldNumber = 0;

// Communicators are known from now on.
void KnowComms();

// Of a valid handle; null: no memory, or MPI is not up. Good until the handle is freed.
Comm* Find(MPI_Comm comm);
// The same of any handle, valid or not: null when it was not seen yet.
Comm* FindKnown(MPI_Comm comm);
// Keeps it when its handle is freed.
Comm* Keep(Comm* comm);
void Release(Comm* comm);

// The rank in MPI_COMM_WORLD of the process with `rank` in the group that messages go to. Negative: it is no process of
// this job (spawned, connected to), or there are none at all (MPI_PROC_NULL).
int32_t WorldRank(int rank, MPI_Comm comm);
int32_t WorldRank(int rank, const Comm* comm);
// The number, in records: 0 is MPI_COMM_WORLD; defined when it is first asked for.
uint32_t NumberOf(Comm* comm, MPI_Comm handle);

// A call that is collective over `old` made `comm`, if it is one in this process.
void Created(MPI_Comm old, MPI_Comm comm);
// The same where the new handle is not ready for use yet.
void CreatedCopy(MPI_Comm old, MPI_Comm comm);
// Collective over the members of `comm` only.
void CreatedByMembers(MPI_Comm comm, int tag);
// Found, or made by this process and one that is not of this job.
void Met(MPI_Comm comm);
void Named(MPI_Comm comm);
// The handle is about to mean nothing.
void Forget(MPI_Comm comm);

// A window of this communicator, and of this number of creations on it.
uint64_t NextIdentity(Comm* comm);

// The processes of a communicator, in their order: the same in all of them. 0: communicators are not known.
uint64_t IdentityOfMembers(MPI_Comm comm);

uint64_t Mix(uint64_t a, uint64_t b);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_COMMS_H_
