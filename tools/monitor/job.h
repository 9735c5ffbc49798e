// SPDX-License-Identifier: BSD-3-Clause
// All processes of a running job that are on this machine, read through their arenas: what happened since the last
// reading, as one picture. Nothing is written there, so that nobody notices who reads, or that he was killed.
#ifndef EPIK_TOOLS_MONITOR_JOB_H_
#define EPIK_TOOLS_MONITOR_JOB_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/event/collectives.h"
#include "tools/monitor/gatherer.h"
#include "tools/monitor/links.h"
#include "tools/top/arena_file.h"
#include "tools/top/names.h"
#include "tools/top/sampler.h"
#include "tools/top/target.h"

namespace epik::monitor {

// What is shown at one moment.
struct Moment {
  double time = 0;      // seconds since the program began
  double interval = 0;  // since the reading before
  uint32_t processes = 0;
  bool has_balance = false;
  double balance = 0;  // mean over largest time outside of MPI and OpenMP's waiting, of the processes, in the interval
  double waited = 0;   // share of all processes' time that they waited in collectives for the last one, in the interval
  std::vector<LastArrival> last_arrivals;
  uint64_t discarded = 0;   // notes that were overwritten before they were read, so far
  uint64_t gathered = 0;    // calls that were put together, so far
  uint64_t incomplete = 0;  // given up
  bool has_notes = false;   // any process notes its collective calls
  double visits = 0;        // of the region whose progress is asked for, all threads, so far
  double rate = 0;          // a second, in the interval
};

class Job {
 public:
  // word: process number, unfinished archive, or the id of a Slurm job. Null: *error says what is wrong.
  static std::unique_ptr<Job> Open(const std::string& word, std::string* error);

  // Whose progress Moment has; empty: nobody's.
  void Follow(const std::string& region) { followed_ = region; }

  Moment Take();
  bool HasEnded() const;

  const Gatherer& gatherer() const { return gatherer_; }
  const Links& links() const { return links_; }
  uint32_t ranks() const { return ranks_; }  // of MPI_COMM_WORLD; 0: not known so far
  const std::string& program() const { return program_; }
  const std::string& PathName(uint32_t path) const { return paths_[path]; }
  std::string CommunicatorName(uint64_t id) const;
  // The folder of the archive, as it is called now; empty when it is not known.
  std::string Folder() const { return folder_.Name(); }

 private:
  struct Note {
    uint32_t location;  // number of the thread
    event::CollectiveEvent event;
  };
  struct Process {
    top::Target target;
    std::unique_ptr<top::ArenaFile> arena;
    top::Sampler sampler;
    top::Names names;
    std::map<uint32_t, uint64_t> next;                              // note, by line of the ring
    std::map<uint32_t, uint32_t> paths;                             // number of the call path, by line of the node
    std::map<uint32_t, std::vector<event::CollectiveEvent>> links;  // of the next call, by number of the thread
    bool HasEnded() const;
  };

  explicit Job(const std::string& unfinished) : folder_(unfinished) {}
  bool Add(const top::Target& target, std::string* error);
  double SecondsOf(uint64_t ticks, double scale) const {
    return static_cast<double>(static_cast<int64_t>(ticks - zero_ticks_)) * scale;
  }
  LinkNote LinkOf(const event::CollectiveEvent& event, double scale) const;
  void AddNewcomers();
  void TakeNotes(Process* process, std::vector<Note>* notes, Moment* moment);
  void PutTogether(Process* process, const top::Reading& reading, const std::vector<Note>& notes);
  void Define(const epitome::ProcessImage& image);
  uint32_t PathOf(Process* process, const epitome::ProcessImage& image, uint32_t location, uint32_t line);
  double UsefulTime(const Process& process, const top::Reading& reading, const top::Sample& sample, Moment* moment);

  top::Folder folder_;
  std::vector<std::unique_ptr<Process>> processes_;
  Gatherer gatherer_;
  Links links_;
  std::map<std::string, uint32_t> known_paths_;
  std::vector<std::string> paths_;
  std::map<uint64_t, std::string> communicators_;
  std::string program_, followed_;
  uint64_t discarded_ = 0;
  uint64_t zero_ticks_ = 0;  // of the first note
  uint32_t ranks_ = 0;
};

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_JOB_H_
