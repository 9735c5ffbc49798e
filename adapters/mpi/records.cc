// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/records.h"

namespace epik::mpi {

void TrackReceive(uint64_t request) { Remember({.key = request}); }

void TrackReceives(uint64_t request) { Remember({.key = request, .kind = Kind::kReceives, .active = false}); }

void TrackParts(uint64_t request, uint64_t bytes) {
  Remember({.key = request, .out = bytes, .kind = Kind::kParts, .active = false});
}

void TrackSends(uint64_t request, uint64_t bytes, int dest, MPI_Comm comm) {
  if (dest == MPI_PROC_NULL) return;
  Remember({.key = request, .out = bytes, .peer = WorldRank(dest, comm), .kind = Kind::kSends, .active = false});
}

void TrackCollective(uint64_t request, Moved bytes) {
  Remember({.key = request, .out = bytes.out, .in = bytes.in, .kind = Kind::kCollective, .active = false});
}

void TrackFile(uint64_t request, uint32_t metric) { Remember({.key = request, .out = metric, .kind = Kind::kFile}); }

void Started(uint64_t key) {
  Request request;
  if (!Activate(key, &request)) return;
  if (request.kind == Kind::kSends) epik_adapter_sent(request.out, request.peer);
  if (request.kind != Kind::kCollective) return;
  Add(event::kCollectiveOutMetric, request.out);
  Add(event::kCollectiveInMetric, request.in);
}

}  // namespace epik::mpi
