// SPDX-License-Identifier: BSD-3-Clause
// What mpi.def can say about a call: the words of its C++ pieces.
#ifndef EPIK_ADAPTERS_MPI_RECORDS_H_
#define EPIK_ADAPTERS_MPI_RECORDS_H_

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "adapters/mpi/call_hot.h"
#include "adapters/mpi/collectives.h"
#include "adapters/mpi/completing.h"
#include "adapters/mpi/job.h"
#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/ranks.h"
#include "adapters/mpi/requests.h"
#include "adapters/mpi/sizes.h"
#include "flavour.h"
#include "runtime/event/layout.h"

namespace epik::mpi {

using event::kBytesGotMetric;
using event::kBytesPutMetric;
using event::kFileReadMetric;
using event::kFileWrittenMetric;

inline void Add(uint32_t metric, uint64_t bytes) { epik_adapter_add(metric, bytes); }

template <class Count>
void Sent(Count count, MPI_Datatype datatype, int dest, MPI_Comm comm) {
  if (dest == MPI_PROC_NULL) return;
  epik_adapter_sent(BytesOf(count, datatype), WorldRank(dest, comm));
}

inline Sum Received(const MPI_Status& status) {
  if (status.MPI_SOURCE == MPI_PROC_NULL || WasCancelled(status)) return {};
  return {event::kBytesReceivedMetric, StatusBytes(status)};
}

inline void Collective(Call* call, Moved bytes) {
  call->Add({event::kCollectiveOutMetric, bytes.out}, {event::kCollectiveInMetric, bytes.in});
}

void TrackReceive(uint64_t request);
void TrackReceives(uint64_t request);
void TrackParts(uint64_t request, uint64_t bytes);
void TrackSends(uint64_t request, uint64_t bytes, int dest, MPI_Comm comm);
void TrackCollective(uint64_t request, Moved bytes);
void TrackFile(uint64_t request, uint32_t metric);
// A persistent request.
void Started(uint64_t request);

// A request that the program gives up.
class Freeing {
 public:
  explicit Freeing(uint64_t request) : request_(request) {}
  void Done(int result) const {
    if (result == MPI_SUCCESS) Forget(request_);
  }

 private:
  uint64_t request_;
};

// An operation on both ends of a one-sided access: what is stored there, and what is loaded from there.
inline void PutAndGot(uint64_t put, uint64_t got, int target) {
  if (target == MPI_PROC_NULL) return;
  Add(kBytesPutMetric, put);
  Add(kBytesGotMetric, got);
}
inline void PutAndGot(uint64_t put, uint64_t got, int target, MPI_Op op) {
  if (target == MPI_PROC_NULL) return;
  if (op != NoOp()) Add(kBytesPutMetric, put);
  Add(kBytesGotMetric, got);
}

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_RECORDS_H_
