// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epitome/mpi_image.h"

#include <cstring>

namespace epik::epitome {
namespace {

using event::RankRun;

template <class Record>
bool ReadHead(const std::string& payload, Record* record) {
  if (payload.size() < sizeof *record) return false;
  std::memcpy(record, payload.data(), sizeof *record);
  return true;
}

std::string NameAt(const std::string& payload, size_t at) { return payload.substr(at, payload.find('\0', at) - at); }

// Members of other jobs have no rank and may be any number, but not more than anybody could have meant.
constexpr int64_t kMostMembers = int64_t{1} << 26;

bool ReadRuns(const char* bytes, uint32_t count, uint32_t ranks, std::vector<int32_t>* members) {
  for (uint32_t i = 0; i < count; ++i) {
    RankRun run;
    std::memcpy(&run, bytes + i * sizeof run, sizeof run);
    const int64_t last = run.first + int64_t{run.step} * (int64_t{run.count} - 1);
    const bool good = run.count > 0 && run.first >= -1 && last >= -1 && run.first < int64_t{ranks} &&
                      last < int64_t{ranks} && static_cast<int64_t>(members->size()) + run.count <= kMostMembers &&
                      (run.step != 0 || run.first == -1 || run.count == 1);
    if (!good) return false;
    for (int32_t k = 0; k < run.count; ++k) members->push_back(run.first + k * run.step);
  }
  return true;
}

bool ReadCommunicator(const std::string& payload, uint32_t ranks, MpiImage* image) {
  event::CommunicatorRecord record;
  if (!ReadHead(payload, &record)) return false;
  const uint64_t runs = uint64_t{record.own_runs} + record.remote_runs;
  if (runs > (payload.size() - sizeof record) / sizeof(RankRun)) return false;
  CommunicatorImage communicator;
  communicator.id = record.id;
  const char* own = payload.data() + sizeof record;
  const char* remote = own + record.own_runs * sizeof(RankRun);
  if (!ReadRuns(own, record.own_runs, ranks, &communicator.own)) return false;
  if (!ReadRuns(remote, record.remote_runs, ranks, &communicator.remote)) return false;
  communicator.name = NameAt(payload, sizeof record + runs * sizeof(RankRun));
  image->communicators[record.number] = std::move(communicator);
  return true;
}

bool ReadWindow(const std::string& payload, MpiImage* image) {
  event::WindowRecord record;
  if (!ReadHead(payload, &record)) return false;
  image->windows[record.number] = {record.id, record.communicator, NameAt(payload, sizeof record)};
  return true;
}

bool ReadName(const std::string& payload, MpiImage* image) {
  event::NameRecord record;
  if (!ReadHead(payload, &record)) return false;
  const std::string name = NameAt(payload, sizeof record);
  const auto type = static_cast<event::RecordType>(record.type);
  if (type == event::RecordType::kCommunicator) {
    const auto place = image->communicators.find(record.number);
    if (place != image->communicators.end()) place->second.name = name;
    return place != image->communicators.end() || record.number < 2;  // those have the names that everybody knows
  }
  const auto place = image->windows.find(record.number);
  if (place != image->windows.end()) place->second.name = name;
  return place != image->windows.end();
}

}  // namespace

bool ReadMpiRecord(event::RecordType type, const std::string& payload, uint32_t ranks, MpiImage* image) {
  switch (type) {
    case event::RecordType::kCommunicator: return ReadCommunicator(payload, ranks, image);
    case event::RecordType::kWindow: return ReadWindow(payload, image);
    case event::RecordType::kName: return ReadName(payload, image);
    default: return false;
  }
}

}  // namespace epik::epitome
