// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/completing.h"

#include "adapters/mpi/cancelling.h"
#include "adapters/mpi/channels.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/log.h"

namespace epik::mpi {

void Ended(const Request& request, const MPI_Status& given, Outcome outcome, ReceivedBytes* received) {
  static constexpr MPI_Status kNone = {};
  const MPI_Status& status = EPIK_UNLIKELY(request.untold) ? kNone : given;
  if (EPIK_UNLIKELY(IsUncounted(request))) {
    Request counted = request;
    CountNow(&counted, status);
    return Ended(counted, given, outcome, received);
  }
  if (EPIK_UNLIKELY(request.followed.on)) NoteEnd(request, status, outcome);
  if (request.number != 0) LogEnd(request, status, outcome);
  const bool ok = outcome == Outcome::kGood;
  // Open MPI leaves that part of the status of a file's request as it was, so it may hold anything.
  const bool cancelled = ok && request.kind != Kind::kFile && WasCancelled(status);
  if (cancelled && request.place != 0) TakeBack(request);
  if (cancelled && (request.kind == Kind::kSend || request.kind == Kind::kSends)) Unsent(request.followed.turn);
  if (!ok || cancelled) return;
  if (EPIK_UNLIKELY(request.unlogged)) LogUnposted(request, status);
  if (request.kind == Kind::kParts) return received->Add(request.out);
  if (request.kind == Kind::kFile) return epik_adapter_add(static_cast<uint32_t>(request.out), StatusBytes(status));
  const bool receives =
      request.kind == Kind::kReceive || request.kind == Kind::kReceives || request.kind == Kind::kSendReceive;
  if (receives) received->Add(StatusBytes(status));
}

void CountCompletion(const Request& request, const MPI_Status& status, Outcome outcome, ReceivedBytes* received) {
  if (!Complete(request) && IsOnlyLogged(request.kind)) return;
  Ended(request, status, outcome, received);
  if (!IsPersistent(request.kind)) Release(request.comm);
}

void CountTaken(const Request& request, const MPI_Status& status, Outcome outcome, ReceivedBytes* received) {
  Ended(request, status, outcome, received);
  Release(request.comm);
}

}  // namespace epik::mpi
