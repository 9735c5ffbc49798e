// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/forged_archive.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "archive/files/atomic_file.h"
#include "archive/files/byte_source.h"
#include "archive/files/manifest.h"
#include "archive/trace/file_writer.h"
#include "archive/trace/maps.h"
#include "archive/trace/record_names.h"

namespace epik::archive {

namespace {

namespace fs = std::filesystem;
using event::RecordKind;

constexpr const char* kRegions[] = {"main",
                                    "work",
                                    "MPI_Send",
                                    "MPI_Recv",
                                    "MPI_Isend",
                                    "MPI_Irecv",
                                    "MPI_Wait",
                                    "MPI_Waitall",
                                    "MPI_Test",
                                    "MPI_Barrier",
                                    "MPI_Bcast",
                                    "MPI_Reduce",
                                    "MPI_Ibarrier",
                                    "MPI_Probe",
                                    "MPI_Init",
                                    "MPI_Finalize",
                                    "MPI_Comm_free",
                                    "MPI_Win_fence",
                                    "MPI_Win_start",
                                    "MPI_Win_complete",
                                    "MPI_Win_post",
                                    "MPI_Win_wait",
                                    "MPI_Win_lock",
                                    "MPI_Win_unlock",
                                    "MPI_Put",
                                    "!$omp implicit barrier",
                                    "!$omp critical",
                                    "!$omp taskwait",
                                    "!$omp taskgroup",
                                    "pthread_mutex_lock",
                                    "pthread_mutex_unlock",
                                    "pthread_cond_wait",
                                    "sem_wait",
                                    "pthread_barrier_wait",
                                    "pthread_join"};
constexpr uint32_t kNodes = std::size(kRegions);
constexpr uint32_t kFirstNode = static_cast<uint32_t>(RecordKind::kEnter);

// Takes bytes as numbers; zeroes come behind their end.
class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  bool AtEnd() const { return at_ == end_; }
  uint8_t Byte() { return AtEnd() ? 0 : *at_++; }
  // The numbers are mostly small.
  uint64_t Number() {
    const uint8_t first = Byte();
    if (first < 224) return first % 16;
    if (first < 240) return first;
    if (first == 255) return ~uint64_t{0};
    uint64_t number = 0;
    for (int i = 0; i < first % 8 + 1; ++i) number = number << 8 | Byte();
    return number;
  }

 private:
  const uint8_t *at_, *end_;
};

TraceDefinitions Definitions(int ranks, Bytes* bytes) {
  TraceDefinitions all;
  all.origin_ns = static_cast<int64_t>(bytes->Number());
  Profile& profile = all.profile;
  for (uint32_t n = 0; n < kNodes; ++n) {
    Region region;
    region.name = region.mangled = kRegions[n];
    const std::string_view name = kRegions[n];
    region.paradigm = name.starts_with("MPI") ? "mpi" : name.starts_with("!$omp") ? "openmp" : "compiler";
    if (name.starts_with("!$omp")) region.role = name.substr(6);
    if (name.starts_with("pthread") || name.starts_with("sem")) region.paradigm = "pthread";
    profile.regions.push_back(region);
    profile.call_paths.push_back({n, n == 0 ? kNone : static_cast<uint32_t>(bytes->Number() % n)});
  }
  all.communicators.push_back({"MPI_COMM_WORLD", {}, {}});
  all.communicators.push_back({"", {static_cast<uint32_t>(bytes->Number())}, {static_cast<uint32_t>(bytes->Number())}});
  all.windows.push_back({"", static_cast<uint32_t>(bytes->Number())});
  profile.hosts.push_back({"host"});
  for (int r = 0; r < ranks; ++r) {
    profile.processes.push_back({0, r, "rank"});
    for (int t = 0; t < 2; ++t) profile.locations.push_back({static_cast<uint32_t>(r), t, "thread"});
    all.communicators[0].ranks.push_back(static_cast<uint32_t>(r));
  }
  return all;
}

ProcessMap Map(int rank, const std::string& file, Bytes* bytes) {
  ProcessMap map;
  map.rank = rank;
  map.process_id = static_cast<uint32_t>(rank) + 1;
  map.file = file;
  map.first_ticks = bytes->Number();
  map.last_ticks = bytes->Number();
  map.clock.ticks = bytes->Number();
  map.clock.ns = bytes->Number();
  map.clock.seconds_per_tick = 1e-9 * static_cast<double>(bytes->Number());
  for (uint64_t offsets = bytes->Number() % 4; offsets > 0; --offsets) {
    map.clock.offsets.push_back({static_cast<int64_t>(bytes->Number()), static_cast<int64_t>(bytes->Number()),
                                 static_cast<int64_t>(bytes->Number())});
  }
  for (uint32_t n = 0; n < kNodes; ++n) {
    map.nodes.emplace_back(kFirstNode + n, n);
    map.regions.emplace_back(n + 1, n);
  }
  map.nodes.back().second = static_cast<uint32_t>(bytes->Number());
  map.regions.back().second = static_cast<uint32_t>(bytes->Number());
  map.communicators = {{1, 0}, {2, 1}, {3, static_cast<uint32_t>(bytes->Number())}};
  map.windows = {{1, 0}, {2, static_cast<uint32_t>(bytes->Number())}};
  return map;
}

// Writes events of a location until a byte ends them.
void WriteEvents(Bytes* bytes, uint64_t time, FileWriter* file) {
  while (!bytes->AtEnd()) {
    const uint8_t what = bytes->Byte();
    if (what == 255) return;
    Event event;
    event.time = time += bytes->Number() >> 8 == 0 ? what % 8 : 1000;
    if (what < 100) {
      event.kind = RecordKind::kEnter;
      event.node = kFirstNode + what % kNodes;
    } else if (what < 180) {
      event.kind = RecordKind::kExit;
    } else {
      event.kind = static_cast<RecordKind>(bytes->Byte() % epilog::kKinds);
      if (event.kind <= RecordKind::kTime || NameOf(event.kind).name.empty()) continue;
      event.fields = event::FieldsOf(event.kind);
      for (uint32_t f = 0; f < event.fields; ++f) event.field[f] = bytes->Number();
    }
    file->Put(event);
  }
}

// Changes some bytes of a file.
void Patch(const std::string& path, Bytes* bytes) {
  std::string contents;
  std::string error;
  if (!ReadFile(path, uint64_t{1} << 24, &contents, &error) || contents.empty()) return;
  for (int i = 0; i < 16 && !bytes->AtEnd(); ++i) {
    const size_t at = (size_t{bytes->Byte()} << 8 | bytes->Byte()) % contents.size();
    contents[at] = static_cast<char>(bytes->Byte());
  }
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(contents.data(), static_cast<int64_t>(contents.size()));
}

}  // namespace

ForgedArchive::ForgedArchive() {
  std::string folder = (fs::temp_directory_path() / "epik_forged.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  path_ = folder;
}

ForgedArchive::~ForgedArchive() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool ForgedArchive::Forge(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  for (const fs::directory_entry& old : fs::directory_iterator(path_)) fs::remove_all(old.path());
  const uint8_t how = bytes.Byte();
  const int ranks = 1 + how % 3;
  Manifest manifest;
  manifest.ranks = how % 5 == 4 ? static_cast<int>(bytes.Number()) : ranks;
  manifest.trace.there = true;
  const TraceDefinitions definitions = Definitions(ranks, &bytes);
  std::vector<ProcessMap> maps;
  std::string error;
  for (int r = 0; r < ranks; ++r) {
    const std::string name = std::to_string(r) + ".elg";
    maps.push_back(Map(r, name, &bytes));
    const uint64_t begin = bytes.Number();
    FileWriter file;
    file.Open(path_ + "/" + name, static_cast<uint32_t>(r) + 1);
    for (uint32_t t = 0; t < 2; ++t) {
      file.Begin(t);
      WriteEvents(&bytes, begin + 1, &file);
    }
    if (!file.Finish(r, &error)) return false;
  }
  if (!WriteFileAtomically(path_ + "/" + kDefinitionsName, PackDefinitions(definitions), &error) ||
      !WriteMaps(path_ + "/" + kMapsName, maps, &error) ||
      !WriteFileAtomically(path_ + "/" + "manifest.json", manifest.ToJson(), &error)) {
    return false;
  }
  constexpr const char* kFiles[] = {"0.elg", kDefinitionsName, kMapsName, "0.elg"};
  if (how >= 192) Patch(path_ + "/" + kFiles[how % 4], &bytes);
  return true;
}

}  // namespace epik::archive
