// SPDX-License-Identifier: BSD-3-Clause
#include "archive/otf2/one_sided.h"

#include <utility>

#include "archive/trace/record_text.h"

namespace epik::archive {

using event::RecordKind;

namespace {

constexpr uint32_t kAll = OTF2_UNDEFINED_UINT32;  // in place of one rank
constexpr uint64_t kOnlyLock = 0;                 // a window has one lock at each rank

}  // namespace

bool OneSided::Write(uint64_t time, const Event& event, OTF2_AttributeList* list) {
  const uint64_t* field = event.field;
  const bool is_access =
      event.kind == RecordKind::kPut || event.kind == RecordKind::kGet || event.kind == RecordKind::kAtomic;
  if (!is_access && event.kind != RecordKind::kWindowSync && event.kind != RecordKind::kWindowLock) return false;
  uint32_t communicator = 0;
  const uint32_t window = numbers_.Window(process_, field[1], &communicator);
  if (window == kNone) return false;
  // The first field of an access is the partner; that of a synchronization is the call.
  const auto world_rank = static_cast<int32_t>(field[is_access ? 0 : 2]);
  const uint32_t remote = world_rank < 0 ? kAll : numbers_.RankIn(communicator, world_rank);
  if (is_access) windows_[window].open.push_back({remote, ++accesses_});
  switch (event.kind) {
    case RecordKind::kPut:
      Check(OTF2_EvtWriter_RmaPut(writer_, list, time, window, remote, field[2], accesses_));
      break;
    case RecordKind::kGet:
      Check(OTF2_EvtWriter_RmaGet(writer_, list, time, window, remote, field[2], accesses_));
      break;
    case RecordKind::kAtomic: {
      const auto type = field[3] == 0 ? OTF2_RMA_ATOMIC_TYPE_ACCUMULATE : OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
      Check(OTF2_EvtWriter_RmaAtomic(writer_, list, time, window, remote, type, field[2], field[3], accesses_));
      break;
    }
    case RecordKind::kWindowLock: {
      const OTF2_LockType type = field[3] != 0 ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
      Check(OTF2_EvtWriter_RmaAcquireLock(writer_, list, time, window, remote, kOnlyLock, type));
      break;
    }
    default: {
      const uint32_t own = numbers_.RankIn(communicator, rank_);
      const std::string call = RegionOfField(*numbers_.part().archive, process_, field[0]);
      Synchronize(time, window, call, call == "MPI_Win_sync" ? own : remote, list);
    }
  }
  return true;
}

void OneSided::Complete(uint64_t time, uint32_t window, uint32_t remote, OTF2_AttributeList* list) {
  std::vector<Access>& open = windows_[window].open;
  std::erase_if(open, [&](const Access& access) {
    if (remote != kAll && access.remote != remote) return false;
    Check(OTF2_EvtWriter_RmaOpCompleteBlocking(writer_, list, time, window, access.number));
    return true;
  });
}

void OneSided::Notify(uint64_t time, uint32_t window, std::vector<uint32_t>* partners, OTF2_RmaSyncType type,
                      OTF2_AttributeList* list) {
  for (const uint32_t partner : std::exchange(*partners, {})) {
    Check(OTF2_EvtWriter_RmaSync(writer_, list, time, window, partner, type));
  }
}

void OneSided::Synchronize(uint64_t time, uint32_t window, const std::string& call, uint32_t remote,
                           OTF2_AttributeList* list) {
  Window& state = windows_[window];
  if (call == "MPI_Win_fence") {
    Check(OTF2_EvtWriter_RmaCollectiveBegin(writer_, list, time));
    Complete(time, window, kAll, list);
    Check(OTF2_EvtWriter_RmaCollectiveEnd(writer_, list, time, OTF2_COLLECTIVE_OP_BARRIER,
                                          OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, window,
                                          OTF2_UNDEFINED_UINT32, 0, 0));
  } else if (call == "MPI_Win_start") {
    state.started.push_back(remote);
    Check(OTF2_EvtWriter_RmaSync(writer_, list, time, window, remote, OTF2_RMA_SYNC_TYPE_NOTIFY_IN));
  } else if (call == "MPI_Win_post") {
    state.posted.push_back(remote);
    Check(OTF2_EvtWriter_RmaSync(writer_, list, time, window, remote, OTF2_RMA_SYNC_TYPE_NOTIFY_OUT));
  } else if (call == "MPI_Win_complete") {
    Complete(time, window, kAll, list);
    Notify(time, window, &state.started, OTF2_RMA_SYNC_TYPE_NOTIFY_OUT, list);
  } else if (call == "MPI_Win_wait" || call == "MPI_Win_test") {
    Notify(time, window, &state.posted, OTF2_RMA_SYNC_TYPE_NOTIFY_IN, list);
  } else if (call == "MPI_Win_sync") {
    Check(OTF2_EvtWriter_RmaSync(writer_, list, time, window, remote, OTF2_RMA_SYNC_TYPE_MEMORY));
  } else {  // an unlock or flush, of one rank or of all
    Complete(time, window, remote, list);
    if (call.starts_with("MPI_Win_unlock")) {
      Check(OTF2_EvtWriter_RmaReleaseLock(writer_, list, time, window, remote, kOnlyLock));
    }
  }
}

}  // namespace epik::archive
