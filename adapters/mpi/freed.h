// SPDX-License-Identifier: BSD-3-Clause
// Receives that the program frees before their message has come. If such a receive accepts messages of several
// channels, only MPI can tell which message it got. So EPIK keeps its request, and frees the request when the
// message has come.
#ifndef EPIK_ADAPTERS_MPI_FREED_H_
#define EPIK_ADAPTERS_MPI_FREED_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/mpi/channels.h"
#include "adapters/mpi/requests.h"
#include "runtime/base/compiler.h"

namespace epik::mpi {

// The number of requests that are kept.
extern uint32_t kept_requests;

// Whether the request is worth keeping. Then `other` receives a request that MPI may free in its place.
bool MayKeep(const Request& request, MPI_Request* other);
// Keeps the request and its communicator. If there is no room, releases both; EPIK then never learns which message the
// request gets.
void KeepFreed(MPI_Request handle, const Request& request);

// Asks MPI whether some of the kept requests have their messages.
EPIK_COLD void LookAtKept();
EPIK_HOT void LookAtFreed() {
  if (EPIK_UNLIKELY(__atomic_load_n(&kept_requests, __ATOMIC_RELAXED) != 0)) LookAtKept();
}
// Logs which message a freed receive has got that accepts messages of several channels. From -1: nobody learns it.
// `turn`: of the message, if it is followed.
void LogFreedReceived(const Request& request, int32_t from, int32_t tag, const Turn* turn = nullptr);
// Frees all kept requests, because MPI is about to be finalized.
void ReleaseKept();

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_FREED_H_
