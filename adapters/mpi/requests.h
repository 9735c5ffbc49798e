// SPDX-License-Identifier: BSD-3-Clause
// Open requests, and their meaning when they complete. If several threads may call MPI at once, there are many small
// tables, each with a lock that is held for a few instructions, so that threads hardly ever wait for each other. If
// they may not, one table keeps all requests close together, and the first thread that calls MPI needs no lock until
// another one calls it.
#ifndef EPIK_ADAPTERS_MPI_REQUESTS_H_
#define EPIK_ADAPTERS_MPI_REQUESTS_H_

#include <cstdint>

#include "adapters/mpi/channels.h"
#include "adapters/mpi/comms.h"
#include "runtime/event/layout.h"
#include "runtime/event/trace.h"

namespace epik::mpi {

enum class Kind : uint32_t {
  kReceive,      // bytes from the status
  kSendReceive,  // the same; the request is that of a send as well
  kSend,         // in the trace only: it counted when it began
  kOperation,    // a collective, in the trace only
  kFile,         // bytes from the status, for the metric in `out`
  kMessage,      // no request: a message that a probe has matched
  kCopy,         // MPI_Comm_idup, in the trace only; `in` is the handle of the new communicator
  kReceives,     // persistent: active between a start and its completion
  kParts,        // partitioned receive, persistent: bytes known beforehand
  kSends,        // persistent: counts at each start
  kCollective,   // persistent: counts at each start
  kBarrier       // persistent, in the trace only
};
constexpr bool IsOnlyLogged(Kind kind) {
  return kind == Kind::kSend || kind == Kind::kOperation || kind == Kind::kCopy;
}
constexpr bool IsReceive(Kind kind) {
  return kind == Kind::kReceive || kind == Kind::kSendReceive || kind == Kind::kReceives || kind == Kind::kParts;
}
constexpr bool IsPersistentOperation(Kind kind) { return kind == Kind::kCollective || kind == Kind::kBarrier; }
constexpr bool IsPersistent(Kind kind) { return kind >= Kind::kReceives; }

// The facts about a request that other processes must know (steps.h).
struct Followed {
  uint64_t begun = 0;  // ticks: of the call that posted a receive, or of a collective operation
  // A message has all of it, and a collective operation the sequence number alone. In a persistent operation, the
  // channel is the number of its `_init` on the communicator (0: not known), and the sequence is that of its start.
  Turn turn;
  uint32_t ticket = 0;
  uint32_t absence = 0;  // of the call that posted a receive (absence.h)
  bool on = false;
  bool synchronous = false;
  bool counted = false;  // a persistent send that is about to start has its turn
  bool matched = false;  // which message a receive gets is known since it was posted, or since a probe
  bool probed = false;   // another probe had seen it before that one
  bool shared = false;   // the probe that took the message out of its channel was noted
  bool untimed = false;  // the call that posted a receive is not measured: `begun` is when that was asked
};

struct Request {
  uint64_t key = 0;      // the handle
  uint64_t serial = 0;   // tells two requests from each other that had the same handle
  uint64_t number = 0;   // in the trace; 0: not logged
  uint64_t out = 0;      // bytes of one message, or into the collective
  uint64_t in = 0;       // bytes out of the collective; of a partitioned send, the number of its parts
  uint64_t place = 0;    // where a send counts that may be cancelled; 0: nowhere, or not known
  Comm* comm = nullptr;  // kept until the request is over
  int32_t peer = 0;      // rank in MPI_COMM_WORLD: of a send its target, of a collective its root. Negative: none
  int32_t tag = 0;       // of a send
  uint32_t comm_number = 0;
  uint32_t operation = 0;  // region of the call that made a collective
  uint32_t sources_count = 0;
  uint32_t ready = 0;                 // parts of a partitioned send since its start
  event::RankRun* sources = nullptr;  // of a persistent collective (sources.h); null: all, or none
  Kind kind = Kind::kReceive;
  event::SendMode mode = event::SendMode::kStandard;  // of a persistent send
  bool active = true;
  bool unlogged = false;  // a receive that was posted where nothing is logged; `comm_number` is known
  bool of_some = false;   // an operation: data come from some processes only
  bool untold = false;    // a receive whose status MPI leaves as it was: nobody knows how much arrived
  Followed followed = {};
};

// Whether a receive accepts messages of several channels.
constexpr bool TakesSeveral(const Request& request) { return request.peer < 0 || request.tag < 0; }

// No two threads call MPI at once: one table is enough. Before there are requests, in the first thread that calls MPI.
void UseOneTable();
bool UsesOneTable();
// Remembers a receive of which nothing is known but its handle, until Forget.
void RememberReceive(uint64_t key);
// Remembers a request until Forget. True: another active request had its handle, and `before` receives it.
bool Remember(const Request& request, Request* before = nullptr);
// The same, unless a request with this handle is known.
void RememberUnknown(const Request& request);
// A receive that is only counted has nothing but a handle and a serial number. The rest of its request is not written:
// to clear it takes time in each wait.
enum class Found : uint8_t { kNone, kCounted, kWhole };
// Copies the request. kNone: it is not known, or not active.
Found LookUp(uint64_t key, Request* request);
// The same, and a receive that is only counted is written as a whole, too. False: it is not known, or not active.
bool FindActive(uint64_t key, Request* request);
// A persistent request is about to start under this number; false when it is not known.
bool SetNumber(uint64_t key, uint64_t number, Request* request);
// Copies the request, which then has no number any more; false when it is not known.
bool TakeNumber(uint64_t key, Request* request);
void SetPlace(uint64_t key, uint64_t place);
// False: it is not known. Else whoever forgets the request frees them.
bool SetSources(uint64_t key, event::RankRun* sources, uint32_t count);
// Notes these facts. A request that is not known yet becomes one of this kind.
void Follow(uint64_t key, const Followed& followed, Kind kind);
// The same for a send of a message.
void FollowSend(uint64_t key, const Followed& followed, int32_t peer, uint64_t bytes);
// A request has started; true when it is known. Not `logged`: it has no number this time.
bool Activate(uint64_t key, bool logged, Request* request);
// Parts of a partitioned send are ready. True: these were the last ones, and `request` receives the request.
bool AddReady(uint64_t key, uint32_t parts, Request* request);
// A request completed: a persistent one rests until its next start, any other is forgotten. False: a new request with
// the same handle has taken its place meanwhile, or it has completed before.
bool Complete(const Request& request);
// Looks up a request that will complete in this call. It is forgotten at once, unless it is persistent.
Found TakeActive(uint64_t key, Request* request);
// That call came back and the request is still pending.
void PutBack(const Request& request, Found found);
// Forgets a request. True: it was known, and `request` receives it.
bool Forget(uint64_t key, Request* request);

// Copies the active request with the smallest number in the trace above `number`; false: none is left.
bool NextLogged(uint64_t number, Request* request);
// A number that no other request of this process has.
uint64_t NewRequest();

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_REQUESTS_H_
