// SPDX-License-Identifier: BSD-3-Clause
#include "archive/image/definition_records.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace epik::archive {

using event::RecordType;

namespace {

// Reads one record. A record that contradicts itself is left out and counted, because the process may have been killed
// while it wrote it.
class RecordReader {
 public:
  explicit RecordReader(ProcessImage* image) : image_(image) {}

  void Read(RecordType type, const std::string& payload) {
    switch (type) {
      case RecordType::kProgram: image_->program = payload; break;
      case RecordType::kTitle: image_->title = payload; break;
      case RecordType::kConfig: image_->configuration = payload; break;
      case RecordType::kNote: image_->notes.push_back(payload); break;
      case RecordType::kCommand:
        image_->command.clear();
        image_->command.reserve(static_cast<size_t>(std::count(payload.begin(), payload.end(), '\0')) + 1);
        for (size_t at = 0; at < payload.size();) {
          const size_t end = std::min(payload.find('\0', at), payload.size());
          image_->command.push_back(payload.substr(at, end - at));
          at = end + 1;
        }
        break;
      case RecordType::kModule: ReadModule(payload); break;
      case RecordType::kRegion: ReadRegion(payload); break;
      case RecordType::kCommunicator: ReadCommunicator(payload); break;
      case RecordType::kWindow: ReadWindow(payload); break;
      case RecordType::kName: ReadName(payload); break;
      case RecordType::kCounter: ReadCounter(payload); break;
      case RecordType::kTopology: ReadTopology(payload); break;
      case RecordType::kClock: ReadClock(payload); break;
      case RecordType::kFile: ReadFile(payload); break;
      default: ++image_->skipped;
    }
  }

 private:
  // Two texts, each with its NUL, behind a fixed part.
  static bool Split(const std::string& payload, size_t fixed, std::string* first, std::string* second) {
    if (payload.size() < fixed) return false;
    const size_t middle = payload.find('\0', fixed);
    if (middle == std::string::npos) return false;
    *first = payload.substr(fixed, middle - fixed);
    *second = payload.substr(middle + 1);
    *second = second->substr(0, second->find('\0'));
    return true;
  }

  void ReadModule(const std::string& payload) {
    ModuleDefinition module;
    if (!Split(payload, sizeof module.extent, &module.build_id, &module.path)) {
      ++image_->skipped;
      return;
    }
    std::memcpy(&module.extent, payload.data(), sizeof module.extent);
    image_->modules.push_back(std::move(module));
  }

  void ReadCommunicator(const std::string& payload) {
    event::CommunicatorRecord record;
    if (!Fixed(payload, &record)) return;
    const uint64_t runs = uint64_t{record.own_runs} + record.remote_runs;
    if (runs > (payload.size() - sizeof record) / sizeof(event::RankRun)) {
      ++image_->skipped;
      return;
    }
    CommunicatorDefinition& communicator = image_->communicators[record.number];
    communicator.id = record.id;
    communicator.own.resize(record.own_runs);
    communicator.remote.resize(record.remote_runs);
    const char* at = payload.data() + sizeof record;
    for (std::vector<event::RankRun>* list : {&communicator.own, &communicator.remote}) {
      if (!list->empty()) std::memcpy(list->data(), at, list->size() * sizeof(event::RankRun));
      at += list->size() * sizeof(event::RankRun);
    }
    communicator.name = Text(payload, sizeof record + runs * sizeof(event::RankRun));
  }

  void ReadWindow(const std::string& payload) {
    event::WindowRecord record;
    if (!Fixed(payload, &record)) return;
    image_->windows[record.number] = {record.id, record.communicator, Text(payload, sizeof record)};
  }

  void ReadName(const std::string& payload) {
    event::NameRecord record;
    if (!Fixed(payload, &record)) return;
    const std::string name = Text(payload, sizeof record);
    if (record.type == static_cast<uint32_t>(RecordType::kCommunicator)) {
      image_->communicators[record.number].name = name;
    } else if (record.type == static_cast<uint32_t>(RecordType::kWindow)) {
      image_->windows[record.number].name = name;
    }
  }

  void ReadCounter(const std::string& payload) {
    event::CounterRecord record;
    if (!Fixed(payload, &record)) return;
    CounterDefinition counter{record.number, record.kind, record.scale, Text(payload, sizeof record), "", ""};
    const size_t unit = sizeof record + counter.name.size() + 1;
    if (unit < payload.size()) counter.unit = Text(payload, unit);
    const size_t text = unit + counter.unit.size() + 1;
    if (text < payload.size()) counter.text = Text(payload, text);
    const bool known = counter.kind <= event::CounterKind::kMissing && std::isfinite(counter.scale);
    if (!known || counter.name.empty() || image_->counters.size() >= 2 * event::kMostCounters) {
      ++image_->skipped;
      return;
    }
    image_->counters.push_back(std::move(counter));
  }

  void ReadFile(const std::string& payload) {
    FileDefinition file;
    if (!Fixed(payload, &file.use) || image_->files.size() > event::kMostFiles) return;
    file.path = Text(payload, sizeof file.use);
    image_->files.push_back(std::move(file));
  }

  void ReadTopology(const std::string& payload) {
    event::TopologyRecord record;
    if (!Fixed(payload, &record)) return;
    TopologyDefinition topology{record.id, {}, {}, {}};
    const size_t bytes = uint64_t{record.dimensions} * sizeof(event::TopologyDimension);
    if (record.dimensions == 0 || record.dimensions > event::kMostDimensions ||
        bytes > payload.size() - sizeof record) {
      ++image_->skipped;
      return;
    }
    topology.dimensions.resize(record.dimensions);
    std::memcpy(topology.dimensions.data(), payload.data() + sizeof record, bytes);
    for (const event::TopologyDimension& dimension : topology.dimensions) {
      if (dimension.size > 0 && dimension.coordinate >= 0 && dimension.coordinate < dimension.size) continue;
      ++image_->skipped;
      return;
    }
    size_t at = sizeof record + bytes;
    topology.name = Text(payload, at);
    // The writer may pad the payload: then the missing names are empty.
    for (at += topology.name.size() + 1;
         at < payload.size() && topology.dimension_names.size() < topology.dimensions.size();) {
      topology.dimension_names.push_back(Text(payload, at));
      at += topology.dimension_names.back().size() + 1;
    }
    if (topology.dimension_names.size() < topology.dimensions.size()) topology.dimension_names.clear();
    for (TopologyDefinition& known : image_->topologies) {
      if (known.id != topology.id) continue;
      known = std::move(topology);
      return;
    }
    image_->topologies.push_back(std::move(topology));
  }

  void ReadClock(const std::string& payload) {
    event::ClockOffset offset;
    if (Fixed(payload, &offset)) image_->clock_offsets.push_back(offset);
  }

  template <class T>
  bool Fixed(const std::string& payload, T* record) {
    if (payload.size() < sizeof *record) {
      ++image_->skipped;
      return false;
    }
    std::memcpy(record, payload.data(), sizeof *record);
    return true;
  }

  static std::string Text(const std::string& payload, size_t at) {
    if (at >= payload.size()) return "";
    return payload.substr(at, payload.find('\0', at) - at);
  }

  void ReadRegion(const std::string& payload) {
    event::RegionRecord record;
    RecordedRegion region;
    if (!Split(payload, sizeof record, &region.name, &region.file)) {
      ++image_->skipped;
      return;
    }
    std::memcpy(&record, payload.data(), sizeof record);
    region.line = record.line;
    region.role = record.role;
    region.paradigm = record.paradigm;
    image_->regions[record.region] = std::move(region);
  }

  ProcessImage* image_;
};

}  // namespace

void ReadDefinitionRecord(RecordType type, const std::string& payload, ProcessImage* image) {
  RecordReader(image).Read(type, payload);
}

}  // namespace epik::archive
