// SPDX-License-Identifier: BSD-3-Clause
#include "archive/otf2/definitions.h"

#include <algorithm>
#include <unordered_set>

#include "archive/otf2/words.h"

namespace epik::archive {

namespace {

bool IsOpenMpFunction(const Region& region) { return region.paradigm == "openmp" && region.name.starts_with("omp_"); }

// "!$omp parallel", the name in OPARI2: readers group constructs by it.
std::string CanonicalName(const Region& region) {
  const bool construct = region.paradigm == "openmp" && !IsOpenMpFunction(region) && region.role != "artificial" &&
                         region.role != "function";
  if (construct) return "!$omp " + (region.role == "loop" ? "for" : region.role);
  return region.mangled.empty() ? region.name : region.mangled;
}

constexpr size_t kLongestText = 1 << 16;

uint32_t LineOf(int line) { return line < 0 ? 0 : static_cast<uint32_t>(line); }

}  // namespace

Otf2Numbers::Otf2Numbers(const TracePart& part, bool together, const Otf2Run& run)
    : part_(part),
      run_(run),
      origin_(together ? 0 : FirstNs(part)),
      parameters_(part.archive->definitions().profile.regions, kProgram + 1) {
  const TraceDefinitions& definitions = part.archive->definitions();
  const Profile& profile = definitions.profile;
  NumberLocations();
  for (uint64_t l = profile.locations.size(); l-- > 0;) {
    masters_[profile.processes[profile.locations[l].process].rank] = defined_[l];
  }
  world_ = static_cast<uint32_t>(definitions.communicators.size());
  for (uint32_t c = 0; c < definitions.communicators.size(); ++c) {
    const archive::Communicator& communicator = definitions.communicators[c];
    if (communicator.name == "MPI_COMM_WORLD") world_ = std::min(world_, c);
    if (communicator.name == "MPI_COMM_SELF") self_ = std::min(self_, c);
    members_.emplace_back();
    // Messages between two groups name ranks of the other group, and no process is in both.
    for (const std::vector<uint32_t>* group : {&communicator.ranks, &communicator.remote}) {
      for (uint32_t rank = 0; rank < group->size(); ++rank) {
        members_.back().emplace(static_cast<int32_t>((*group)[rank]), rank);
      }
    }
  }
  if (world_ == members_.size()) members_.emplace_back();
  if (self_ == kNone) {
    self_ = static_cast<uint32_t>(members_.size());
    members_.emplace_back();
  }
  if (members_[world_].empty()) {
    uint32_t at = 0;
    for (const auto& [rank, location] : masters_) members_[world_].emplace(rank, at++);
  }
  if (!together) return;
  for (const MetricName& metric : part.archive->metrics()) {
    metrics_.emplace(NamedMetric(metric.name, metric.unit, metric.kind), static_cast<uint32_t>(metrics_.size()));
  }
  DefineTeams(OTF2_PARADIGM_OPENMP);
  DefineTeams(OTF2_PARADIGM_PTHREAD);
}

// Uses the numbers of Score-P: the thread is in the upper half, the rank in the lower one. Each number is given once,
// whatever the definitions are.
void Otf2Numbers::NumberLocations() {
  const Profile& profile = part_.archive->definitions().profile;
  std::unordered_set<uint64_t> given;
  const auto number = [&given](uint64_t thread, int32_t rank) {
    uint64_t wanted = thread << 32 | static_cast<uint32_t>(std::max(rank, 0));
    while (!given.insert(wanted).second) wanted += uint64_t{1} << 32;
    return wanted;
  };
  for (const archive::Location& location : profile.locations) {
    defined_.push_back(
        number(static_cast<uint64_t>(std::max(location.thread, 0)), profile.processes[location.process].rank));
  }
  const std::vector<TraceArchive::Stream>& streams = part_.archive->streams();
  for (uint32_t s = 0; s < streams.size(); ++s) {  // threads without a definition come last
    locations_.push_back(streams[s].location == kNone ? number(streams[s].number, RankOf(part_, s))
                                                      : defined_[streams[s].location]);
  }
}

// If a job writes together, the first process defines the teams of all processes, so that each team has the same number
// everywhere.
void Otf2Numbers::DefineTeams(OTF2_Paradigm paradigm) {
  const Profile& profile = part_.archive->definitions().profile;
  const char* maker = paradigm == OTF2_PARADIGM_OPENMP ? "parallel" : kThreadRole;
  const bool any = std::any_of(profile.regions.begin(), profile.regions.end(),
                               [&](const Region& region) { return region.role == maker; });
  for (uint32_t p = 0; any && p < profile.processes.size(); ++p) {
    const auto [team, is_new] = teams_.try_emplace({paradigm, profile.processes[p].rank});
    if (is_new) team->second.number = static_cast<uint32_t>(members_.size() + teams_.size() - 1);
    for (uint32_t l = 0; l < profile.locations.size(); ++l) {
      if (profile.locations[l].process != p) continue;
      team->second.members.emplace_back(std::max(profile.locations[l].thread, 0), defined_[l]);
    }
    std::sort(team->second.members.begin(), team->second.members.end());
  }
}

std::vector<uint64_t> Otf2Numbers::Locations(int32_t rank) const {
  const Profile& profile = part_.archive->definitions().profile;
  if (rank >= 0) {
    std::vector<uint64_t> own;
    for (uint64_t l = 0; l < profile.locations.size(); ++l) {
      if (profile.processes[profile.locations[l].process].rank == rank) own.push_back(defined_[l]);
    }
    return own;
  }
  std::vector<uint64_t> locations = defined_;
  for (const uint32_t s : part_.streams) {
    if (part_.archive->streams()[s].location == kNone) locations.push_back(locations_[s]);
  }
  return locations;
}

uint32_t Otf2Numbers::FoldedRegion() const {
  return static_cast<uint32_t>(part_.archive->definitions().profile.regions.size());
}

uint32_t Otf2Numbers::Communicator(uint32_t process, uint64_t number) {
  const uint32_t global = part_.archive->CommunicatorOf(process, number);
  if (global == self_ || (global == kNone && number == 1)) return self_;
  if (global != kNone && !members_[global].empty()) return global;
  unknown_ += number != 0;
  return world_;
}

uint32_t Otf2Numbers::RankIn(uint32_t communicator, int32_t world_rank) const {
  if (communicator == self_) return 0;
  const auto found = members_[communicator].find(world_rank);
  return found == members_[communicator].end() ? static_cast<uint32_t>(std::max(world_rank, 0)) : found->second;
}

uint32_t Otf2Numbers::Team(uint32_t process, OTF2_Paradigm paradigm) {
  const auto [team, is_new] = teams_.try_emplace({paradigm, part_.archive->processes()[process]->map.rank});
  if (!is_new) return team->second.number;
  team->second.number = static_cast<uint32_t>(members_.size() + teams_.size() - 1);
  const std::vector<TraceArchive::Stream>& all = part_.archive->streams();
  for (uint32_t s = 0; s < all.size(); ++s) {  // the streams that have a definition
    if (all[s].process != process) continue;
    const bool in_part = std::find(part_.streams.begin(), part_.streams.end(), s) != part_.streams.end();
    if (all[s].location != kNone || in_part) team->second.members.emplace_back(all[s].number, locations_[s]);
  }
  std::sort(team->second.members.begin(), team->second.members.end());
  return team->second.number;
}

uint32_t Otf2Numbers::ThreadIn(uint32_t process, uint64_t number) {
  Team(process);
  const auto& members = teams_[{OTF2_PARADIGM_OPENMP, part_.archive->processes()[process]->map.rank}].members;
  const auto found = std::lower_bound(members.begin(), members.end(), std::pair(number, uint64_t{0}));
  return static_cast<uint32_t>(found - members.begin());
}

uint32_t Otf2Numbers::KnownCommunicator(uint32_t defined) const {
  return defined == self_ || (defined < members_.size() && !members_[defined].empty()) ? defined : world_;
}

bool Otf2Numbers::IsMaster(uint32_t stream) const {
  const auto master = masters_.find(RankOf(part_, stream));
  return master != masters_.end() && master->second == locations_[stream];
}

uint32_t Otf2Numbers::Window(uint32_t process, uint64_t number, uint32_t* communicator) const {
  const uint32_t window = part_.archive->WindowOf(process, number);
  if (window == kNone) return kNone;
  *communicator = KnownCommunicator(part_.archive->definitions().windows[window].communicator);
  return window;
}

uint32_t Otf2Numbers::Metric(uint32_t process, uint64_t number, OTF2_Type* type) {
  const MetricName* metric = part_.archive->Metric(process, number);
  const auto key = metric != nullptr ? NamedMetric(metric->name, metric->unit, metric->kind)
                                     : NamedMetric(std::to_string(number), "", MetricName::kUser);
  *type = TypeOf(std::get<MetricName::Kind>(key));
  return metrics_.emplace(key, static_cast<uint32_t>(metrics_.size())).first->second;
}

bool Otf2Numbers::WriteDefinitions(OTF2_GlobalDefWriter* writer, const Counts& counts, int64_t last_ns) {
  good_ = writer != nullptr;
  if (!good_) return false;
  Text(writer, run_.program);  // kProgram
  for (const std::string& text : parameters_.texts()) DefineText(writer, text);
  WriteParadigms(writer);
  WriteClock(writer, last_ns);
  WriteRegions(writer);
  WriteSystem(writer, counts);
  WriteCommunicators(writer);
  WriteWindows(writer);
  WriteMetrics(writer);
  return good_;
}

// Defines a text before the definitions that refer to it. The library writes no record that is larger than its chunk,
// so long texts are cut.
uint32_t Otf2Numbers::Text(OTF2_GlobalDefWriter* writer, const std::string& whole) {
  const std::string text = whole.size() <= kLongestText ? whole : whole.substr(0, kLongestText) + "…";
  const auto found = texts_.find(text);
  return found != texts_.end() ? found->second : DefineText(writer, text);
}

uint32_t Otf2Numbers::DefineText(OTF2_GlobalDefWriter* writer, const std::string& text) {
  const uint32_t number = defined_texts_++;
  texts_.emplace(text, number);
  Check(OTF2_GlobalDefWriter_WriteString(writer, number, text.c_str()));
  return number;
}

void Otf2Numbers::WriteClock(OTF2_GlobalDefWriter* writer, int64_t last_ns) {
  // The global offset belongs to the clock of the events, which begins at 0; the date is beside it.
  const int64_t date = run_.date_ns > 0 ? run_.date_ns + origin_ : 0;
  Check(OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, Time(last_ns) + 1,
                                                  date > 0 ? static_cast<uint64_t>(date) : OTF2_UNDEFINED_TIMESTAMP));
}

void Otf2Numbers::WriteRegions(OTF2_GlobalDefWriter* writer) {
  const Profile& profile = part_.archive->definitions().profile;
  for (uint32_t r = 0; r < profile.regions.size(); ++r) {
    const Region& region = profile.regions[r];
    const uint32_t name = Text(writer, region.name);
    const uint32_t mangled = Text(writer, CanonicalName(region));
    const uint32_t description = Text(writer, region.description);
    const std::string source = IsOpenMpFunction(region) ? "OMP" : region.file;
    const uint32_t file = source.empty() ? OTF2_UNDEFINED_STRING : Text(writer, source);
    Check(OTF2_GlobalDefWriter_WriteRegion(writer, r, name, mangled, description, RoleOf(region.role),
                                           ParadigmOf(region.paradigm), FlagsOf(region.role), file,
                                           LineOf(region.begin_line), LineOf(region.end_line)));
  }
  const uint32_t folded = Text(writer, "(folded)");
  const uint32_t why = Text(writer, "calls whose call path was not recorded");
  Check(OTF2_GlobalDefWriter_WriteRegion(writer, FoldedRegion(), folded, folded, why, OTF2_REGION_ROLE_ARTIFICIAL,
                                         OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING,
                                         0, 0));
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    const CallPath& path = profile.call_paths[p];
    Check(
        OTF2_GlobalDefWriter_WriteCallingContext(writer, p, path.region, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                                 path.parent == kNone ? OTF2_UNDEFINED_CALLING_CONTEXT : path.parent));
  }
  const uint32_t name = Text(writer, "CALL PATH");
  const uint32_t meaning = Text(writer, "where it was called, when the calls around it are not in the trace");
  Check(OTF2_GlobalDefWriter_WriteAttribute(writer, 0, name, meaning, OTF2_TYPE_CALLING_CONTEXT));
}

// Writes machine, hosts, processes and threads.
void Otf2Numbers::WriteSystem(OTF2_GlobalDefWriter* writer, const Counts& counts) {
  const Profile& profile = part_.archive->definitions().profile;
  const uint32_t machine = Text(writer, profile.machine);
  const uint32_t machine_class = Text(writer, "machine");
  Check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, machine, machine_class, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (uint32_t n = 0; n < profile.hosts.size(); ++n) {
    const uint32_t name = Text(writer, profile.hosts[n].name);
    const uint32_t node_class = Text(writer, "node");
    Check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, n + 1, name, node_class, 0));
  }
  std::map<int32_t, uint32_t> groups;
  for (uint32_t p = 0; p < profile.processes.size(); ++p) {
    const Process& process = profile.processes[p];
    const uint32_t name = Text(writer, process.name.empty() ? "rank " + std::to_string(process.rank) : process.name);
    const uint32_t node = process.host < profile.hosts.size() ? process.host + 1 : 0;
    groups.emplace(process.rank, p);
    Check(OTF2_GlobalDefWriter_WriteLocationGroup(writer, p, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                                                  OTF2_UNDEFINED_LOCATION_GROUP));
  }
  const auto events = [&counts](uint64_t location) {
    const auto found = counts.find(location);
    return found == counts.end() ? 0 : found->second;
  };
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    const archive::Location& location = profile.locations[l];
    const uint32_t name =
        Text(writer, location.name.empty() ? "thread " + std::to_string(location.thread) : location.name);
    Check(OTF2_GlobalDefWriter_WriteLocation(writer, defined_[l], name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                             events(defined_[l]), location.process));
  }
  for (const uint32_t s : part_.streams) {
    if (part_.archive->streams()[s].location != kNone) continue;
    const uint32_t name = Text(writer, "thread " + std::to_string(part_.archive->streams()[s].number));
    const auto group = groups.find(RankOf(part_, s));
    Check(OTF2_GlobalDefWriter_WriteLocation(writer, locations_[s], name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                             events(locations_[s]), group == groups.end() ? 0 : group->second));
  }
}

// Writes the paradigms for which the program has regions.
void Otf2Numbers::WriteParadigms(OTF2_GlobalDefWriter* writer) {
  const std::vector<Region>& regions = part_.archive->definitions().profile.regions;
  for (const ParadigmWord& paradigm : Paradigms()) {
    const bool used =
        std::any_of(regions.begin(), regions.end(), [&](const auto& r) { return r.paradigm == paradigm.name; });
    if (!used) continue;
    const uint32_t title = Text(writer, paradigm.title);
    Check(OTF2_GlobalDefWriter_WriteParadigm(writer, paradigm.number, title, paradigm.kind));
  }
}

void Otf2Numbers::WriteWindows(OTF2_GlobalDefWriter* writer) {
  const std::vector<archive::Window>& windows = part_.archive->definitions().windows;
  for (uint32_t w = 0; w < windows.size(); ++w) {
    const uint32_t name = Text(writer, windows[w].name.empty() ? "window " + std::to_string(w) : windows[w].name);
    Check(OTF2_GlobalDefWriter_WriteRmaWin(writer, w, name, KnownCommunicator(windows[w].communicator),
                                           OTF2_RMA_WIN_FLAG_NONE));
  }
}

// Writes metrics by their numbers, because readers want definitions in this order.
void Otf2Numbers::WriteMetrics(OTF2_GlobalDefWriter* writer) {
  std::map<uint32_t, const NamedMetric*> metrics;
  for (const auto& [named, number] : metrics_) metrics.emplace(number, &named);
  for (const auto& [number, named] : metrics) {
    const auto& [metric, its_unit, kind] = *named;
    const uint32_t name = Text(writer, metric);
    const uint32_t unit = Text(writer, its_unit);
    const bool grows = kind == MetricName::kCount || kind == MetricName::kSum;
    Check(OTF2_GlobalDefWriter_WriteMetricMember(writer, number, name, name, SourceOf(metric, kind),
                                                 grows ? OTF2_METRIC_ACCUMULATED_START : OTF2_METRIC_ABSOLUTE_POINT,
                                                 TypeOf(kind), OTF2_BASE_DECIMAL, 0, unit));
    Check(OTF2_GlobalDefWriter_WriteMetricClass(writer, number, 1, &number, OTF2_METRIC_ASYNCHRONOUS,
                                                OTF2_RECORDER_KIND_CPU));
  }
  for (uint32_t p = 0; p < parameters_.all().size(); ++p) {
    const auto& [named, type] = parameters_.all()[p];
    const uint32_t name = Text(writer, named);
    Check(OTF2_GlobalDefWriter_WriteParameter(writer, p, name, type));
  }
}

}  // namespace epik::archive
