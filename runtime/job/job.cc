// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/job/job.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/abi/bytes.h"
#include "runtime/abi/group.h"
#include "runtime/base/log.h"
#include "runtime/base/own_stack.h"
#include "runtime/endings/finish.h"
#include "runtime/endings/rescue.h"
#include "runtime/epilog/capture.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/options.h"
#include "runtime/episode/workplace.h"
#include "runtime/job/coll_tree.h"
#include "runtime/job/job_clock.h"
#include "runtime/job/launcher.h"
#include "runtime/monitor/shared_board.h"
#include "runtime/monitor/waits.h"

namespace epik::job {

using archive::Group;
using event::Process;

namespace {

struct Job {
  bool anyone_measures = false;  // in this job
  bool one_clock = true;         // for all of its processes
  bool anyone_waits = false;     // to know how long it waited (EPK_WAITS)
  ClockSchedule schedule;        // as rank 0 wants it
};
constinit Job job;

// Processes of one boot of one machine read the same clock. EPK_INTERNAL_CLOCKS=apart: as if they did not, for tests.
uint64_t ClockNumber(const Group& group, bool measuring) {
  uint64_t number = 0xcbf29ce484222325u;
  if (measuring) {
    for (const char* c = Process()->boot_id; *c != '\0'; ++c) {
      number = (number ^ static_cast<unsigned char>(*c)) * 0x100000001b3u;
    }
  }
  const char* apart = getenv("EPK_INTERNAL_CLOCKS");
  return apart != nullptr ? number + static_cast<uint64_t>(group.rank()) : number;
}

struct Introduction {
  uint64_t clock;
  bool measures;
  bool waits;
  bool has_tree;  // EPK_COLL_TREE
};

// Rank 0's answer to the introductions of all processes.
std::string Answer(const std::string& introductions) {
  bool any = false, one = true, waits = false, trees = true;
  std::vector<uint64_t> hosts;
  archive::BytesIn bytes(introductions);
  uint64_t first = 0;
  for (bool is_first = true; !bytes.AtEnd() && bytes.good(); is_first = false) {
    const auto process = bytes.Get<Introduction>();
    if (is_first) first = process.clock;
    any = any || process.measures;
    waits = waits || process.waits;
    trees = trees && process.has_tree;
    hosts.push_back(process.clock);
    one = one && process.clock == first;
  }
  archive::BytesOut answer;
  answer.Put(any);
  answer.Put(one);
  answer.Put(waits);
  answer.Put(episode::adapter_options.clock_sync_ns);
  answer.Put(std::string(episode::CurrentStage() == episode::Stage::kOn ? episode::UnfinishedArchive() : ""));
  PutTree(trees ? *episode::adapter_options.coll_tree : config::CollTree(), hosts, &answer);
  return answer.Take();
}

event::ClockOffset MeasureClock(Group* group, bool measuring) {
  return SynchronizeClock(group, ClockNumber(*group, measuring), base::MonotonicRawNs);
}

void NoteClock(Group* group, bool measuring, uint32_t which) {
  if (job.one_clock) return;
  const event::ClockOffset offset = MeasureClock(group, measuring);
  if (!measuring) return;
  Process()->clock_offset[which] = offset;
  Process()->clock_offsets = which + 1;
}

}  // namespace

void ExpectJob() {
  if (!episode::EnsureStarted() || Process()->ranks != 0) return;
  const episode::Inside guard;
  const int saved_errno = errno;
  const Launched launched = LaunchedBy([](const char* name) -> const char* { return getenv(name); });
  if (!launched.job.empty()) {
    Process()->rank = launched.rank;
    Process()->ranks = static_cast<uint32_t>(launched.ranks);
    episode::MoveToJob(launched.job);
  }
  errno = saved_errno;
}

bool JoinJob(const EpikProcessGroup& processes) {
  const bool measuring = episode::EnsureStarted();
  const episode::Inside guard;
  const int saved_errno = errno;
  Group group(&processes);
  // MPI may have other processes than the launcher told, for example under the mpirun of another MPI. Then each such
  // job ends by itself, and would take the archive that the launcher's jobs share away from the others.
  const bool as_launched =
      !measuring || Process()->ranks == 0 || Process()->ranks == static_cast<uint32_t>(processes.size);
  if (!as_launched && group.IsRoot()) episode::MoveToOwn();
  archive::BytesOut mine;
  const bool has_tree = measuring && episode::adapter_options.coll_tree != nullptr;
  mine.Put(Introduction{ClockNumber(group, measuring), measuring, measuring && monitor::waits_on, has_tree});
  const std::string introductions = group.Gather(mine.Take());
  const std::string answer = group.Broadcast(group.IsRoot() ? Answer(introductions) : "");
  archive::BytesIn bytes(answer);
  job.anyone_measures = bytes.Get<bool>();
  job.one_clock = bytes.Get<bool>();
  job.anyone_waits = bytes.Get<bool>();
  job.schedule = ClockSchedule(bytes.Get<uint64_t>());
  const std::string home = bytes.GetText();
  GetTree(&bytes);
  if (measuring) {
    Process()->rank = processes.rank;
    Process()->ranks = static_cast<uint32_t>(processes.size);
    if (!episode::adapter_options.trace_ranks.Contains(processes.rank)) epilog::DropTrace();
    if (!group.IsRoot() && !home.empty()) episode::MoveTo(home);
  }
  NoteClock(&group, measuring, 0);
  job.schedule.Start(base::MonotonicRawNs());
  errno = saved_errno;
  return job.anyone_measures;
}

bool ClocksDrift() { return job.anyone_measures && !job.one_clock && job.schedule.IsOn(); }

void AfterBarrier(const EpikProcessGroup& processes, const void* stack) {
  if (!job.schedule.IsDue()) return;
  const int saved_errno = errno;
  const bool measuring = episode::CurrentStage() == episode::Stage::kOn;
  // Its time is the measurement's, not the barrier's.
  if (measuring) episode::Enter(event::RegionKey(event::kMeasurementRegion), stack);
  {
    const episode::Inside guard;
    Group group(&processes);
    const bool now = job.schedule.Decide(&group, base::MonotonicRawNs());
    if (now) {
      const event::ClockOffset offset = MeasureClock(&group, measuring);
      const episode::Piece piece = {&offset, sizeof offset};
      if (measuring && !group.failed()) episode::Define(event::RecordType::kClock, &piece, 1);
    }
  }
  if (measuring) episode::Exit(event::RegionKey(event::kMeasurementRegion), stack);
  errno = saved_errno;
}

namespace {

// First all processes tell when their calls began. Then the receivers answer the processes whose synchronous sends
// waited.
void SettleTogether(Group* group, bool measuring) {
  const episode::Inside guard;
  bool good = true;
  for (int round = 0; round < 2; ++round) {
    if (measuring) monitor::TellLastWaits();
    good = group->Agree(true) && good;
  }
  if (good && measuring) monitor::SettleWaits();
}

void FinishTogether(const EpikProcessGroup& processes) {
  const bool measuring = episode::BeginFinish(event::Ending::kMpiFinalize, 0);
  Group group(&processes);
  NoteClock(&group, measuring, 1);
  if (job.anyone_waits) SettleTogether(&group, measuring);
  if (measuring) monitor::RemoveSharedBoard();
  // A process that cannot take part says so, so that the others do not wait for it.
  const bool all_can = group.Agree(endings::CanWriteArchive());
  if (all_can) {
    endings::WriteArchive(&processes);
  } else if (group.IsRoot()) {
    base::Say("the processes cannot write the archive together; type: epk recover %s", episode::UnfinishedArchive());
  }
  if (measuring) episode::EndFinish();
}

}  // namespace

void FinishJob(const EpikProcessGroup& processes) {
  if (!job.anyone_measures) return;
  const int saved_errno = errno;
  base::CallOnOwnStack(
      base::OwnStack::kEnd, [](void* group) { FinishTogether(*static_cast<const EpikProcessGroup*>(group)); },
      const_cast<EpikProcessGroup*>(&processes));
  errno = saved_errno;
}

void LeaveJob(event::Ending ending, int value) { endings::Rescue(ending, value); }

}  // namespace epik::job
