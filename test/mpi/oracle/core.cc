// SPDX-License-Identifier: BSD-3-Clause
// Stands in for libepk.so: writes each report of an MPI adapter to the core as a line to $RECORDS_FOLDER/<process id>.
// So the adapter's records are tested without another encoding.
//
//   rank R                                   join R: MPI is up
//   communicator NUMBER ID RANK own|remote MEMBERS… name NAME
//   window NUMBER COMMUNICATOR ID name NAME   name KIND NUMBER NAME
//   record THREAD REGION NAME FIELDS…         REGION: the call it was told in
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "adapters/abi/abi.h"
#include "adapters/abi/coll_tree.h"
#include "runtime/base/compiler.h"
#include "runtime/event/trace.h"

namespace {

using epik::event::RecordKind;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
FILE* file = nullptr;
std::vector<std::string>* regions = nullptr;  // never destroyed: MPI may end after static objects
thread_local uint32_t current = 0;
thread_local int thread_number = -1;
int threads = 0;

class Line {
 public:
  Line() { pthread_mutex_lock(&lock); }
  ~Line() {
    if (File() != nullptr) std::fputc('\n', file);
    pthread_mutex_unlock(&lock);
  }
  FILE* File() {
    const char* folder = std::getenv("RECORDS_FOLDER");
    if (file == nullptr && folder != nullptr) {
      file = std::fopen((std::string(folder) + "/" + std::to_string(getpid())).c_str(), "w");
      if (file != nullptr) std::setvbuf(file, nullptr, _IOLBF, 1 << 16);
    }
    return file;
  }
};

template <class... Arguments>
void Say(const char* format, Arguments... arguments) {
  Line line;
  if (line.File() != nullptr) std::fprintf(file, format, arguments...);
}

const char* NameOf(uint32_t region) {
  return regions != nullptr && region > 0 && region <= regions->size() ? (*regions)[region - 1].c_str() : "-";
}

struct Format {
  const char* name;
  const char* fields;
};
Format FormatOf(uint32_t kind) {
  switch (kind) {
#define RECORD(id, number, name, fields) \
  case number:                           \
    return {#id, fields};
#include "runtime/event/records.def"
#undef RECORD
    default: return {"unknown", ""};
  }
}

std::string Members(const EpikCommunicator& communicator) {
  std::string text = " own";
  const auto* run = communicator.runs;
  for (uint32_t i = 0; i < communicator.own_runs + communicator.remote_runs; ++i, ++run) {
    if (i == communicator.own_runs) text += " remote";
    for (int32_t k = 0; k < run->count; ++k) text += " " + std::to_string(run->first + k * run->step);
  }
  return text;
}

}  // namespace

extern "C" {

EPIK_EXPORT uint32_t epik_adapter_version(void) { return kEpikAdapterVersion; }

EPIK_EXPORT uint32_t epik_adapter_region(uint16_t, const char* name) {
  pthread_mutex_lock(&lock);
  if (regions == nullptr) regions = new std::vector<std::string>;
  regions->push_back(name);
  const auto number = static_cast<uint32_t>(regions->size());
  pthread_mutex_unlock(&lock);
  return number;
}

EPIK_EXPORT int epik_adapter_enter(uint32_t region, const void*) {
  if (thread_number < 0) thread_number = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
  current = region;
  return kEpikCounts | kEpikTraces;
}
EPIK_EXPORT int epik_adapter_noted(void) { return 0; }
EPIK_EXPORT void epik_adapter_exit(uint32_t, const void*) { current = 0; }
EPIK_EXPORT void epik_adapter_exit_with(uint32_t, const void*, uint32_t, uint64_t, uint32_t, uint64_t) { current = 0; }
EPIK_EXPORT void epik_adapter_exit_at(uint32_t, const void*, uint64_t, uint32_t, uint64_t, uint32_t, uint64_t) {
  current = 0;
}
EPIK_EXPORT void epik_adapter_keep_frame(const void** (*)(void)) {}
EPIK_EXPORT void epik_adapter_add(uint32_t, uint64_t) {}
EPIK_EXPORT void epik_adapter_add_values(uint32_t, const EpikValues*) {}
EPIK_EXPORT uint64_t epik_adapter_sent(uint64_t, int32_t) { return 0; }
EPIK_EXPORT void epik_adapter_unsent(uint64_t, uint64_t, int32_t) {}
EPIK_EXPORT int epik_adapter_may_trace(void) { return 1; }
EPIK_EXPORT int epik_adapter_traces(void) { return 1; }

EPIK_EXPORT uint64_t epik_adapter_record(uint32_t kind, const uint64_t* fields) {
  const Format format = FormatOf(kind);
  std::string text;
  for (const char* at = format.fields; (at = std::strchr(at, ':')) != nullptr; ++at, ++fields) {
    const bool is_region = std::strncmp(at, ":region", 7) == 0;
    text += " " + (is_region ? NameOf(static_cast<uint32_t>(*fields)) : std::to_string(static_cast<int64_t>(*fields)));
  }
  Say("record %d %s %s%s", thread_number, NameOf(current), format.name, text.c_str());
  return 0;
}
EPIK_EXPORT uint64_t epik_adapter_record_at(uint64_t, uint32_t kind, const uint64_t* fields) {
  return epik_adapter_record(kind, fields);
}
EPIK_EXPORT void epik_adapter_lost(uint64_t records) { Say("lost %llu", static_cast<unsigned long long>(records)); }
EPIK_EXPORT void epik_adapter_note(const char*) {}
EPIK_EXPORT uint64_t epik_adapter_collective(const EpikCollective*, const void*) { return 0; }
EPIK_EXPORT uint64_t epik_adapter_call_done(uint32_t, uint32_t, uint32_t, const void*) { return 0; }
EPIK_EXPORT uint64_t epik_adapter_step(const EpikStep*, const void*) { return 0; }
EPIK_EXPORT int epik_adapter_may_need_receive(int32_t, uint64_t) { return 0; }
EPIK_EXPORT uint64_t epik_adapter_entered(uint32_t*) { return 0; }

EPIK_EXPORT void epik_adapter_communicator(const EpikCommunicator* communicator) {
  Say("communicator %u %llx %d%s name %s", communicator->number, static_cast<unsigned long long>(communicator->id),
      communicator->rank, Members(*communicator).c_str(), communicator->name);
}
EPIK_EXPORT void epik_adapter_window(uint32_t number, uint32_t communicator, uint64_t id, const char* name) {
  Say("window %u %u %llx name %s", number, communicator, static_cast<unsigned long long>(id), name);
}
EPIK_EXPORT void epik_adapter_name(uint32_t kind, uint32_t number, const char* name) {
  Say("name %u %u %s", kind, number, name);
}

EPIK_EXPORT void epik_adapter_topology(uint64_t, const char*, const epik::event::TopologyDimension*, uint32_t) {}
EPIK_EXPORT int epik_adapter_clocks_drift(void) { return 0; }
EPIK_EXPORT void epik_adapter_barrier(const EpikProcessGroup*, const void*) {}

EPIK_EXPORT uint64_t epik_adapter_mpi_groups(void) { return ~uint64_t{0}; }
EPIK_EXPORT int epik_adapter_wants_tree(void) { return 0; }
EPIK_EXPORT const EpikCollTree* epik_adapter_coll_tree(void) {
  static const EpikCollTree none{};
  return &none;
}
EPIK_EXPORT uint64_t epik_adapter_now(void) { return 0; }
EPIK_EXPORT void epik_adapter_moment(uint32_t, const void*) {}
EPIK_EXPORT const EpikCollTree* epik_adapter_newest_tree(uint32_t*) { return nullptr; }
EPIK_EXPORT void epik_adapter_take_tree(uint32_t, const int32_t*) {}
EPIK_EXPORT void epik_adapter_links(uint32_t, uint32_t, const EpikLink*, uint32_t) {}
EPIK_EXPORT void epik_adapter_expect_job(void) {}

EPIK_EXPORT int epik_adapter_join(const EpikProcessGroup* group) {
  Say("rank %d", group->rank);
  return 1;
}
EPIK_EXPORT void epik_adapter_finalize(const EpikProcessGroup*) {}
EPIK_EXPORT void epik_adapter_abort(int) {}
}
