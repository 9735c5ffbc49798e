// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/arenas.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "archive/close/liveness.h"
#include "archive/directory/archive.h"
#include "archive/image/program_name.h"
#include "runtime/base/clock.h"
#include "runtime/event/collective_roles.h"
#include "runtime/event/control.h"
#include "runtime/event/statistics.h"
#include "tools/scopes/standing.h"

namespace epik::scopes {

using archive::LocationImage;
using archive::ProcessImage;
using event::Key;
using top::Target;

namespace {

constexpr uint64_t kWorld = ~uint64_t{0};

// A process stands still when its call of MPI has lasted this long, and not less than since the reading before.
constexpr double kStandsSeconds = 0.5;

event::MappedArena ArenaOf(const top::ArenaFile& file) { return {const_cast<char*>(file.bytes()), file.size()}; }

std::string_view LastRegion(std::string_view path) {
  const size_t at = path.rfind(" > ");
  return at == std::string_view::npos ? path : path.substr(at + 3);
}

}  // namespace

std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

bool Arenas::Process::HasEnded() const {
  const event::ProcessState state = arena->State();
  return state == event::ProcessState::kFinishing || state == event::ProcessState::kDone || handle.HasEnded();
}

std::unique_ptr<Arenas> Arenas::Open(const std::vector<Target>& targets, const How& how, std::string* error) {
  std::unique_ptr<Arenas> arenas(new Arenas(targets.front().unfinished, how));
  for (const Target& target : targets) {
    if (!arenas->Add(target, error)) return nullptr;
  }
  return arenas;
}

std::unique_ptr<Arenas> Arenas::OpenFolder(const std::string& unfinished, const How& how) {
  std::unique_ptr<Arenas> arenas(new Arenas(unfinished, how));
  arenas->AddNewcomers();
  return arenas;
}

// Leaves processes of another host to that host: here, their numbers belong to other processes, and we do not see their
// memory.
bool Arenas::Add(const Target& target, std::string* error) {
  auto process = std::make_unique<Process>(target);
  process->arena = top::ArenaFile::Open(target.arena, error);
  if (process->arena == nullptr) return false;
  const auto& header = *reinterpret_cast<const event::ProcessHeader*>(process->arena->bytes());
  if (!archive::IsOfThisBoot(header)) return true;
  numbers_.insert(target.pid);
  processes_.push_back(std::move(process));
  return true;
}

bool Arenas::Follow() {
  const auto runs = std::find_if(processes_.begin(), processes_.end(), [](const auto& p) { return !p->HasEnded(); });
  if (runs == processes_.end()) return false;
  const top::Target& target = (*runs)->target;
  const std::string arena = "/" + std::string(archive::kArenasName) + target.arena.substr(target.arena.rfind('/'));
  const std::string folder = folder_.Name();
  if (!folder.empty() && access((folder + arena).c_str(), F_OK) == 0) return false;
  const std::string now = top::FolderNow(target.pid, target.unfinished);
  if (access((now + arena).c_str(), F_OK) != 0) return false;
  folder_.Set(now);
  AddNewcomers();
  return true;
}

void Arenas::AddNewcomers() {
  const std::string folder = folder_.Name();
  if (folder.empty() || has_scope_) return;
  const auto knows = [this](int pid) { return numbers_.contains(pid); };
  std::string not_yet;  // the arena lacks its first bytes: tries again next time
  for (const Target& target : top::RunningIn(folder, knows)) Add(target, &not_yet);
}

bool Arenas::HasEnded() const {
  if (processes_.empty()) return !folder_.Name().ends_with(archive::kUnfinishedSuffix);
  return std::all_of(processes_.begin(), processes_.end(), [](const auto& process) { return process->HasEnded(); });
}

void Arenas::SetClock() {
  if (processes_.empty()) return;
  const auto& header = *reinterpret_cast<const event::ProcessHeader*>(processes_.front()->arena->bytes());
  if (header.timer != base::Timer::kTsc) {
    clock_ = {};
    return;
  }
  if (clock_.first.ns == 0) clock_.first = header.first_pair;
  const uint64_t ns = base::MonotonicRawNs(), ticks = base::ReadTsc();
  if (ns <= clock_.first.ns || ticks <= clock_.first.ticks) return;
  clock_.seconds_per_tick =
      static_cast<double>(ns - clock_.first.ns) * 1e-9 / static_cast<double>(ticks - clock_.first.ticks);
}

// Notes that were overwritten before we came are not lost: nobody asked for them.
void Arenas::TakeNotes(Process* process) const {
  const event::MappedArena arena = ArenaOf(*process->arena);
  const bool from_now = how_.from_now && !has_read_;  // threads and processes that come later are new as a whole
  event::ForEachPlace(arena, [&](const event::Location* place) {
    const event::RingView view(arena, place);
    if (!view.IsThere()) return;
    process->has_statistics =
        (process->has_statistics || !process->has_notes) && event::StatisticsView(arena, place).IsThere();
    process->has_notes = true;
    const uint32_t thread = place->number;
    const uint64_t written = view.Written();
    const auto [at, is_new] = process->next.try_emplace(place->collectives, from_now ? written : 0);
    if (is_new && !from_now && written >= view.capacity()) at->second = written - view.capacity() + 1;
    process->discarded += view.Read(&at->second, [&](uint64_t, const event::CollectiveEvent& event) {
      process->notes.push_back({thread, event});
      return true;
    });
  });
}

bool Arenas::IsFilling() const {
  bool filling = false;
  for (const auto& process : processes_) {
    const event::MappedArena arena = ArenaOf(*process->arena);
    event::ForEachPlace(arena, [&](const event::Location* place) {
      const event::RingView view(arena, place);
      if (!view.IsThere()) return;
      const auto next = process->next.find(place->collectives);
      const uint64_t read = next == process->next.end() ? 0 : next->second, written = view.Written();
      filling = filling || written - std::min(written, read) > view.capacity() / 4;
    });
  }
  return filling;
}

void Arenas::ReadOne(Process* process, bool wants_work) const {
  process->notes.clear();
  process->has_notes = process->was_read = process->has_statistics = false;
  TakeNotes(process);
  std::string error;
  process->was_read = process->arena->Read(&process->reading, &error);  // no error for a process that is just leaving
  process->had_ended = process->HasEnded();
  if (process->was_read && wants_work) process->sample = process->sampler.Add(process->reading);
}

void Arenas::ReadAll(bool wants_work) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < processes_.size(); i = next++) ReadOne(processes_[i].get(), wants_work);
  };
  std::vector<std::thread> helpers;
  const size_t most = processes_.empty() ? 0 : processes_.size() - 1;
  for (size_t i = 0; i < std::min<size_t>(how_.helpers, most); ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
}

uint32_t Arenas::PathOf(Process* process, uint32_t location, uint32_t line, Paths* paths) const {
  const auto known = process->paths.find(line);
  if (known != process->paths.end()) return known->second;
  std::string name;
  for (const LocationImage& each : process->reading.image.locations) {
    if (each.header.number != location) continue;
    const auto at = std::lower_bound(each.lines.begin(), each.lines.end(), line);
    if (at == each.lines.end() || *at != line) break;
    auto node = static_cast<uint32_t>(at - each.lines.begin());
    for (; node != archive::kNoNode; node = each.nodes[node].parent) {
      name = process->names.Of(each.nodes[node].key) + (name.empty() ? "" : " > ") + name;
    }
  }
  return process->paths[line] = paths->NumberOf(name);
}

void Arenas::Define(const ProcessImage& image, std::vector<Scope>* scopes, Batch* batch) const {
  std::vector<CommunicatorName> found = {{kWorld, image.header.ranks, "MPI_COMM_WORLD"}};
  for (const auto& [number, communicator] : image.communicators) {
    uint32_t size = 0;
    for (const event::RankRun& run : communicator.own) size += static_cast<uint32_t>(run.count);
    const bool counts = number > 1 && communicator.remote.empty();
    if (counts) found.push_back({communicator.id, size, communicator.name});
  }
  for (const CommunicatorName& each : found) {
    if (each.size == 0) continue;
    for (Scope& scope : *scopes) scope.Define(each.id, each.size);
    batch->communicators.push_back(each);
  }
}

LinkNote Arenas::LinkOf(const event::CollectiveEvent& event) const {
  const bool is_up = event::IsUp(event);
  const uint64_t received = is_up ? event.left : event.entered, sent = is_up ? event.entered : event.left;
  LinkNote note;
  note.peer = event::RootOf(event);
  note.is_up = is_up;
  note.has_received = received != 0;
  note.has_sent = sent != 0;
  note.received = clock_.SecondsOf(received);
  note.sent = clock_.SecondsOf(sent);
  return note;
}

void Arenas::AddCall(const Part& part, const std::vector<event::CollectiveEvent>& links,
                     const std::string& communicator, const Paths& paths, std::vector<Scope>* scopes) const {
  std::vector<LinkNote> notes;
  for (const event::CollectiveEvent& link : links) {
    if (link.sequence == part.sequence) notes.push_back(LinkOf(link));
  }
  const std::string& path = paths.NameOf(part.path);
  for (Scope& scope : *scopes) {
    const Description& description = scope.description();
    const bool match = description.where.empty() || NamesMatch(description, path, LastRegion(path), communicator);
    scope.Add(part, notes, match);
  }
}

void Arenas::PutTogether(Process* process, Paths* paths, std::vector<Scope>* scopes, Batch* batch) {
  const ProcessImage& image = process->reading.image;
  Define(image, scopes, batch);
  for (const Note& note : process->notes) {
    std::vector<event::CollectiveEvent>& links = process->links[note.location];
    if (event::IsLink(note.event)) {
      links.push_back(note.event);
      continue;
    }
    std::vector<event::CollectiveEvent> of_call = std::exchange(links, {});
    const uint32_t number = note.event.communicator;
    const auto communicator = image.communicators.find(number);
    if (number != 0 && communicator == image.communicators.end()) continue;
    if (!event::IsBack(note.event)) continue;
    std::erase_if(of_call, [&](const event::CollectiveEvent& link) { return link.communicator != number; });
    Part part;
    part.communicator = number == 0 ? kWorld : communicator->second.id;
    part.sequence = note.event.sequence;
    part.rank = image.header.rank;
    part.thread = note.location;
    part.path = PathOf(process, note.location, note.event.node, paths);
    part.entered = clock_.SecondsOf(note.event.entered);
    part.left = event::IsBegun(note.event) ? part.entered : clock_.SecondsOf(note.event.left);
    AddCall(part, of_call, number == 0 ? "MPI_COMM_WORLD" : communicator->second.name, *paths, scopes);
  }
}

// Whether all processes of the job are on this host and compute statistics: otherwise no process knows when the last
// one came.
bool Arenas::AllCompute() const {
  uint64_t count = 0, ranks = 0;
  for (const auto& process : processes_) {
    if (!process->was_read) continue;
    if (!process->has_statistics) return false;
    ranks = std::max<uint64_t>(ranks, process->reading.image.header.ranks);
    ++count;
  }
  return count > 1 && count >= ranks;
}

// `with_waits`: false for waits that this host has counted itself before the job told them.
void Arenas::AddComputed(Process* process, bool with_waits, Paths* paths, std::vector<Scope>* scopes) const {
  const event::MappedArena arena = ArenaOf(*process->arena);
  const double tick = clock_.seconds_per_tick;
  uint64_t waited = 0, unknown = 0;
  event::ForEachPlace(arena, [&](const event::Location* place) {
    const event::StatisticsView view(arena, place);
    if (!view.IsThere()) return;
    waited += view.waited();
    unknown += view.unknown();
    view.ForEach([&](uint32_t line, const event::StatisticsRow& row) {
      uint64_t& calls = process->computed[line];
      if (row.total.count == calls) return;
      calls = row.total.count;
      ComputedRow computed;
      computed.calls.key = {PathOf(process, place->number, row.node, paths), process->reading.image.header.rank,
                            place->number};
      computed.calls.total = row.total.Scaled(tick);
      computed.calls.arrival = row.arrival.Scaled(tick);
      computed.calls.departure = row.departure.Scaled(tick);
      for (Scope& scope : *scopes) {
        if (scope.TakesComputed()) scope.Add(computed);
      }
    });
  });
  const uint64_t more_waited = waited - std::min(waited, std::exchange(process->waited, waited));
  const uint64_t more_unknown = unknown - std::min(unknown, std::exchange(process->unknown, unknown));
  for (Scope& scope : *scopes) {
    if (scope.TakesComputed())
      scope.AddComputed(with_waits ? static_cast<double>(more_waited) * tick : 0, more_unknown);
  }
}

// Adds to *work whether the process stands still in MPI. Returns its place; a row without processes if it has none.
StandingRow Arenas::StandingOf(Process* process, Paths* paths, Work* work) const {
  const ProcessImage& image = process->reading.image;
  Whereabouts place;
  if (image.header.rank < 0 || !FindPlace(image, &place)) return {};
  const top::Reading& reading = process->reading;
  const uint64_t ticks = reading.ticks - std::min(reading.ticks, place.entered);
  StandingRow row;
  row.seconds = static_cast<double>(ticks) * reading.seconds_per_tick;
  row.rank = image.header.rank;
  row.count = 1;
  row.stands = place.in_mpi && row.seconds >= std::max(kStandsSeconds, process->sample.seconds);
  row.path = PathOf(process, place.thread, place.line, paths);
  work->standing = row.stands;
  const std::string name = process->names.Of(place.key);
  const bool is_in_one = place.in_mpi && event::RoleOfCollective(name) != event::CollectiveRole::kNone;
  work->in_collectives = is_in_one && row.stands != 0;
  work->arrived = is_in_one;
  work->arrived_for = is_in_one ? row.seconds : 0;
  return row;
}

// Work before the first reading belongs to no interval, unless the process began after the reading before.
void Arenas::AddWork(Process* const of, Paths* paths, std::vector<Scope>* scopes) const {
  const Process& process = *of;
  const bool has_interval =
      process.had_sample || clock_.SecondsOf(process.reading.image.header.start_ticks) > read_before_;
  for (Scope& scope : *scopes) {
    const Description& description = scope.description();
    const bool is_visits = description.source == Source::kVisits;
    if (!is_visits && description.source != Source::kWork) continue;
    Work work;
    Part whose;
    whose.rank = process.reading.image.header.rank;
    if (!is_visits && !FiguresMatch(description, whose)) continue;
    double useful = 0;
    for (const top::PathLine& line : process.sample.paths) {
      const Key key = process.sampler.PathKeys(line.path).back();
      if (!is_visits && !IsWaiting(process.reading.image, key)) useful += line.now.exclusive;
      if (!is_visits || !NamesMatch(description, "", process.names.Of(key), "")) continue;
      work.visits += static_cast<double>(line.total.calls);
      work.entered += has_interval ? static_cast<double>(line.now.calls) : 0;
    }
    if (has_interval) work.interval = process.sample.seconds;
    StandingRow standing;
    if (has_interval && !process.had_ended) {
      work.processes = 1;
      work.useful = work.most = useful;
      if (!is_visits) standing = StandingOf(of, paths, &work);
    }
    scope.Add(process.target.pid, work, standing);
  }
}

void Arenas::Read(Paths* paths, std::vector<Scope>* scopes, Batch* batch) {
  if (!Follow()) AddNewcomers();
  SetClock();
  const double now = NowSeconds();
  const bool wants_work = std::any_of(scopes->begin(), scopes->end(),
                                      [](const Scope& scope) { return scope.description().reduce == Reduce::kSum; });
  ReadAll(wants_work);
  const bool with_waits = uses_computed_ || !std::exchange(has_read_, true);
  uses_computed_ = uses_computed_ || AllCompute();
  if (uses_computed_) std::for_each(scopes->begin(), scopes->end(), [](Scope& scope) { scope.UseComputed(); });
  HostState host;
  host.name = HostName();
  // Notes of processes that are read later are ahead of the others' by that much, and wait for them.
  for (const auto& process : processes_) {
    host.has_notes = host.has_notes || process->has_notes;
    host.discarded += process->discarded;
    if (!process->was_read) continue;
    process->names.Learn(process->reading.image);
    PutTogether(process.get(), paths, scopes, batch);
    if (uses_computed_) AddComputed(process.get(), with_waits, paths, scopes);
    if (wants_work) AddWork(process.get(), paths, scopes);
    process->had_sample = wants_work;
    const archive::ProcessImage& image = process->reading.image;
    batch->times.Merge({clock_.SecondsOf(image.header.start_ticks), clock_.SecondsOf(process->reading.ticks)});
    if (batch->program.empty()) batch->program = archive::ProgramName(image.program, image.command);
    if (configuration_.empty()) configuration_ = image.configuration;
    batch->ranks = std::max(batch->ranks, image.header.ranks);
    if (process->had_ended) continue;
    ++host.processes;
    if (event::IsWanted(ArenaOf(*process->arena), event::kPaused)) ++host.paused;
  }
  read_before_ = now;
  host.has_ended = HasEnded();
  batch->hosts.push_back(host);
}

}  // namespace epik::scopes
