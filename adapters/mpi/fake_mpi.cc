// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/fake_mpi.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "adapters/abi/abi.h"
#include "adapters/abi/coll_tree.h"
#include "adapters/mpi/call_hot.h"
#include "adapters/mpi/log.h"
#include "adapters/mpi/pmpi.h"
#include "runtime/event/collectives.h"
#include "runtime/event/trace.h"

namespace epik::mpi {

// The wrappers define these.
const uint64_t request_tests = 0;
__thread const void* outermost = nullptr;
void Prepare(Routine* /*routine*/) {}

namespace {

struct Processes {
  Ranks own, remote;
};
std::map<MPI_Comm, Processes> comms;
std::map<MPI_Win, Ranks> windows;
std::map<MPI_Datatype, int> types;
std::vector<Ranks> groups;  // by handle
int me = 0;
std::vector<std::string> told;

int Give(Ranks ranks, MPI_Group* group) {
  groups.push_back(std::move(ranks));
  *group = static_cast<MPI_Group>(groups.size() - 1);
  return MPI_SUCCESS;
}

int Translate(MPI_Group group, int count, const int ranks[], MPI_Group other, int translated[]) {
  const Ranks& to = groups[static_cast<size_t>(other)];
  for (int i = 0; i < count; ++i) {
    const auto at = std::find(to.begin(), to.end(), groups[static_cast<size_t>(group)][static_cast<size_t>(ranks[i])]);
    translated[i] = at == to.end() ? MPI_UNDEFINED : static_cast<int>(at - to.begin());
  }
  return MPI_SUCCESS;
}

void Tell(std::string text) { told.push_back(std::move(text)); }

}  // namespace

int FakeMpi::complaints = 0;
std::map<uint32_t, uint64_t> FakeMpi::identities;
int FakeMpi::noted = 0;
uint64_t FakeMpi::now = 1000;
std::vector<uint64_t> FakeMpi::times;

void FakeMpi::Make(MPI_Comm handle, Ranks own, Ranks remote) { comms[handle] = {std::move(own), std::move(remote)}; }
void FakeMpi::MakeWindow(MPI_Win handle, Ranks ranks) { windows[handle] = std::move(ranks); }
void FakeMpi::MakeType(MPI_Datatype handle, int size) { types[handle] = size; }
void FakeMpi::FreeType(MPI_Datatype handle) { types.erase(handle); }

std::vector<std::string> FakeMpi::Told() { return std::exchange(told, {}); }

void FakeMpi::Start(int rank, int size) {
  me = rank;
  Ranks all;
  for (int i = 0; i < size; ++i) all.push_back(i);
  Make(MPI_COMM_WORLD, all);
  Make(MPI_COMM_SELF, {rank});
  pmpi.Comm_test_inter = [](MPI_Comm comm, int* flag) {
    return *flag = comms[comm].remote.empty() ? 0 : 1, MPI_SUCCESS;
  };
  pmpi.Comm_size = [](MPI_Comm comm, int* count) {
    return *count = static_cast<int>(comms[comm].own.size()), MPI_SUCCESS;
  };
  pmpi.Comm_remote_size = [](MPI_Comm comm, int* count) {
    return *count = static_cast<int>(comms[comm].remote.size()), MPI_SUCCESS;
  };
  pmpi.Comm_rank = [](MPI_Comm comm, int* place) {
    const Ranks& own = comms[comm].own;
    return *place = static_cast<int>(std::find(own.begin(), own.end(), me) - own.begin()), MPI_SUCCESS;
  };
  pmpi.Comm_group = [](MPI_Comm comm, MPI_Group* group) { return Give(comms[comm].own, group); };
  pmpi.Comm_remote_group = [](MPI_Comm comm, MPI_Group* group) { return Give(comms[comm].remote, group); };
  pmpi.Group_translate_ranks = Translate;
  pmpi.Group_free = [](MPI_Group*) { return MPI_SUCCESS; };
  pmpi.Comm_get_name = [](MPI_Comm, char* name, int* length) { return *name = '\0', *length = 0, MPI_SUCCESS; };
  pmpi.Win_get_name = [](MPI_Win, char* name, int* length) { return *name = '\0', *length = 0, MPI_SUCCESS; };
  pmpi.Topo_test = [](MPI_Comm, int* shape) { return *shape = MPI_UNDEFINED, MPI_SUCCESS; };
  pmpi.Error_class = [](int error, int* of) { return *of = error, MPI_SUCCESS; };
  pmpi.Type_size_x = [](MPI_Datatype type, MPI_Count* bytes) {
    const auto at = types.find(type);
    if (at == types.end()) return ++complaints, MPI_ERR_TYPE;
    return *bytes = at->second, MPI_SUCCESS;
  };
}

}  // namespace epik::mpi

// The core.
extern "C" {

using epik::mpi::FakeMpi;

uint32_t epik_adapter_version(void) { return kEpikAdapterVersion; }
uint32_t epik_adapter_mpi_region(const char*) { return 1; }
int epik_adapter_enter(uint32_t, const void*) { return kEpikCounts | kEpikTraces; }
int epik_adapter_noted(void) { return FakeMpi::noted; }
void epik_adapter_exit(uint32_t, const void*) {}
void epik_adapter_exit_with(uint32_t, const void*, uint32_t, uint64_t, uint32_t, uint64_t) {}
void epik_adapter_exit_at(uint32_t, const void*, uint64_t, uint32_t, uint64_t, uint32_t, uint64_t) {}
void epik_adapter_add(uint32_t metric, uint64_t value) {
  epik::mpi::Tell("add " + std::to_string(metric) + " " + std::to_string(value));
}
uint64_t epik_adapter_sent(uint64_t, int32_t) { return 77; }
void epik_adapter_unsent(uint64_t place, uint64_t bytes, int32_t rank) {
  epik::mpi::Tell("unsent " + std::to_string(place) + " " + std::to_string(bytes) + " " + std::to_string(rank));
}
void epik_adapter_add_values(uint32_t metric, const EpikValues* values) {
  epik::mpi::Tell("add " + std::to_string(metric) + " " + std::to_string(values->count) +
                  " values: " + std::to_string(values->sum) + " from " + std::to_string(values->min) + " to " +
                  std::to_string(values->max));
}
int epik_adapter_may_trace(void) { return 1; }
int epik_adapter_traces(void) { return 1; }
uint64_t epik_adapter_record(uint32_t kind, const uint64_t* fields) {
  const auto of = static_cast<epik::event::RecordKind>(kind);
  std::string text = "unknown";
  switch (of) {
#define RECORD(id, ...)                \
  case epik::event::RecordKind::k##id: \
    text = #id;                        \
    break;
#include "runtime/event/records.def"
#undef RECORD
    default: break;
  }
  for (uint32_t i = 0; i < epik::event::FieldsOf(of); ++i)
    text += " " + std::to_string(static_cast<int64_t>(fields[i]));
  epik::mpi::Tell(text);
  FakeMpi::times.push_back(++FakeMpi::now);
  return FakeMpi::now;
}
uint64_t epik_adapter_record_at(uint64_t time, uint32_t kind, const uint64_t* fields) {
  epik_adapter_record(kind, fields);
  return FakeMpi::times.back() = time;
}
void epik_adapter_lost(uint64_t records) { epik::mpi::Tell("lost " + std::to_string(records)); }
void epik_adapter_note(const char* text) { epik::mpi::Tell(text); }
uint64_t epik_adapter_collective(const EpikCollective* done, const void*) {
  epik::mpi::Tell("collective " + std::to_string(done->number) + " " + std::to_string(done->sequence) + " root " +
                  std::to_string(done->root) + (done->gives ? " gives" : "") + (done->gets ? " gets" : ""));
  return 0;
}
uint64_t epik_adapter_call_done(uint32_t number, uint32_t sequence, uint32_t about, const void* stack) {
  const epik::event::CollectiveEvent event = {0, 0, 0, number, sequence, about};
  const EpikCollective done = {0,
                               0,
                               number,
                               sequence,
                               epik::event::RootOf(event),
                               epik::event::Gives(event),
                               epik::event::Gets(event),
                               epik::event::GetsOfSome(event)};
  return epik_adapter_collective(&done, stack);
}
void epik_adapter_communicator(const EpikCommunicator* communicator) {
  FakeMpi::identities[communicator->number] = communicator->id;
  std::string text = "communicator " + std::to_string(communicator->number) + " own";
  for (uint32_t i = 0; i < communicator->own_runs + communicator->remote_runs; ++i) {
    if (i == communicator->own_runs) text += " remote";
    const auto& run = communicator->runs[i];
    for (int32_t k = 0; k < run.count; ++k) text += " " + std::to_string(run.first + k * run.step);
  }
  epik::mpi::Tell(text);
}
void epik_adapter_window(uint32_t number, uint32_t communicator, uint64_t id, const char*) {
  FakeMpi::identities[1'000'000 + number] = id;
  epik::mpi::Tell("window " + std::to_string(number) + " " + std::to_string(communicator));
}
void epik_adapter_name(uint32_t, uint32_t, const char*) {}
void epik_adapter_topology(uint64_t, const char*, const epik::event::TopologyDimension*, uint32_t) {}
uint64_t epik_adapter_mpi_groups(void) { return ~uint64_t{0}; }
void epik_adapter_expect_job(void) {}
int epik_adapter_join(const EpikProcessGroup*) { return 1; }
int epik_adapter_clocks_drift(void) { return 0; }
void epik_adapter_barrier(const EpikProcessGroup*, const void*) {}
void epik_adapter_finalize(const EpikProcessGroup*) {}
uint64_t epik_adapter_step(const EpikStep* step, const void*) {
  if ((step->about & 15) == static_cast<uint32_t>(epik::event::Step::kBegun)) {
    epik::mpi::Tell("begun " + std::to_string(step->number) + " " + std::to_string(step->sequence));
  }
  return 0;
}
int epik_adapter_may_need_receive(int32_t, uint64_t) { return 0; }
uint64_t epik_adapter_entered(uint32_t*) { return 1; }
uint64_t epik_adapter_now(void) { return 2; }
void epik_adapter_links(uint32_t, uint32_t, const EpikLink*, uint32_t) {}
void epik_adapter_abort(int) {}
}
