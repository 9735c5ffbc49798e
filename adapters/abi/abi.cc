// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/abi/abi.h"

#include <cstring>

#include "adapters/abi/noted_call.h"
#include "config/paradigms.h"
#include "runtime/base/compiler.h"
#include "runtime/counters/counters.h"
#include "runtime/counters/files.h"
#include "runtime/epilog/capture.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/jumps.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/metrics.h"
#include "runtime/episode/options.h"
#include "runtime/episode/topologies.h"
#include "runtime/job/job.h"
#include "runtime/monitor/collectors.h"
#include "runtime/monitor/known.h"
#include "runtime/monitor/waits.h"

using epik::adapters::NotedFrame;
using epik::event::CollectiveEvent;
using epik::event::Frame;
using epik::event::Key;
using epik::event::Location;
using epik::event::RegionKey;
using epik::event::Step;

namespace {

// `current` and not CurrentLocation(): adapters call from their own wrappers, never from a signal handler that
// interrupted a cold function.
Location* Here() { return epik::episode::current; }

// The current call path, as epik_adapter_unsent() takes it.
uint64_t PlaceIn(const Location* location) { return uint64_t{epik::base::LineOf(location)} << 32 | location->node; }

// Reads the clock first, so that `add` hides behind the latency of the clock.
template <class Clock, class Add>
EPIK_HOT void ExitWith(Key key, const void* stack, Clock now, Add add) {
  Location* location = Here();
  const bool usual = location != nullptr && !epik::episode::IsUnusual();
  if (EPIK_UNLIKELY(!usual)) {
    if (location != nullptr) add(location);
    return epik::episode::Exit(key, stack);
  }
  const uint64_t left = now();
  add(location);
  const epik::event::Frame* frame = epik::event::FrameAt(location->top);
  // If there was no memory for the metric, `add` may have ended the measurement of this thread.
  if (EPIK_UNLIKELY(frame->key != key || Here() != location)) return epik::episode::Exit(key, stack);
  epik::episode::Pop(location, frame, left);
}

int NotedBy(uint32_t log_kinds) {
  return ((log_kinds & epik::event::kNoteCollectives) != 0 ? kEpikCollects : 0) |
         ((log_kinds & epik::event::kNoteMessages) != 0 ? kEpikSteps : 0);
}

// The kinds that are noted now, also of threads that are not measured.
int NotedNow() {
  const epik::event::ProcessHeader* process = epik::event::Process();
  const uint32_t since = process == nullptr ? 0 : __atomic_load_n(&process->collects, __ATOMIC_RELAXED);
  return NotedBy(epik::monitor::collects | since);
}

int WantedBy(uint32_t log_kinds) {
  const int traces = (log_kinds & epik::event::kLogRecords) != 0 ? kEpikTraces : 0;
  return kEpikCounts | traces | NotedBy(log_kinds);
}

// Completes a step of the latest call; the call's frame is null if it is not measured. False: the step has nothing that
// would help others.
bool Complete(CollectiveEvent* step, const Frame* frame) {
  const Step what = epik::event::StepOf(*step);
  if (step->node == 0 && frame != nullptr) step->node = frame->node;
  // A call that completes something for which others wait tells them, even if its own time is not measured.
  if (what == Step::kCall && frame == nullptr) {
    step->about += static_cast<uint32_t>(Step::kTest) - static_cast<uint32_t>(Step::kCall);
  }
  if (step->entered != 0 || what == Step::kLeft) return true;
  if (frame != nullptr) step->entered = frame->entered;
  return frame != nullptr || (what != Step::kSent && what != Step::kReceived && what != Step::kBegun);
}

}  // namespace

EPIK_PER_THREAD epik::base::PerThread<Key> epik::adapters::noted_call;

extern "C" {

EPIK_EXPORT uint32_t epik_adapter_version(void) { return kEpikAdapterVersion; }

EPIK_EXPORT uint32_t epik_adapter_region(uint16_t paradigm, const char* name) {
  if (!epik::episode::EnsureStarted()) return 0;
  const epik::episode::Inside guard;
  const char* const file = epik::config::FindParadigm(epik::config::ParadigmWord(paradigm))->file;
  return epik::episode::DefineRegion(name, file, -1, epik::event::Role::kFunction, epik::event::Paradigm{paradigm});
}

EPIK_EXPORT int epik_adapter_enter(uint32_t region, const void* stack) {
  epik::episode::Enter(RegionKey(region), stack);
  const Location* location = Here();
  if (location == nullptr) return NotedNow();
  if (EPIK_LIKELY(location->log_kinds == 0)) return kEpikCounts;
  *epik::adapters::noted_call = RegionKey(region);
  return WantedBy(location->log_kinds);
}

EPIK_EXPORT int epik_adapter_noted(void) { return NotedNow(); }

EPIK_EXPORT void epik_adapter_exit(uint32_t region, const void* stack) {
  epik::episode::Exit(RegionKey(region), stack);
}

EPIK_EXPORT void epik_adapter_keep_frame(const void** (*frame)(void)) { epik::episode::KeepFrame(frame); }

EPIK_EXPORT void epik_adapter_add(uint32_t metric, uint64_t value) {
  if (Location* location = Here()) epik::episode::AddInteger(location, metric, value);
}

EPIK_EXPORT void epik_adapter_add_values(uint32_t metric, const EpikValues* values) {
  if (Location* location = Here())
    epik::episode::AddValues(location, metric, {values->count, values->sum, values->min, values->max});
}

EPIK_EXPORT void epik_adapter_exit_with(uint32_t region, const void* stack, uint32_t metric, uint64_t value,
                                        uint32_t second, uint64_t second_value) {
  ExitWith(RegionKey(region), stack, epik::base::ReadTsc,
           [=](Location* location) { epik::episode::AddIntegers(location, metric, value, second, second_value); });
}

EPIK_EXPORT void epik_adapter_exit_at(uint32_t region, const void* stack, uint64_t left, uint32_t metric,
                                      uint64_t value, uint32_t second, uint64_t second_value) {
  ExitWith(
      RegionKey(region), stack, [left] { return left; },
      [=](Location* location) {
        if (metric != 0) epik::episode::AddIntegers(location, metric, value, second, second_value);
      });
  epik::monitor::WorkAfterCall(stack);
}

EPIK_EXPORT uint64_t epik_adapter_sent(uint64_t bytes, int32_t rank) {
  Location* location = Here();
  if (location == nullptr) return 0;
  const uint64_t place = PlaceIn(location);
  epik::episode::AddSent(location, epik::episode::adapter_options.mpi_matrix ? rank : -1, bytes);
  return place;
}

EPIK_EXPORT void epik_adapter_unsent(uint64_t place, uint64_t bytes, int32_t rank) {
  Location* location = Here();
  // Only the thread that sent the message may write to its location.
  if (location == nullptr || epik::base::LineOf(location) != place >> 32) return;
  const auto node = static_cast<uint32_t>(place);
  epik::episode::TakeBack(location, node, epik::event::kBytesSentMetric, bytes);
  if (rank < 0 || !epik::episode::adapter_options.mpi_matrix) return;
  epik::episode::TakeBackFromPeer(location, static_cast<uint32_t>(rank), bytes);
}

EPIK_EXPORT uint64_t epik_adapter_place(void) {
  const Location* location = Here();
  return location == nullptr ? 0 : PlaceIn(location);
}

EPIK_EXPORT int epik_adapter_busy(void) { return epik::episode::inside || epik::counters::ChargeAtWork() != 0 ? 1 : 0; }

EPIK_EXPORT uint64_t epik_adapter_file(const char* path) { return epik::counters::NumberOfFile(path); }

EPIK_EXPORT int epik_adapter_file_call(uint64_t file, uint32_t call, uint64_t bytes, uint64_t ns) {
  return epik::counters::AddFileCall(file, static_cast<epik::event::FileCall>(call), bytes, ns) ? 1 : 0;
}

EPIK_EXPORT int epik_adapter_may_trace(void) { return epik::epilog::LogsCommunication() ? 1 : 0; }

EPIK_EXPORT int epik_adapter_traces(void) {
  const Location* location = Here();
  return location != nullptr && (location->log_kinds & epik::event::kLogRecords) != 0 ? 1 : 0;
}

EPIK_EXPORT uint64_t epik_adapter_record(uint32_t kind, const uint64_t* fields) {
  return epik::epilog::LogRecord(static_cast<epik::event::RecordKind>(kind), fields);
}

EPIK_EXPORT uint64_t epik_adapter_record_at(uint64_t time, uint32_t kind, const uint64_t* fields) {
  return epik::epilog::LogRecordAt(time, static_cast<epik::event::RecordKind>(kind), fields);
}

EPIK_EXPORT void epik_adapter_lost(uint64_t records) {
  if (Location* location = Here()) location->unlogged += records;
}

EPIK_EXPORT void epik_adapter_note(const char* text) {
  if (!epik::episode::EnsureStarted()) return;
  const epik::episode::Inside guard;
  epik::episode::Note(text);
}

EPIK_EXPORT uint64_t epik_adapter_collective(const EpikCollective* done, const void* stack) {
  Location* location = Here();
  if (NotedFrame(location) == nullptr) return 0;
  CollectiveEvent event = {};
  event.entered = done->begun;
  event.left = done->ended;
  event.communicator = done->number;
  event.sequence = done->sequence;
  event.about = epik::event::AboutCollective(done->root, done->gives, done->gets, done->of_some);
  return epik::monitor::NoteCollective(location, event, stack);
}

EPIK_EXPORT uint64_t epik_adapter_call_done(uint32_t number, uint32_t sequence, uint32_t about, const void* stack) {
  Location* location = Here();
  if (NotedFrame(location) == nullptr) return 0;
  return epik::monitor::NoteCall(location, number, sequence, about, stack);
}

EPIK_EXPORT uint64_t epik_adapter_step(const EpikStep* step, const void* stack) {
  Location* location = Here();
  if (location == nullptr) return 0;
  CollectiveEvent noted = {};
  noted.entered = step->entered;
  noted.left = step->channel;
  noted.node = step->node;
  noted.communicator = step->number;
  noted.sequence = step->sequence;
  noted.about = step->about | epik::event::kStepBit;
  if (!Complete(&noted, NotedFrame(location))) return 0;
  if (epik::event::StepOf(noted) == Step::kCall) return epik::monitor::NoteCompletion(location, noted);
  epik::monitor::NoteStep(location, noted, stack);
  return 0;
}

EPIK_EXPORT int epik_adapter_may_need_receive(int32_t rank, uint64_t bytes) {
  const Location* location = Here();
  return location != nullptr && epik::monitor::MayNeedReceive(location, rank, bytes) ? 1 : 0;
}

EPIK_EXPORT uint64_t epik_adapter_entered(uint32_t* node) {
  const Frame* frame = NotedFrame(Here());
  if (frame == nullptr) return 0;
  *node = frame->node;
  return frame->entered;
}

EPIK_EXPORT uint64_t epik_adapter_now(void) { return epik::base::Now(); }

EPIK_EXPORT void epik_adapter_communicator(const EpikCommunicator* communicator) {
  if (!epik::episode::EnsureStarted()) return;
  const epik::episode::Inside guard;
  uint32_t members = 0;
  for (uint32_t i = 0; i < communicator->own_runs; ++i) members += static_cast<uint32_t>(communicator->runs[i].count);
  epik::monitor::KnowCommunicator(communicator->number,
                                  {communicator->id, communicator->rank, members, communicator->remote_runs != 0});
  const epik::event::CommunicatorRecord record = {communicator->id, communicator->number, communicator->rank,
                                                  communicator->own_runs, communicator->remote_runs};
  const size_t runs = size_t{record.own_runs} + record.remote_runs;
  const epik::episode::Piece pieces[] = {{&record, sizeof record},
                                         {communicator->runs, runs * sizeof communicator->runs[0]},
                                         {communicator->name, std::strlen(communicator->name) + 1}};
  epik::episode::Define(epik::event::RecordType::kCommunicator, pieces, 3);
}

EPIK_EXPORT void epik_adapter_window(uint32_t number, uint32_t communicator, uint64_t id, const char* name) {
  if (!epik::episode::EnsureStarted()) return;
  const epik::episode::Inside guard;
  const epik::event::WindowRecord record = {id, number, communicator};
  const epik::episode::Piece pieces[] = {{&record, sizeof record}, {name, std::strlen(name) + 1}};
  epik::episode::Define(epik::event::RecordType::kWindow, pieces, 2);
}

EPIK_EXPORT void epik_adapter_name(uint32_t kind, uint32_t number, const char* name) {
  if (!epik::episode::EnsureStarted()) return;
  const epik::episode::Inside guard;
  const epik::event::NameRecord record = {kind, number};
  const epik::episode::Piece pieces[] = {{&record, sizeof record}, {name, std::strlen(name) + 1}};
  epik::episode::Define(epik::event::RecordType::kName, pieces, 2);
}

EPIK_EXPORT void epik_adapter_topology(uint64_t id, const char* name, const epik::event::TopologyDimension* dimensions,
                                       uint32_t count) {
  epik::episode::DefineTopology(id, name, dimensions, count, nullptr);
}

EPIK_EXPORT uint64_t epik_adapter_mpi_groups(void) {
  return epik::episode::EnsureStarted() ? epik::episode::adapter_options.mpi_groups : 0;
}

EPIK_EXPORT void epik_adapter_expect_job(void) { epik::job::ExpectJob(); }

EPIK_EXPORT int epik_adapter_join(const EpikProcessGroup* group) { return epik::job::JoinJob(*group) ? 1 : 0; }

EPIK_EXPORT int epik_adapter_clocks_drift(void) { return epik::job::ClocksDrift() ? 1 : 0; }

EPIK_EXPORT void epik_adapter_barrier(const EpikProcessGroup* group, const void* stack) {
  epik::job::AfterBarrier(*group, stack);
}

EPIK_EXPORT void epik_adapter_finalize(const EpikProcessGroup* group) { epik::job::FinishJob(*group); }

EPIK_EXPORT void epik_adapter_abort(int code) { epik::job::LeaveJob(epik::event::Ending::kMpiAbort, code); }
}
