// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/maps.h"

#include <zlib.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "archive/files/atomic_file.h"
#include "archive/files/byte_source.h"
#include "archive/files/coded.h"

namespace epik::archive {

namespace {

constexpr char kDefinitionsMagic[8] = {'E', 'P', 'I', 'K', 'D', 'E', 'F', '\n'};
constexpr char kMapsMagic[8] = {'E', 'P', 'I', 'K', 'M', 'A', 'P', '\n'};
constexpr uint32_t kVersion = 1;
constexpr uint64_t kLargest = uint64_t{1} << 32;

struct Head {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t count;  // bytes of the definitions, or parts of the maps
  uint32_t crc;    // of the definitions, or of the table of parts
  uint32_t reserved;
};
static_assert(sizeof(Head) == 32 && sizeof(MapPart) == 16);

uint32_t Checksum(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string WithHead(const char (&magic)[8], uint64_t count, const std::string& checked) {
  Head head{};
  std::memcpy(head.magic, magic, sizeof head.magic);
  head.version = kVersion;
  head.header_bytes = sizeof head;
  head.count = count;
  head.crc = Checksum(checked);
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + checked;
}

bool CheckHead(const std::string& file, const char (&magic)[8], const char* name, Head* head, std::string* error) {
  if (file.size() < sizeof *head || std::memcmp(file.data(), magic, sizeof magic) != 0) {
    *error = std::string(name) + ": is no file of that kind";
    return false;
  }
  std::memcpy(head, file.data(), sizeof *head);
  if (head->version == kVersion && head->header_bytes == sizeof *head) return true;
  *error = std::string(name) + ": has version " + std::to_string(head->version) + "; this EPIK reads version " +
           std::to_string(kVersion);
  return false;
}

// kNone becomes 0, because small numbers are short.
void PutOptional(uint32_t value, CodedOut* out) { out->Put(value == kNone ? 0 : uint64_t{value} + 1); }
uint32_t GetOptional(CodedIn* in) {
  const uint64_t value = in->Get();
  return value == 0 || value > kNone ? kNone : static_cast<uint32_t>(value - 1);
}

void PutMap(const NumberMap& map, CodedOut* out) {
  out->Put(map.size());
  uint32_t from = 0;
  uint32_t to = 0;
  for (const auto& [number, meaning] : map) {
    out->Put(number - from);
    out->PutSigned(int64_t{meaning} - to);
    from = number;
    to = meaning;
  }
}

NumberMap GetMap(CodedIn* in) {
  NumberMap map(in->GetCount());
  uint32_t from = 0;
  uint32_t to = 0;
  for (auto& [number, meaning] : map) {
    number = from += in->Get32();
    meaning = to += static_cast<uint32_t>(in->GetSigned());
  }
  return map;
}

void PutProfile(const Profile& profile, CodedOut* out) {
  out->PutText(profile.machine);
  out->Put(profile.hosts.size());
  for (const Host& host : profile.hosts) out->PutText(host.name);
  out->Put(profile.processes.size());
  for (const Process& process : profile.processes) {
    out->Put(process.host);
    out->PutSigned(process.rank);
    out->PutText(process.name);
  }
  out->Put(profile.locations.size());
  for (const Location& location : profile.locations) {
    out->Put(location.process);
    out->PutSigned(location.thread);
    out->PutText(location.name);
  }
  out->Put(profile.regions.size());
  for (const Region& region : profile.regions) {
    for (const std::string* text : {&region.name, &region.mangled, &region.file}) out->PutText(*text);
    out->PutSigned(region.begin_line);
    out->PutSigned(region.end_line);
    for (const std::string* text : {&region.paradigm, &region.role, &region.description}) out->PutText(*text);
  }
  out->Put(profile.call_paths.size());
  for (const CallPath& path : profile.call_paths) {
    out->Put(path.region);
    PutOptional(path.parent, out);
  }
}

bool GetProfile(CodedIn* in, Profile* profile) {
  profile->machine = in->GetText();
  profile->hosts.resize(in->GetCount());
  for (Host& host : profile->hosts) host.name = in->GetText();
  profile->processes.resize(in->GetCount());
  for (Process& process : profile->processes) {
    process.host = in->Get32();
    process.rank = static_cast<int>(in->GetSigned());
    process.name = in->GetText();
    if (process.host >= profile->hosts.size()) return false;
  }
  profile->locations.resize(in->GetCount());
  for (Location& location : profile->locations) {
    location.process = in->Get32();
    location.thread = static_cast<int>(in->GetSigned());
    location.name = in->GetText();
    if (location.process >= profile->processes.size()) return false;
  }
  profile->regions.resize(in->GetCount());
  for (Region& region : profile->regions) {
    for (std::string* text : {&region.name, &region.mangled, &region.file}) *text = in->GetText();
    region.begin_line = static_cast<int>(in->GetSigned());
    region.end_line = static_cast<int>(in->GetSigned());
    for (std::string* text : {&region.paradigm, &region.role, &region.description}) *text = in->GetText();
  }
  profile->call_paths.resize(in->GetCount());
  for (size_t i = 0; i < profile->call_paths.size(); ++i) {
    CallPath& path = profile->call_paths[i];
    path.region = in->Get32();
    path.parent = GetOptional(in);
    if (path.region >= profile->regions.size() || (path.parent != kNone && path.parent >= i)) return false;
  }
  return in->good();
}

}  // namespace

std::string PackDefinitions(const TraceDefinitions& definitions) {
  CodedOut out;
  out.PutSigned(definitions.origin_ns);
  PutProfile(definitions.profile, &out);
  out.Put(definitions.communicators.size());
  for (const Communicator& communicator : definitions.communicators) {
    out.PutText(communicator.name);
    for (const std::vector<uint32_t>* ranks : {&communicator.ranks, &communicator.remote}) {
      out.Put(ranks->size());
      for (const uint32_t rank : *ranks) out.Put(rank);
    }
  }
  out.Put(definitions.windows.size());
  for (const Window& window : definitions.windows) {
    out.PutText(window.name);
    PutOptional(window.communicator, &out);
  }
  const std::string payload = out.Take();
  return WithHead(kDefinitionsMagic, payload.size(), payload);
}

bool UnpackDefinitions(const std::string& file, TraceDefinitions* definitions, std::string* error) {
  *definitions = TraceDefinitions();
  Head head;
  if (!CheckHead(file, kDefinitionsMagic, kDefinitionsName, &head, error)) return false;
  const std::string_view payload = std::string_view(file).substr(sizeof head);
  if (head.count != payload.size() || Checksum(payload) != head.crc) {
    *error = std::string(kDefinitionsName) + ": is damaged";
    return false;
  }
  CodedIn in(payload);
  definitions->origin_ns = in.GetSigned();
  bool good = GetProfile(&in, &definitions->profile);
  definitions->communicators.resize(good ? in.GetCount() : 0);
  for (Communicator& communicator : definitions->communicators) {
    communicator.name = in.GetText();
    for (std::vector<uint32_t>* ranks : {&communicator.ranks, &communicator.remote}) {
      ranks->resize(in.GetCount());
      for (uint32_t& rank : *ranks) rank = in.Get32();
    }
  }
  definitions->windows.resize(good ? in.GetCount() : 0);
  for (Window& window : definitions->windows) {
    window.name = in.GetText();
    window.communicator = GetOptional(&in);
    good = good && (window.communicator == kNone || window.communicator < definitions->communicators.size());
  }
  if (good && in.good() && in.AtEnd()) return true;
  *error = std::string(kDefinitionsName) + ": contradicts itself";
  return false;
}

std::string PackMap(const ProcessMap& map) {
  CodedOut out;
  out.PutSigned(map.rank);
  out.Put(map.process_id);
  out.PutText(map.file);
  out.Put(map.clock.ticks);
  out.Put(map.clock.ns);
  out.PutBits(map.clock.seconds_per_tick);
  out.Put(map.clock.offsets.size());
  for (const ClockFacts::Offset& offset : map.clock.offsets) {
    out.PutSigned(offset.at_ns);
    out.PutSigned(offset.offset_ns);
    out.PutSigned(offset.error_ns);
  }
  out.Put(map.first_ticks);
  out.Put(map.last_ticks);
  for (const NumberMap* numbers : {&map.nodes, &map.regions, &map.communicators, &map.windows}) PutMap(*numbers, &out);
  out.Put(map.metrics.size());
  for (const MetricName& metric : map.metrics) {
    out.Put(metric.number);
    out.PutText(metric.name);
    out.PutText(metric.unit);
  }
  for (const MetricName& metric : map.metrics) {
    out.Put(metric.kind);
    out.PutBits(metric.scale);
  }
  if (map.of_constructs.empty()) return out.Take();
  out.Put(map.of_constructs.size());
  uint32_t before = 0;
  for (const uint32_t node : map.of_constructs) out.Put(node - std::exchange(before, node));
  return out.Take();
}

bool UnpackMap(const std::string& part, ProcessMap* map) {
  *map = ProcessMap();
  CodedIn in(part);
  map->rank = static_cast<int32_t>(in.GetSigned());
  map->process_id = in.Get32();
  map->file = in.GetText();
  // The place must be inside the archive.
  if (map->file.find("..") != std::string::npos || (!map->file.empty() && map->file.front() == '/')) return false;
  map->clock.ticks = in.Get();
  map->clock.ns = in.Get();
  map->clock.seconds_per_tick = in.GetBits();
  const uint32_t offsets = in.Get32();
  if (offsets > part.size() / 3) return false;  // each takes at least a byte
  map->clock.offsets.resize(offsets);
  for (ClockFacts::Offset& offset : map->clock.offsets) {
    offset.at_ns = in.GetSigned();
    offset.offset_ns = in.GetSigned();
    offset.error_ns = in.GetSigned();
  }
  map->first_ticks = in.Get();
  map->last_ticks = in.Get();
  for (NumberMap* numbers : {&map->nodes, &map->regions, &map->communicators, &map->windows}) *numbers = GetMap(&in);
  map->metrics.resize(in.GetCount());
  for (MetricName& metric : map->metrics) {
    metric.number = in.Get32();
    metric.name = in.GetText();
    metric.unit = in.GetText();
  }
  const bool has_kinds = !in.AtEnd();  // an older file ends here
  for (MetricName& metric : map->metrics) {
    if (!has_kinds) break;
    const uint32_t kind = in.Get32();
    metric.scale = in.GetBits();
    if (kind > MetricName::kPeak || !std::isfinite(metric.scale) || metric.scale <= 0) return false;
    metric.kind = static_cast<MetricName::Kind>(kind);
  }
  map->of_constructs.resize(in.AtEnd() ? 0 : in.GetCount());
  uint32_t before = 0;
  for (uint32_t& node : map->of_constructs) node = before += in.Get32();
  return in.good() && in.AtEnd();
}

MapPart DescribeMapPart(const std::string& part) { return {0, static_cast<uint32_t>(part.size()), Checksum(part)}; }

std::string LayOutMaps(std::vector<MapPart>* parts) {
  uint64_t at = sizeof(Head) + parts->size() * sizeof(MapPart);
  for (MapPart& part : *parts) {
    part.offset = at;
    at += part.bytes;
  }
  return WithHead(kMapsMagic, parts->size(),
                  std::string(reinterpret_cast<const char*>(parts->data()), parts->size() * sizeof(MapPart)));
}

bool WriteMaps(const std::string& path, const std::vector<ProcessMap>& maps, std::string* error) {
  std::vector<MapPart> parts;
  std::string packed;
  for (const ProcessMap& map : maps) {
    const std::string part = PackMap(map);
    parts.push_back(DescribeMapPart(part));
    packed += part;
  }
  const std::string head = LayOutMaps(&parts);
  return WriteFileAtomically(path, head + packed, error);
}

bool ReadMaps(const std::string& path, std::vector<ProcessMap>* maps, std::vector<std::string>* problems,
              std::string* error) {
  maps->clear();
  std::string file;
  Head head;
  if (!ReadFile(path, kLargest, &file, error) || !CheckHead(file, kMapsMagic, kMapsName, &head, error)) return false;
  if (head.count > (file.size() - sizeof head) / sizeof(MapPart) ||
      Checksum(std::string_view(file).substr(sizeof head, head.count * sizeof(MapPart))) != head.crc) {
    *error = std::string(kMapsName) + ": is damaged";
    return false;
  }
  uint64_t room = file.size();  // overlapping parts could make a lot of work from a small file
  for (uint64_t i = 0; i < head.count; ++i) {
    MapPart part;
    std::memcpy(&part, file.data() + sizeof head + i * sizeof part, sizeof part);
    const bool there = part.offset <= file.size() && part.bytes <= file.size() - part.offset && part.bytes <= room;
    if (there) room -= part.bytes;
    const std::string bytes = there ? file.substr(part.offset, part.bytes) : "";
    ProcessMap map;
    if (there && Checksum(bytes) == part.crc && UnpackMap(bytes, &map)) {
      maps->push_back(std::move(map));
    } else {
      problems->push_back(std::string(kMapsName) + ": part " + std::to_string(i) + " is damaged");
    }
  }
  return true;
}

}  // namespace epik::archive
