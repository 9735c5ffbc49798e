// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace_profile/teams.h"

#include <algorithm>
#include <array>

#include "archive/files/parallel.h"

namespace epik::archive {

using event::RecordKind;

namespace {

constexpr size_t kLevels = 8;  // the runtime, too, looks at this many levels of nested regions

struct Team {
  uint64_t instance;
  uint64_t entered;  // when the leader entered the region
  uint32_t size = 0;
  std::vector<uint32_t> members;  // without the leader
};

struct Thread {
  std::vector<uint64_t> entered;  // the enter of each open call
  uint32_t led_by = kNone;        // the leader of its last team
  uint64_t joined = 0;            // the end of that team's region
  // The rest is about the thread as a leader, by nesting level: its open regions, the most threads that a region of
  // this level had, and the thread that last had each number in such a team.
  std::vector<Team> teams;
  std::array<uint32_t, kLevels> most{};
  std::array<std::vector<uint32_t>, kLevels> last_members;
};

class Teams {
 public:
  void Take(const Event& event) {
    Thread& thread = threads_[event.location];
    switch (event.kind) {
      case RecordKind::kEnter: thread.entered.push_back(event.time); break;
      case RecordKind::kExit:
        if (!thread.entered.empty()) thread.entered.pop_back();
        break;
      case RecordKind::kFork:
        if (!thread.entered.empty()) thread.teams.push_back({event.field[1], thread.entered.back(), 0, {}});
        break;
      case RecordKind::kTeamBegin:
        Begin(event.location, static_cast<uint32_t>(event.field[0]), event.field[1],
              static_cast<uint32_t>(event.field[2]));
        break;
      case RecordKind::kJoin: Join(event.location, event.field[0], event.time); break;
      default: break;
    }
  }

  LimitedThreads limited() const { return limited_; }

 private:
  void Begin(uint32_t thread, uint32_t leader, uint64_t instance, uint32_t number) {
    std::vector<Team>& teams = threads_[leader].teams;
    const auto team = std::find_if(teams.begin(), teams.end(), [&](const Team& t) { return t.instance == instance; });
    if (team == teams.end()) return;
    team->size = std::max(team->size, number + 1);
    const auto level = static_cast<size_t>(team - teams.begin());
    if (thread == leader || level >= kLevels) return;
    std::vector<uint32_t>& last_members = threads_[leader].last_members[level];
    if (last_members.size() <= number) last_members.resize(size_t{number} + 1, kNone);
    last_members[number] = thread;
    team->members.push_back(thread);
    threads_[thread].led_by = leader;
  }

  void Join(uint32_t leader, uint64_t instance, uint64_t now) {
    Thread& thread = threads_[leader];
    std::vector<Team>& teams = thread.teams;
    const auto found = std::find_if(teams.begin(), teams.end(), [&](const Team& t) { return t.instance == instance; });
    if (found == teams.end()) return;
    const Team team = *found;
    const auto level = static_cast<size_t>(found - teams.begin());
    teams.erase(found, teams.end());
    for (const uint32_t member : team.members) threads_[member].joined = now;
    if (level >= kLevels) return;
    thread.most[level] = std::max(thread.most[level], team.size);
    const std::vector<uint32_t>& last_members = thread.last_members[level];
    for (size_t i = team.size; i < last_members.size() && i < thread.most[level]; ++i) {
      if (last_members[i] == kNone) continue;
      const Thread& other = threads_[last_members[i]];
      if (other.led_by == leader && other.joined <= team.entered) Add(&limited_[last_members[i]], now - team.entered);
    }
  }

  static void Add(LimitedVisits* sums, uint64_t ticks) {
    ++sums->visits;
    sums->ticks += ticks;
    sums->min = std::min(sums->min, ticks);
    sums->max = std::max(sums->max, ticks);
    sums->squares += static_cast<double>(ticks) * static_cast<double>(ticks);
  }

  std::map<uint32_t, Thread> threads_;  // by number
  LimitedThreads limited_;
};

LimitedThreads ReadTeams(const TraceArchive& archive, uint32_t process, const TimeLimit& limit) {
  const TraceArchive::Process& file = *archive.processes()[process];
  MergedReader reader;
  for (const TraceArchive::Stream& stream : archive.streams()) {
    if (stream.process == process) reader.Add(&file.file, stream.number, &file.clock);
  }
  Teams teams;
  Event event;
  uint32_t source = 0;
  int64_t ns = 0;
  TimedSteps steps(limit);
  while (reader.Next(&event, &source, &ns)) {
    steps.Step();
    teams.Take(event);
  }
  return teams.limited();
}

}  // namespace

std::vector<LimitedThreads> LimitedParallelism(const TraceArchive& archive, unsigned threads, const TimeLimit& limit) {
  std::vector<LimitedThreads> limited(archive.processes().size());
  if (LimitedPath(archive.definitions().profile) == kNone) return limited;
  ForEachPart(limited.size(), threads,
              [&](size_t p) { limited[p] = ReadTeams(archive, static_cast<uint32_t>(p), limit); });
  return limited;
}

uint32_t LimitedPath(const Profile& profile) {
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    const Region& region = profile.regions[profile.call_paths[p].region];
    if (region.role == "artificial" && region.name == "limited parallelism") return p;
  }
  return kNone;
}

}  // namespace epik::archive
