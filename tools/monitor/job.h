// SPDX-License-Identifier: BSD-3-Clause
// A running job as one picture: the data that its scopes gathered from this host and others since the last time. This
// is the root of their tree.
#ifndef EPIK_TOOLS_MONITOR_JOB_H_
#define EPIK_TOOLS_MONITOR_JOB_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/monitor/progress.h"
#include "tools/monitor/totals.h"
#include "tools/monitor/waiting.h"
#include "tools/scopes/arenas.h"
#include "tools/scopes/station.h"

namespace epik::monitor {

// The figures of one moment.
struct Moment {
  double time = 0;      // seconds since the program began
  double interval = 0;  // since the reading before
  uint64_t processes = 0;
  uint64_t paused = 0;  // processes whose measurement is paused as a whole
  bool has_balance = false;
  // the processes' mean time outside of MPI and OpenMP's waiting over their largest, in the interval
  double balance = 0;
  bool has_waited = false;
  double waited = 0;  // share of all processes' time that they waited in collectives for the last one, in the interval
  double late = 0;    // seconds by which the last process is late on average, for the worst call path
  bool has_late = false;
  uint64_t discarded = 0;   // notes that were overwritten before they were read, so far
  uint64_t gathered = 0;    // calls whose parts were combined, so far
  uint64_t incomplete = 0;  // given up
  bool has_notes = false;   // any process notes its collective calls
  double visits = 0;        // of the region whose progress is wanted, over all threads, so far
  bool has_rate = false;    // the region was entered, and processes run
  double rate = 0;          // a second, in the interval
  double total = 0;         // visits that the user expects in all; 0: the user did not say
  bool has_remaining = false;
  double remaining = 0;  // seconds until the region has all of these visits, if it goes on as in the latest half minute
  uint64_t standing = 0;        // processes that stand still in a call of MPI …
  double standing_longest = 0;  // … and seconds since the first of them came there
  std::vector<scopes::HostState> hosts;
  std::string missing;  // figures that cannot be shown, and a remedy; empty: nothing is missing
};

struct JobOptions {
  scopes::Plan plan;
  std::vector<std::string> hosts;  // to gather from; empty: all that have a scope
  double total_visits = 0;         // of the region whose progress is wanted; 0: nobody knows
};

// The scopes of `epk monitor`; `region`: its progress is shown, too; empty: no progress.
scopes::Plan StandardPlan(const std::string& region);

class Job {
 public:
  // word: process number, unfinished archive, or the id of a Slurm job. Null: *error says what is wrong.
  static std::unique_ptr<Job> Open(const std::string& word, const JobOptions& options, std::string* error);

  Moment Take();
  // Reads what would be overwritten before the next moment is taken. Returns the seconds after which the caller shall
  // call it again.
  double KeepUp();
  bool HasEnded() const;

  // The first scope of the kind; an empty one if the job has no such scope.
  const Totals& Of(scopes::Source source) const;
  const std::vector<Totals>& totals() const { return totals_; }
  uint32_t ranks() const { return ranks_; }  // of MPI_COMM_WORLD; 0: not known so far
  const std::string& program() const { return program_; }
  const std::string& PathName(uint32_t path) const { return station_->paths().NameOf(path); }
  std::string CommunicatorName(uint64_t id) const;
  // The archive's folder under its present name; empty when it is not known.
  std::string Folder() const { return arenas_->Folder(); }
  // Whether the job was started without EPK_COLL_TREE. False when all of its processes are on other hosts.
  bool LacksTree() const;

 private:
  explicit Job(const JobOptions& options)
      : options_(options), nothing_(scopes::Description{}), progress_(options.total_visits) {}
  bool AddHosts(std::string* error);
  void Learn(const scopes::Batch& batch);
  void SetTime(const scopes::Times& times, Moment* moment);
  void SetWork(Moment* moment) const;
  void SetWaited(Moment* moment);
  void SetProgress(Moment* moment);
  bool NotesCalls() const;  // its threads have notes, or will have them at their first collective call
  std::string Paused(const Moment& moment) const;
  std::string Missing(const Moment& moment) const;

  const JobOptions options_;
  std::unique_ptr<scopes::Station> station_;
  scopes::Arenas* arenas_ = nullptr;  // the station's own
  std::vector<Totals> totals_;
  const Totals nothing_;
  Progress progress_;
  Waiting waiting_;
  double lasting_ = 0;  // seconds so far in calls that still lasted when the work was last read
  std::map<uint64_t, std::string> communicators_;
  std::vector<scopes::HostState> hosts_;
  std::string program_;
  uint32_t ranks_ = 0;
  double time_ = 0;  // of the moment before
  double look_ = kQuickLook;
  static constexpr double kQuickLook = 0.01, kSlowLook = 0.1;
  uint64_t most_processes_ = 0;
};

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_JOB_H_
