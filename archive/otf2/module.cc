// SPDX-License-Identifier: BSD-3-Clause
// libepk_otf2.so, for EPK_TRACE_FORMAT=otf2. When a job ends, its processes write OTF2 together, each for its own
// threads. Messages of the process group do the collective operations of the OTF2 library.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "archive/files/guarded.h"
#include "archive/otf2/otf2.h"
#include "runtime/abi/bytes.h"
#include "runtime/abi/group.h"
#include "runtime/abi/trace_backend.h"

// The OTF2 library wants a context for each of its communicators. Here each context is the whole job.
struct OTF2_CollectiveContext {
  epik::archive::Group* group;
};

namespace epik::archive {
namespace {

size_t BytesOf(OTF2_Type type) {
  switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8: return 1;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16: return 2;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_FLOAT: return 4;
    default: return 8;
  }
}

OTF2_CallbackCode Code(const Group& group) { return group.failed() ? OTF2_CALLBACK_ERROR : OTF2_CALLBACK_SUCCESS; }

OTF2_CallbackCode GetSize(void*, OTF2_CollectiveContext* all, uint32_t* size) {
  *size = static_cast<uint32_t>(all->group->size());
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode GetRank(void*, OTF2_CollectiveContext* all, uint32_t* rank) {
  *rank = static_cast<uint32_t>(all->group->rank());
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode Barrier(void*, OTF2_CollectiveContext* all) {
  all->group->Agree(true);
  return Code(*all->group);
}

// The OTF2 library uses no other root than the primary.
OTF2_CallbackCode Broadcast(void*, OTF2_CollectiveContext* all, void* data, uint32_t count, OTF2_Type type,
                            uint32_t root) {
  if (root != OTF2_COLLECTIVES_ROOT) return OTF2_CALLBACK_ERROR;
  const size_t size = count * BytesOf(type);
  const std::string bytes = all->group->Broadcast(std::string(static_cast<const char*>(data), size));
  if (bytes.size() == size) std::memcpy(data, bytes.data(), size);
  return bytes.size() == size ? Code(*all->group) : OTF2_CALLBACK_ERROR;
}

OTF2_CallbackCode GatherSome(void*, OTF2_CollectiveContext* all, const void* in, uint32_t count, void* out,
                             const uint32_t*, OTF2_Type type, uint32_t root) {
  if (root != OTF2_COLLECTIVES_ROOT) return OTF2_CALLBACK_ERROR;
  const std::string mine(static_cast<const char*>(in), count * BytesOf(type));
  const std::string bytes = all->group->Gather(mine);
  if (all->group->IsRoot()) std::memcpy(out, bytes.data(), bytes.size());
  return Code(*all->group);
}

OTF2_CallbackCode GatherAll(void* data, OTF2_CollectiveContext* all, const void* in, void* out, uint32_t count,
                            OTF2_Type type, uint32_t root) {
  return GatherSome(data, all, in, count, out, nullptr, type, root);
}

// `counts` (at the root) has a count for each rank; null: every rank gets `count`.
OTF2_CallbackCode ScatterSome(void*, OTF2_CollectiveContext* all, const void* in, const uint32_t* counts, void* out,
                              uint32_t count, OTF2_Type type, uint32_t root) {
  if (root != OTF2_COLLECTIVES_ROOT) return OTF2_CALLBACK_ERROR;
  Group& group = *all->group;
  if (!group.IsRoot()) {
    const std::string bytes = group.Receive(OTF2_COLLECTIVES_ROOT);
    std::memcpy(out, bytes.data(), std::min(bytes.size(), count * BytesOf(type)));
    return Code(group);
  }
  const char* from = static_cast<const char*>(in);
  for (int rank = 0; rank < group.size(); ++rank) {
    const size_t size = (counts == nullptr ? count : counts[rank]) * BytesOf(type);
    if (rank == 0) std::memcpy(out, from, size);
    if (rank != 0) group.Send(rank, std::string(from, size));
    from += size;
  }
  return Code(group);
}

OTF2_CallbackCode Scatter(void* data, OTF2_CollectiveContext* all, const void* in, void* out, uint32_t count,
                          OTF2_Type type, uint32_t root) {
  return ScatterSome(data, all, in, nullptr, out, count, type, root);
}

class Job : public Otf2Job {
 public:
  Job(Group* group, int32_t rank) : group_(*group), all_{group}, rank_(rank) {}

  int32_t rank() const override { return rank_; }
  bool IsPrimary() const override { return group_.IsRoot(); }
  bool Agree(bool mine) override { return group_.Agree(mine); }

  bool SetCallbacks(OTF2_Archive* archive) override {
    static const OTF2_CollectiveCallbacks kCallbacks = {nullptr,   GetSize,   GetRank,    nullptr, nullptr,    Barrier,
                                                        Broadcast, GatherAll, GatherSome, Scatter, ScatterSome};
    return OTF2_Archive_SetCollectiveCallbacks(archive, &kCallbacks, nullptr, &all_, nullptr) == OTF2_SUCCESS;
  }

  bool Gather(std::map<uint64_t, uint64_t>* counts, std::map<uint32_t, uint32_t>* lives, int64_t* last_ns) override {
    BytesOut mine;
    mine.Put(*last_ns);
    mine.Put(static_cast<uint64_t>(counts->size()));
    for (const auto& [location, events] : *counts) {
      mine.Put(location);
      mine.Put(events);
    }
    mine.Put(static_cast<uint64_t>(lives->size()));
    for (const auto& [communicator, from] : *lives) {
      mine.Put(communicator);
      mine.Put(from);
    }
    const std::string all = group_.Gather(mine.Take());
    for (BytesIn in(all); group_.IsRoot() && !in.AtEnd() && in.good();) {
      *last_ns = std::max(*last_ns, in.Get<int64_t>());
      for (auto n = in.Get<uint64_t>(); n > 0 && in.good(); --n) {
        const auto location = in.Get<uint64_t>();
        (*counts)[location] = in.Get<uint64_t>();
      }
      for (auto n = in.Get<uint64_t>(); n > 0 && in.good(); --n) {
        const auto communicator = in.Get<uint32_t>();
        const auto from = in.Get<uint32_t>();
        uint32_t& known = lives->try_emplace(communicator, from).first->second;
        known = std::min(known, from);  // a process that only saw its end does not know its origin
      }
    }
    return !group_.failed();
  }

 private:
  Group& group_;
  OTF2_CollectiveContext all_;
  int32_t rank_;
};

// The date of the origin. The trace is written on the machine, and in the boot, in which it began.
int64_t DateOfOrigin(const TraceArchive& archive) {
  timespec date = {}, own = {};
  if (clock_gettime(CLOCK_REALTIME, &date) != 0 || clock_gettime(CLOCK_MONOTONIC_RAW, &own) != 0) return 0;
  const auto ns = [](const timespec& time) { return time.tv_sec * int64_t{1000000000} + time.tv_nsec; };
  return ns(date) - ns(own) + archive.definitions().origin_ns;
}

bool Write(const EpikTraceBackendRequest& request, std::string* error) {
  Group group(request.group);
  TraceArchive archive;
  // No process may return before all know whether they go on, or else the others would wait for it forever.
  bool good = request.version == kEpikTraceBackendVersion;
  if (!good) *error = "libepk_otf2.so and libepk_archive.so are of different versions";
  good = good && archive.Open(request.folder, error, request.rank);
  if (good && !archive.problems().empty()) {
    *error = archive.problems().front();
    good = false;
  }
  if (!group.Agree(good)) return false;
  TracePart part;
  part.archive = &archive;
  for (uint32_t s = 0; s < archive.streams().size(); ++s) {
    if (archive.streams()[s].location != kNone) part.streams.push_back(s);
  }
  Job job(&group, request.rank);
  std::vector<std::string> notes;
  return WriteOtf2(part, std::string(request.folder) + "/otf2", {request.program, DateOfOrigin(archive)}, &job, &notes,
                   error);
}

}  // namespace
}  // namespace epik::archive

extern "C" __attribute__((visibility("default"))) int epik_write_otf2(const EpikTraceBackendRequest* request,
                                                                      char* error, uint64_t error_bytes) {
  std::string why;
  const bool good = epik::archive::Guarded(&why, [&] { return epik::archive::Write(*request, &why); });
  std::snprintf(error, error_bytes, "%s", why.c_str());
  return good ? 0 : 1;
}
