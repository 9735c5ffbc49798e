// SPDX-License-Identifier: BSD-3-Clause
// What open requests will mean when they complete. Many small tables, each with a lock of its own that is held for a
// few instructions, so that threads do not meet.
#ifndef EPIK_ADAPTERS_MPI_REQUESTS_H_
#define EPIK_ADAPTERS_MPI_REQUESTS_H_

#include <cstdint>

namespace epik::mpi {

enum class Kind : uint32_t {
  kReceive,     // bytes from the status
  kReceives,    // persistent: active between a start and its completion
  kParts,       // partitioned receive, persistent: bytes known beforehand
  kSends,       // persistent: counts at each start
  kCollective,  // persistent: counts at each start
  kFile         // bytes from the status, for the metric in `out`
};

struct Request {
  uint64_t key = 0;     // the handle
  uint64_t serial = 0;  // tells two requests from each other that had the same handle
  uint64_t out = 0;     // bytes of one message, or into the collective
  uint64_t in = 0;      // bytes out of the collective
  int32_t peer = 0;     // rank in MPI_COMM_WORLD; negative: none
  Kind kind = Kind::kReceive;
  bool active = true;
};

// Remembers it until Forget; what had its handle before is forgotten. A key of 0 is none.
void Remember(const Request& request);
// Copies what is known. False: nothing is, or it is not active.
bool FindActive(uint64_t key, Request* request);
// A persistent one starts: true when it was known.
bool Activate(uint64_t key, Request* request);
// It completed: a persistent one rests until its next start, another is forgotten. Unless a new request of the same
// handle has taken its place meanwhile.
void Complete(const Request& request);
void Forget(uint64_t key);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_REQUESTS_H_
