// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/completing.h"

#include "adapters/mpi/records.h"

namespace epik::mpi {

void CountCompletion(const Request& request, const MPI_Status& status, bool ok) {
  Complete(request);
  if (!ok || WasCancelled(status)) return;
  if (request.kind == Kind::kReceive || request.kind == Kind::kReceives) {
    const Sum sum = Received(status);
    if (sum.metric != 0) Add(sum.metric, sum.value);
  }
  if (request.kind == Kind::kParts) Add(event::kBytesReceivedMetric, request.out);
  if (request.kind == Kind::kFile) Add(static_cast<uint32_t>(request.out), StatusBytes(status));
}

}  // namespace epik::mpi
