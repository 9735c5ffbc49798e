// SPDX-License-Identifier: BSD-3-Clause
#include "archive/otf2/otf2.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "archive/otf2/comm_calls.h"
#include "archive/otf2/definitions.h"
#include "archive/otf2/one_sided.h"
#include "archive/otf2/openmp_order.h"
#include "archive/otf2/run.h"
#include "archive/otf2/words.h"
#include "archive/trace/record_text.h"

namespace epik::archive {

using event::RecordKind;

namespace {

constexpr uint64_t kChunkBytes = 1 << 20;

OTF2_FlushType WriteIt(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

// Converts a count, which the trace holds as a real number. A damaged trace may hold any number.
uint64_t WholeNumber(double value) {
  constexpr double kMost = 0x1p63;
  return value >= 0 && value < kMost ? static_cast<uint64_t>(value) : 0;
}

// Writes the events of one stream.
class Otf2Writer : public TraceVisitor {
 public:
  Otf2Writer(Otf2Numbers* numbers, uint32_t stream, OTF2_EvtWriter* writer, OTF2_AttributeList* attributes)
      : numbers_(*numbers),
        archive_(*numbers->part().archive),
        process_(archive_.streams()[stream].process),
        writer_(writer),
        attributes_(attributes),
        comm_calls_(numbers, process_, writer),
        one_sided_(numbers, process_, RankOf(numbers->part(), stream), writer) {}

  void Begin(int64_t ns) {
    Check(OTF2_EvtWriter_ProgramBegin(writer_, nullptr, Time(ns), Otf2Numbers::kProgram, 0, nullptr));
  }
  // Call it after the last event.
  void WriteHeld() {
    if (!held_.has_value()) return;
    const Held held = *std::exchange(held_, std::nullopt);
    Write(held.ns, held.event, held.path);
  }
  // The program returns its status after the measurement has ended.
  void End(int64_t ns) {
    Check(OTF2_EvtWriter_ProgramEnd(writer_, nullptr, Time(std::max(ns, last_)), OTF2_UNDEFINED_INT64));
  }

  void Enter(uint32_t, int64_t ns, const Frame& frame) override {
    WriteHeld();
    ++calls_;
    const uint32_t region = RegionOf(frame);
    parameter_ = numbers_.ValueOf(region);
    if (parameter_ != nullptr) return Check(WriteValue(writer_, nullptr, Time(ns), *parameter_));
    Check(OTF2_EvtWriter_Enter(writer_, nullptr, Time(ns), region));
    comm_calls_.Entered(Time(ns), NameOf(region));
  }
  void Leave(uint32_t, int64_t ns, const Frame& frame) override {
    WriteHeld();
    last_ = ns;
    const uint32_t region = RegionOf(frame);
    if (numbers_.ValueOf(region) != nullptr) return;  // the value of the parameter ends with the call around it
    comm_calls_.Leaves(Time(ns));
    Check(OTF2_EvtWriter_Leave(writer_, nullptr, Time(ns), region));
  }

  // OTF2 cannot take back a blocking send, so the send waits here until it is known that MPI has not refused it.
  void Record(uint32_t, int64_t ns, const Event& event) override {
    if (event.kind == RecordKind::kAt) {
      path_ = archive_.CallPath(process_, static_cast<uint32_t>(event.field[0]));
      return;
    }
    const uint32_t path = std::exchange(path_, kNone);
    if (event.kind == RecordKind::kSendRefused && event.field[0] == 0) return held_.reset();
    WriteHeld();
    if (event.kind != RecordKind::kSend) return Write(ns, event, path);
    held_ = Held{ns, event, path};
  }

  uint64_t left_out() const { return left_out_; }
  uint64_t calls() const { return calls_; }
  uint64_t records() const { return records_; }
  bool good() const { return good_ && comm_calls_.good() && one_sided_.good(); }

 private:
  struct Held {
    int64_t ns;
    Event event;
    uint32_t path;
  };

  // `path`: its call path, if the frames do not tell it; else kNone.
  void Write(int64_t ns, const Event& event, uint32_t path) {
    OTF2_AttributeList* attributes = nullptr;
    if (path != kNone) {
      Check(OTF2_AttributeList_AddCallingContextRef(attributes_, 0, path));
      attributes = attributes_;
    }
    const uint64_t time = Time(ns);
    const bool written = Mpi(time, event, attributes) || Omp(time, event, attributes) ||
                         Thread(time, event, attributes) || Other(time, event, attributes) ||
                         one_sided_.Write(time, event, attributes);
    last_ = ns;
    comm_calls_.Wrote(time);
    left_out_ += written ? 0 : 1;
    records_ += written ? 1 : 0;
    if (attributes != nullptr) OTF2_AttributeList_RemoveAllAttributes(attributes_);
  }

  uint64_t Time(int64_t ns) const { return numbers_.Time(ns); }
  void Check(OTF2_ErrorCode code) { good_ = good_ && code == OTF2_SUCCESS; }

  uint32_t RegionOf(const Frame& frame) const {
    if (frame.call_path == kNone) return numbers_.FoldedRegion();
    return archive_.definitions().profile.call_paths[frame.call_path].region;
  }

  const std::string& NameOf(uint32_t region) const {
    static const std::string kFolded;
    const std::vector<Region>& regions = archive_.definitions().profile.regions;
    return region < regions.size() ? regions[region].name : kFolded;
  }

  bool Mpi(uint64_t time, const Event& event, OTF2_AttributeList* list) {
    const uint64_t* field = event.field;
    const auto peer = [&] {
      const uint32_t communicator = numbers_.Communicator(process_, field[2]);
      return std::pair(communicator, numbers_.RankIn(communicator, static_cast<int32_t>(field[0])));
    };
    const auto tag = static_cast<uint32_t>(field[1]);
    switch (event.kind) {
      case RecordKind::kSend:
        Check(OTF2_EvtWriter_MpiSend(writer_, list, time, peer().second, peer().first, tag, field[3]));
        return true;
      case RecordKind::kReceive:
        Check(OTF2_EvtWriter_MpiRecv(writer_, list, time, peer().second, peer().first, tag, field[3]));
        return true;
      case RecordKind::kSendBegin:
        Check(OTF2_EvtWriter_MpiIsend(writer_, list, time, peer().second, peer().first, tag, field[3], field[4]));
        return true;
      case RecordKind::kSendEnd: Check(OTF2_EvtWriter_MpiIsendComplete(writer_, list, time, field[0])); return true;
      case RecordKind::kReceiveBegin: Check(OTF2_EvtWriter_MpiIrecvRequest(writer_, list, time, field[0])); return true;
      case RecordKind::kReceivePosted:
        Check(OTF2_EvtWriter_MpiIrecvRequest(writer_, list, time, field[3]));
        return true;
      case RecordKind::kReceiveEnd:
        Check(OTF2_EvtWriter_MpiIrecv(writer_, list, time, peer().second, peer().first, tag, field[3], field[4]));
        return true;
      case RecordKind::kRequestTest: Check(OTF2_EvtWriter_MpiRequestTest(writer_, list, time, field[0])); return true;
      case RecordKind::kSendRefused:
      case RecordKind::kRequestCancelled:
        Check(OTF2_EvtWriter_MpiRequestCancelled(writer_, list, time, field[0]));
        return true;
      case RecordKind::kCollectiveBegin:
        Check(field[1] == 0 ? OTF2_EvtWriter_MpiCollectiveBegin(writer_, list, time)
                            : OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, list, time, field[1]));
        return true;
      case RecordKind::kCollectiveEnd: CollectiveEnd(time, field, list); return true;
      case RecordKind::kCommCreated: comm_calls_.Created(time, field, list); return true;
      case RecordKind::kCollectiveCall:
        comm_calls_.Called(time, RegionOfField(archive_, process_, field[0]), field[1], list);
        return true;
      // These only say more about other events.
      case RecordKind::kCollectivePosted:
      case RecordKind::kCollectivePeers:
      case RecordKind::kTurn:
      case RecordKind::kTurnSince:
      case RecordKind::kSendMode:
      case RecordKind::kTruncated:
      case RecordKind::kCollectiveFailed:
      case RecordKind::kFreedReceived:
      case RecordKind::kBufferEmpty:
      case RecordKind::kSendReady:
      case RecordKind::kProbe: return true;
      default: return false;
    }
  }

  void CollectiveEnd(uint64_t time, const uint64_t* field, OTF2_AttributeList* list) {
    const OTF2_CollectiveOp operation = OperationOf(RegionOfField(archive_, process_, field[0]));
    const uint32_t communicator = numbers_.Communicator(process_, field[1]);
    const auto world_root = static_cast<int32_t>(field[2]);
    const uint32_t root = world_root < 0 ? OTF2_UNDEFINED_UINT32 : numbers_.RankIn(communicator, world_root);
    Check(field[5] == 0
              ? OTF2_EvtWriter_MpiCollectiveEnd(writer_, list, time, operation, communicator, root, field[3], field[4])
              : OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, list, time, operation, communicator, root,
                                                             field[3], field[4], field[5]));
  }

  // OTF2 wants the number of requested threads at the fork. It is not known then, so it is left undefined.
  bool Omp(uint64_t time, const Event& event, OTF2_AttributeList* list) {
    const uint64_t* field = event.field;
    const auto low = [&](int i) { return static_cast<uint32_t>(field[i]); };
    const OTF2_Paradigm openmp = OTF2_PARADIGM_OPENMP;
    switch (event.kind) {
      case RecordKind::kFork:
        Check(OTF2_EvtWriter_ThreadFork(writer_, list, time, openmp, OTF2_UNDEFINED_UINT32));
        return true;
      case RecordKind::kJoin: Check(OTF2_EvtWriter_ThreadJoin(writer_, list, time, openmp)); return true;
      case RecordKind::kTeamBegin:
        Check(OTF2_EvtWriter_ThreadTeamBegin(writer_, list, time, numbers_.Team(process_)));
        return true;
      case RecordKind::kTeamEnd:
        Check(OTF2_EvtWriter_ThreadTeamEnd(writer_, list, time, numbers_.Team(process_)));
        return true;
      case RecordKind::kLockAcquire:
        Check(OTF2_EvtWriter_ThreadAcquireLock(writer_, list, time, openmp, low(0), low(1)));
        return true;
      case RecordKind::kLockRelease:
        Check(OTF2_EvtWriter_ThreadReleaseLock(writer_, list, time, openmp, low(0), low(1)));
        return true;
      case RecordKind::kMutexTaken:
        Check(OTF2_EvtWriter_ThreadAcquireLock(writer_, list, time, OTF2_PARADIGM_PTHREAD, low(0), low(1)));
        return true;
      case RecordKind::kMutexReleased:
        Check(OTF2_EvtWriter_ThreadReleaseLock(writer_, list, time, OTF2_PARADIGM_PTHREAD, low(0), low(1)));
        return true;
      case RecordKind::kTaskCreate: return Task(OTF2_EvtWriter_ThreadTaskCreate, time, field[0], list);
      case RecordKind::kTaskBegin:
      case RecordKind::kTaskSwitch: return Task(OTF2_EvtWriter_ThreadTaskSwitch, time, field[0], list);
      case RecordKind::kTaskEnd: return Task(OTF2_EvtWriter_ThreadTaskComplete, time, field[0], list);
      case RecordKind::kTeamSize:
      case RecordKind::kBarrier:
      case RecordKind::kTaskWait:
      case RecordKind::kLockWanted:
      case RecordKind::kLockGot:
      case RecordKind::kJoinWanted:
      case RecordKind::kSignalWanted:
      case RecordKind::kSignalGot:
      case RecordKind::kThreadBarrier: return true;  // the call says the same
      default: return false;
    }
  }

  // Creation, end and join of libc's threads.
  bool Thread(uint64_t time, const Event& event, OTF2_AttributeList* list) {
    const auto write = [&](auto* function) {
      Check(function(writer_, list, time, numbers_.Team(process_, OTF2_PARADIGM_PTHREAD), event.field[0]));
      return true;
    };
    switch (event.kind) {
      case RecordKind::kThreadCreate: return write(OTF2_EvtWriter_ThreadCreate);
      case RecordKind::kThreadBegin: return write(OTF2_EvtWriter_ThreadBegin);
      case RecordKind::kThreadEnd: return write(OTF2_EvtWriter_ThreadEnd);
      case RecordKind::kJoinGot: return write(OTF2_EvtWriter_ThreadWait);
      default: return false;
    }
  }

  template <typename Function>
  bool Task(Function* write, uint64_t time, uint64_t task, OTF2_AttributeList* list) {
    Check(write(writer_, list, time, numbers_.Team(process_), numbers_.ThreadIn(process_, task >> 32),
                static_cast<uint32_t>(task)));
    return true;
  }

  bool Other(uint64_t time, const Event& event, OTF2_AttributeList* list) {
    const uint64_t* field = event.field;
    switch (event.kind) {
      case RecordKind::kMetric: {
        OTF2_Type type = OTF2_TYPE_DOUBLE;
        const uint32_t metric = numbers_.Metric(process_, field[0], &type);
        const auto real = std::bit_cast<double>(field[1]);
        OTF2_MetricValue value;
        if (type == OTF2_TYPE_UINT64) {
          value.unsigned_int = WholeNumber(real);
        } else {
          value.floating_point = real;
        }
        Check(OTF2_EvtWriter_Metric(writer_, list, time, metric, 1, &type, &value));
        return true;
      }
      case RecordKind::kParameter: {
        const uint32_t number = numbers_.Parameter(RegionOfField(archive_, process_, field[0]));
        const bool is_told = parameter_ != nullptr && parameter_->parameter == number;  // the call has told it
        const ParameterValue value = {number, OTF2_PARAMETER_TYPE_INT64, static_cast<int64_t>(field[1]), 0};
        if (!is_told) Check(WriteValue(writer_, list, time, value));
        parameter_ = nullptr;
        return true;
      }
      // One record for both, because a thread does nothing else while it writes its buffer.
      case RecordKind::kFlushBegin: flush_ = time; return true;
      case RecordKind::kFlushEnd:
        Check(OTF2_EvtWriter_BufferFlush(writer_, list, std::min(flush_, time), time));
        return true;
      default: return false;
    }
  }

  Otf2Numbers& numbers_;
  const TraceArchive& archive_;
  uint32_t process_;
  OTF2_EvtWriter* writer_;
  OTF2_AttributeList* attributes_;
  uint32_t path_ = kNone;                      // call path of the next record
  std::optional<Held> held_;                   // a blocking send
  const ParameterValue* parameter_ = nullptr;  // the value that the last entered call represents
  uint64_t flush_ = UINT64_MAX;
  int64_t last_ = INT64_MIN;
  uint64_t left_out_ = 0, calls_ = 0, records_ = 0;
  CommCalls comm_calls_;
  OneSided one_sided_;
  bool good_ = true;
};

struct CloseArchive {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};
struct DeleteList {
  void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
};

// Writes one stream after the other, with one block and one file open at a time.
bool WriteStreams(OTF2_Archive* to, int32_t rank, Otf2Numbers* numbers, Otf2Numbers::Counts* counts,
                  std::vector<std::string>* notes) {
  const std::unique_ptr<OTF2_AttributeList, DeleteList> attributes(OTF2_AttributeList_New());
  bool good = attributes != nullptr;
  uint64_t left_out = 0, calls = 0, records = 0;
  std::set<uint64_t> written;
  const bool whole = numbers->part().from == INT64_MIN && numbers->part().to == INT64_MAX;
  for (const uint32_t s : numbers->part().streams) {
    written.insert(numbers->Location(s));
    OTF2_EvtWriter* writer = good ? OTF2_Archive_GetEvtWriter(to, numbers->Location(s)) : nullptr;
    if (writer == nullptr) return false;
    TracePart one = numbers->part();
    one.streams = {s};
    Otf2Writer visitor(numbers, s, writer, attributes.get());
    OpenMpOrder in_order(*one.archive, &visitor);
    const bool tells_ends = whole && numbers->IsMaster(s);
    if (tells_ends) visitor.Begin(FirstNs(one));
    const WalkResult result = Walk(one, &in_order);
    visitor.WriteHeld();
    if (tells_ends) visitor.End(LastNs(one));
    calls += visitor.calls();
    records += visitor.records();
    notes->insert(notes->end(), result.problems.begin(), result.problems.end());
    left_out += visitor.left_out();
    good = visitor.good() &&
           OTF2_EvtWriter_GetNumberOfEvents(writer, &(*counts)[numbers->Location(s)]) == OTF2_SUCCESS &&
           OTF2_Archive_CloseEvtWriter(to, writer) == OTF2_SUCCESS;
  }
  // Readers look for the files of every location.
  for (const uint64_t location : numbers->Locations(rank)) {
    if (written.contains(location) || !good) continue;
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(to, location);
    good = writer != nullptr && OTF2_Archive_CloseEvtWriter(to, writer) == OTF2_SUCCESS;
  }
  if (numbers->unknown_communicators() > 0) {
    notes->push_back(std::to_string(numbers->unknown_communicators()) +
                     " records of communicators whose members are not known are in MPI_COMM_WORLD");
  }
  if (left_out > 0) {
    notes->push_back(
        "left out: " + std::to_string(left_out) +
        " records (gaps, signals between threads, one-sided ones of unknown windows) that are not written to OTF2");
  }
  if (calls == 0 && records > 0) {
    notes->push_back(
        "the trace has records without the calls around them: otf2-print and Vampir show messages; "
        "timelines of functions and Scalasca need calls (EPK_TRACE=comm)");
  }
  return good;
}

// Opening and closing is collective, so all processes do it even when writing has failed in one of them.
bool WriteEvents(OTF2_Archive* to, int32_t rank, Otf2Numbers* numbers, Otf2Numbers::Counts* counts,
                 std::vector<std::string>* notes) {
  if (OTF2_Archive_OpenEvtFiles(to) != OTF2_SUCCESS) return false;
  const bool good = WriteStreams(to, rank, numbers, counts, notes);
  return OTF2_Archive_CloseEvtFiles(to) == OTF2_SUCCESS && good;
}

bool WriteLocalDefinitions(OTF2_Archive* to, int32_t rank, const Otf2Numbers& numbers) {
  if (OTF2_Archive_OpenDefFiles(to) != OTF2_SUCCESS) return false;
  bool good = true;
  for (const uint64_t location : numbers.Locations(rank)) {
    OTF2_DefWriter* writer = good ? OTF2_Archive_GetDefWriter(to, location) : nullptr;
    good = writer != nullptr && OTF2_Archive_CloseDefWriter(to, writer) == OTF2_SUCCESS;
  }
  return OTF2_Archive_CloseDefFiles(to) == OTF2_SUCCESS && good;
}

}  // namespace

bool WriteOtf2(const TracePart& part, const std::string& path, std::vector<std::string>* notes, std::string* error) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    *error = path + " is there already";
    return false;
  }
  return WriteOtf2(part, path, RunOf(*part.archive), nullptr, notes, error);
}

bool WriteOtf2(const TracePart& part, const std::string& path, const Otf2Run& run, Otf2Job* job,
               std::vector<std::string>* notes, std::string* error) {
  std::string first;  // the library's first own message; what follows says that there was an error
  OTF2_Error_RegisterCallback(
      [](void* to, const char*, uint64_t, const char*, OTF2_ErrorCode code, const char*, va_list) {
        std::string& text = *static_cast<std::string*>(to);
        if (text.empty()) text = OTF2_Error_GetDescription(code);
        return code;
      },
      &first);
  const bool is_primary = job == nullptr || job->IsPrimary();
  const auto fail = [&] {
    std::error_code ignored;
    if (is_primary) std::filesystem::remove_all(path, ignored);  // a reader would take it for a whole archive
    *error = path + ": OTF2 cannot be written" + (first.empty() ? "" : ": " + first);
    OTF2_Error_RegisterCallback(nullptr, nullptr);
    return false;
  };
  std::unique_ptr<OTF2_Archive, CloseArchive> to(OTF2_Archive_Open(path.c_str(), "traces", OTF2_FILEMODE_WRITE,
                                                                   kChunkBytes, kChunkBytes, OTF2_SUBSTRATE_POSIX,
                                                                   OTF2_COMPRESSION_NONE));
  static const OTF2_FlushCallbacks kFlush = {WriteIt, nullptr};
  Otf2Numbers numbers(part, job != nullptr, run);
  bool good = to != nullptr && OTF2_Archive_SetFlushCallbacks(to.get(), &kFlush, nullptr) == OTF2_SUCCESS;
  if (job != nullptr && !job->Agree(good)) return fail();
  if (!good) return fail();
  good = job == nullptr ? OTF2_Archive_SetSerialCollectiveCallbacks(to.get()) == OTF2_SUCCESS
                        : job->SetCallbacks(to.get());
  const int32_t rank = job == nullptr ? -1 : job->rank();
  Otf2Numbers::Counts counts;
  int64_t last_ns = LastNs(part);
  good = good && WriteEvents(to.get(), rank, &numbers, &counts, notes);
  good = WriteLocalDefinitions(to.get(), rank, numbers) && good;
  if (job != nullptr) good = job->Gather(&counts, &numbers.lives(), &last_ns) && good;
  if (is_primary) {
    good = good && OTF2_Archive_SetCreator(to.get(), "EPIK") == OTF2_SUCCESS &&
           numbers.WriteDefinitions(OTF2_Archive_GetGlobalDefWriter(to.get()), counts, last_ns);
  }
  good = OTF2_Archive_Close(to.release()) == OTF2_SUCCESS && good;  // this writes the data that it has kept in memory
  if (job != nullptr) good = job->Agree(good);
  if (!good) return fail();
  OTF2_Error_RegisterCallback(nullptr, nullptr);  // `first` is about to end
  return true;
}

}  // namespace epik::archive
