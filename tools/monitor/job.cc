// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/job.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "archive/close/recover.h"
#include "runtime/event/collectives.h"
#include "tools/top/proc.h"

namespace epik::monitor {

using epitome::LocationImage;
using epitome::ProcessImage;
using event::Key;
using top::Target;

namespace {

constexpr uint64_t kWorld = ~uint64_t{0};

std::string EnvironmentOf(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool IsOfSlurmJob(int pid, const std::string& id) {
  const std::string environment = '\0' + EnvironmentOf(pid);
  const std::string wanted = '\0' + ("SLURM_JOB_ID=" + id) + '\0';
  return environment.find(wanted) != std::string::npos;
}

bool FindSlurmJob(const std::string& id, std::vector<Target>* targets) {
  for (const std::string& folder : archive::FindUnfinished(".", 0)) {
    std::vector<Target> running = top::RunningIn(folder);
    if (running.empty() || !IsOfSlurmJob(running.front().pid, id)) continue;
    *targets = std::move(running);
    return true;
  }
  return false;
}

// A process number stands for its whole job.
bool Find(const std::string& word, std::vector<Target>* targets, std::string* error) {
  const std::string id = word.starts_with("slurm:") ? word.substr(6) : word;
  if (id.size() != word.size()) {
    if (FindSlurmJob(id, targets)) return true;
    *error = "no measured process of Slurm's job " + id + " runs on this machine and writes to this folder";
    return false;
  }
  if (!top::FindTargets(word, targets, error)) {
    const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    return is_number && FindSlurmJob(word, targets);
  }
  const std::string unfinished = targets->front().unfinished;
  if (targets->size() > 1 || unfinished.empty()) return true;
  const std::vector<Target> all = top::RunningIn(unfinished);
  if (!all.empty()) *targets = all;
  return true;
}

// Time in which a process does not work, but waits for others or is measured.
bool IsWaiting(const ProcessImage& image, Key key) {
  if (event::IsRegion(key) && !event::IsRetired(key)) {
    const uint32_t region = event::RegionOf(key);
    if (region == event::kIdleRegion || region == event::kLimitedRegion || region == event::kMeasurementRegion ||
        region == event::kPausedRegion) {
      return true;
    }
    const auto found = image.regions.find(region);
    return found != image.regions.end() && found->second.paradigm != event::Paradigm::kUser;
  }
  const event::Construct construct = event::ConstructOf(key);
  return construct == event::Construct::kBarrier || construct == event::Construct::kImplicitBarrier;
}

event::MappedArena ArenaOf(const top::ArenaFile& file) { return {const_cast<char*>(file.bytes()), file.size()}; }

}  // namespace

bool Job::Process::HasEnded() const {
  const event::ProcessState state = arena->State();
  return state == event::ProcessState::kFinishing || state == event::ProcessState::kDone ||
         !top::ProcessExists(target.pid);
}

std::unique_ptr<Job> Job::Open(const std::string& word, std::string* error) {
  std::vector<Target> targets;
  if (!Find(word, &targets, error)) return nullptr;
  std::unique_ptr<Job> job(new Job(targets.front().unfinished));
  for (const Target& target : targets) {
    if (!job->Add(target, error)) return nullptr;
  }
  return job;
}

bool Job::Add(const Target& target, std::string* error) {
  auto process = std::make_unique<Process>();
  process->target = target;
  process->arena = top::ArenaFile::Open(target.arena, error);
  if (process->arena == nullptr) return false;
  processes_.push_back(std::move(process));
  return true;
}

void Job::AddNewcomers() {
  const std::string folder = folder_.Name();
  if (folder.empty()) return;
  for (const Target& target : top::RunningIn(folder)) {
    const bool known = std::any_of(processes_.begin(), processes_.end(),
                                   [&](const auto& process) { return process->target.pid == target.pid; });
    std::string not_yet;  // an arena whose first bytes are missing: next time
    if (!known) Add(target, &not_yet);
  }
}

bool Job::HasEnded() const {
  return std::all_of(processes_.begin(), processes_.end(), [](const auto& process) { return process->HasEnded(); });
}

// What was overwritten before we came, nobody has missed.
void Job::TakeNotes(Process* process, std::vector<Note>* notes, Moment* moment) {
  const event::MappedArena arena = ArenaOf(*process->arena);
  event::ForEachPlace(arena, [&](const event::Location* place) {
    const event::RingView view(arena, place);
    if (!view.IsThere()) return;
    moment->has_notes = true;
    const uint32_t thread = place->number;
    const uint64_t written = view.Written();
    const auto [at, is_new] = process->next.try_emplace(place->collectives, 0);
    if (is_new && written >= view.capacity()) at->second = written - view.capacity() + 1;
    discarded_ += view.Read(&at->second, [&](uint64_t, const event::CollectiveEvent& event) {
      notes->push_back({thread, event});
      return true;
    });
  });
}

uint32_t Job::PathOf(Process* process, const ProcessImage& image, uint32_t location, uint32_t line) {
  const auto known = process->paths.find(line);
  if (known != process->paths.end()) return known->second;
  std::string name;
  for (const LocationImage& each : image.locations) {
    if (each.header.number != location) continue;
    const auto at = std::lower_bound(each.lines.begin(), each.lines.end(), line);
    if (at == each.lines.end() || *at != line) break;
    auto node = static_cast<uint32_t>(at - each.lines.begin());
    for (; node != epitome::kNoNode; node = each.nodes[node].parent) {
      name = process->names.Of(each.nodes[node].key) + (name.empty() ? "" : " > ") + name;
    }
  }
  const auto [path, is_new] = known_paths_.try_emplace(name, static_cast<uint32_t>(paths_.size()));
  if (is_new) paths_.push_back(name);
  process->paths[line] = path->second;
  return path->second;
}

void Job::Define(const ProcessImage& image) {
  gatherer_.Define(kWorld, image.header.ranks);
  ranks_ = std::max(ranks_, image.header.ranks);
  communicators_[kWorld] = "MPI_COMM_WORLD";
  for (const auto& [number, communicator] : image.communicators) {
    uint32_t size = 0;
    for (const event::RankRun& run : communicator.own) size += static_cast<uint32_t>(run.count);
    if (number <= 1 || !communicator.remote.empty()) continue;
    gatherer_.Define(communicator.id, size);
    std::string& name = communicators_[communicator.id];
    if (!name.empty()) continue;
    const std::string plain = "comm" + std::to_string(communicators_.size() - 1) + " of " + std::to_string(size);
    name = communicator.name.empty() ? plain : communicator.name;
  }
}

void Job::PutTogether(Process* process, const top::Reading& reading, const std::vector<Note>& notes) {
  const ProcessImage& image = reading.image;
  Define(image);
  // All processes of a machine read one clock; only differences count.
  const double scale = reading.seconds_per_tick;
  for (const Note& note : notes) {
    if (zero_ticks_ == 0 && !event::IsLink(note.event)) zero_ticks_ = note.event.entered;
    std::vector<event::CollectiveEvent>& links = process->links[note.location];
    if (event::IsLink(note.event)) {
      links.push_back(note.event);
      continue;
    }
    const std::vector<event::CollectiveEvent> of_call = std::exchange(links, {});
    const uint32_t number = note.event.communicator;
    const auto communicator = image.communicators.find(number);
    if (number != 0 && communicator == image.communicators.end()) continue;
    if (!event::IsBack(note.event)) continue;
    Part part;
    part.communicator = number == 0 ? kWorld : communicator->second.id;
    part.sequence = note.event.sequence;
    part.rank = image.header.rank;
    part.thread = note.location;
    part.path = PathOf(process, image, note.location, note.event.node);
    part.entered = SecondsOf(note.event.entered, scale);
    part.left = SecondsOf(note.event.left, scale);
    gatherer_.Add(part);
    std::vector<LinkNote> link_notes;
    for (const event::CollectiveEvent& link : of_call) {
      const bool is_of_call = link.communicator == number && link.sequence == note.event.sequence;
      if (is_of_call) link_notes.push_back(LinkOf(link, scale));
    }
    links_.Add(part, link_notes);
  }
}

LinkNote Job::LinkOf(const event::CollectiveEvent& event, double scale) const {
  const bool is_up = event::IsUp(event);
  const uint64_t received = is_up ? event.left : event.entered, sent = is_up ? event.entered : event.left;
  LinkNote note;
  note.peer = event::RootOf(event);
  note.is_up = is_up;
  note.has_received = received != 0;
  note.has_sent = sent != 0;
  note.received = SecondsOf(received, scale);
  note.sent = SecondsOf(sent, scale);
  return note;
}

double Job::UsefulTime(const Process& process, const top::Reading& reading, const top::Sample& sample, Moment* moment) {
  double useful = 0;
  for (const top::PathLine& line : sample.paths) {
    const Key key = process.sampler.PathKeys(line.path).back();
    if (!IsWaiting(reading.image, key)) useful += line.now.exclusive;
    if (followed_.empty() || process.names.Of(key) != followed_) continue;
    moment->visits += static_cast<double>(line.total.calls);
    moment->rate += static_cast<double>(line.now.calls);
  }
  return useful;
}

Moment Job::Take() {
  AddNewcomers();
  Moment moment;
  double most = 0, sum = 0;
  // What processes read later have is ahead of the others' by that much; it waits for them in the gatherer.
  for (const auto& process : processes_) {
    std::vector<Note> notes;
    TakeNotes(process.get(), &notes, &moment);
    top::Reading reading;
    std::string error;
    if (!process->arena->Read(&reading, &error)) continue;  // one that is just leaving
    process->names.Learn(reading.image);
    PutTogether(process.get(), reading, notes);
    const top::Sample sample = process->sampler.Add(reading);
    const double useful = UsefulTime(*process, reading, sample, &moment);
    if (program_.empty()) program_ = reading.image.program.substr(reading.image.program.find_last_of('/') + 1);
    moment.time = std::max(moment.time, sample.total_seconds);
    moment.interval = std::max(moment.interval, sample.seconds);
    if (process->HasEnded()) continue;
    ++moment.processes;
    most = std::max(most, useful);
    sum += useful;
  }
  moment.has_balance = moment.processes > 1 && most > 0;
  if (moment.has_balance) moment.balance = sum / moment.processes / most;
  moment.last_arrivals = gatherer_.TakeLastArrivals();
  const double all = moment.interval * moment.processes, waited = gatherer_.TakeWaited();
  moment.waited = all > 0 ? std::min(1.0, waited / all) : 0;
  moment.rate = moment.interval > 0 ? moment.rate / moment.interval : 0;
  moment.discarded = discarded_;
  moment.gathered = gatherer_.gathered();
  moment.incomplete = gatherer_.incomplete();
  return moment;
}

std::string Job::CommunicatorName(uint64_t id) const {
  const auto known = communicators_.find(id);
  return known == communicators_.end() ? "" : known->second;
}

}  // namespace epik::monitor
