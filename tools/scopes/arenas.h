// SPDX-License-Identifier: BSD-3-Clause
// The source of all scopes: the processes of a running job that are on this host, read through their arenas. The reader
// writes nothing there, so the processes do not notice it, nor its end if it is killed.
#ifndef EPIK_TOOLS_SCOPES_ARENAS_H_
#define EPIK_TOOLS_SCOPES_ARENAS_H_

#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/event/collectives.h"
#include "tools/scopes/station.h"
#include "tools/top/arena_file.h"
#include "tools/top/names.h"
#include "tools/top/proc.h"
#include "tools/top/sampler.h"
#include "tools/top/target.h"

namespace epik::scopes {

class Arenas : public Own {
 public:
  struct How {
    bool from_now = false;  // leave out earlier notes
    uint32_t helpers = 0;   // threads that read arenas besides the caller's
  };

  // Opens the arenas of the named processes, and of processes that come to the job's folder later.
  static std::unique_ptr<Arenas> Open(const std::vector<top::Target>& targets, const How& how, std::string* error);
  // Opens an unfinished archive; its processes may all be on other hosts.
  static std::unique_ptr<Arenas> OpenFolder(const std::string& unfinished, const How& how);

  void Read(Paths* paths, std::vector<Scope>* scopes, Batch* batch) override;
  bool IsFilling() const override;

  // Processes that have begun in folders of their own go to one folder in MPI_Init. True: the job has moved there since
  // the last time.
  bool Follow();
  // A scope of this host is gathered: it reads the processes that come here, and this object does not.
  void LeaveToScope() { has_scope_ = true; }
  // All processes that were here have ended; or there were none and the job has ended.
  bool HasEnded() const;
  size_t processes() const { return processes_.size(); }
  // The archive's folder under its present name; empty when it is not known.
  std::string Folder() const { return folder_.Name(); }
  // The settings of a process that was read, as the text of a file; empty when none was read.
  const std::string& configuration() const { return configuration_; }

 private:
  struct Note {
    uint32_t location;  // number of the thread
    event::CollectiveEvent event;
  };
  struct Process {
    explicit Process(const top::Target& of) : target(of), handle(of.pid) {}
    top::Target target;
    top::ProcessHandle handle;
    std::unique_ptr<top::ArenaFile> arena;
    top::Sampler sampler{false};
    top::Names names;
    std::map<uint32_t, uint64_t> next;                              // next note, by line of the ring
    std::map<uint32_t, uint32_t> paths;                             // number of the call path, by line of the node
    std::map<uint32_t, std::vector<event::CollectiveEvent>> links;  // of the next call, by number of the thread
    std::map<uint32_t, uint64_t> computed;                          // calls, by line of the row
    uint64_t waited = 0, unknown = 0;                               // ticks and calls, as the job told last
    // Results of this reading:
    std::vector<Note> notes;
    uint64_t discarded = 0;
    bool has_notes = false, was_read = false, had_ended = false;
    bool has_statistics = false;  // every thread with notes has
    bool had_sample = false;      // an earlier reading has
    top::Reading reading;
    top::Sample sample;
    bool HasEnded() const;
  };
  // From ticks to seconds of this host's clock, one for all of its processes.
  struct HostClock {
    base::ClockPair first = {};
    double seconds_per_tick = 1e-9;
    double SecondsOf(uint64_t ticks) const {
      return static_cast<double>(first.ns) * 1e-9 +
             static_cast<double>(static_cast<int64_t>(ticks - first.ticks)) * seconds_per_tick;
    }
  };

  Arenas(const std::string& unfinished, const How& how) : how_(how), folder_(unfinished) {}
  bool Add(const top::Target& target, std::string* error);
  void AddNewcomers();
  void SetClock();
  void TakeNotes(Process* process) const;
  void ReadOne(Process* process, bool wants_work) const;
  void ReadAll(bool wants_work);
  void PutTogether(Process* process, Paths* paths, std::vector<Scope>* scopes, Batch* batch);
  void AddCall(const Part& part, const std::vector<event::CollectiveEvent>& links, const std::string& communicator,
               const Paths& paths, std::vector<Scope>* scopes) const;
  void AddComputed(Process* process, bool with_waits, Paths* paths, std::vector<Scope>* scopes) const;
  bool AllCompute() const;
  StandingRow StandingOf(Process* process, Paths* paths, Work* work) const;
  void AddWork(Process* of, Paths* paths, std::vector<Scope>* scopes) const;
  void Define(const archive::ProcessImage& image, std::vector<Scope>* scopes, Batch* batch) const;
  uint32_t PathOf(Process* process, uint32_t location, uint32_t line, Paths* paths) const;
  LinkNote LinkOf(const event::CollectiveEvent& event) const;

  const How how_;
  top::Folder folder_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::set<int> numbers_;  // of these processes
  HostClock clock_;
  double read_before_ = std::numeric_limits<double>::infinity();  // when; infinity: never
  bool uses_computed_ = false, has_read_ = false, has_scope_ = false;
  std::string configuration_;
};

std::string HostName();

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_ARENAS_H_
