// SPDX-License-Identifier: BSD-3-Clause
// epk control: switches the measurement of a running program from outside.
#include "runtime/event/control.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "archive/close/liveness.h"
#include "runtime/base/clock.h"
#include "tools/epk/command.h"
#include "tools/top/proc.h"
#include "tools/top/target.h"

namespace epik::epk {
namespace {

constexpr char kControlManual[] = R"(
SYNOPSIS
    epk control [PID|ARCHIVE] [trace on|trace off|flush|pause|resume]

DESCRIPTION
  Switches the measurement of a program while it runs. The program need not do anything for it.

  `trace on` and `trace off` begin and end what `EPK_TRACE` has selected, from the next event of each thread on. A
  program that was started with `EPK_TRACE_START=no` logs nothing until then.

  `flush` has each thread write its trace to its file before the next event it logs.

  `pause` ends the measurement of each thread with the next function it enters, `resume` goes on with the next one it
  enters or leaves. The time between is the call path `paused`, so that totals stay true; calls that are entered and left
  meanwhile are not counted.

  When no action is named, it shows the state.

  A process number names one process. The folder `epik_PROGRAM.PID.unfinished` (of a job of MPI, the launcher's name of
  the job stands for PID) names all processes of the job that run on this machine; for those of another machine, type
  the same there. When nothing is named, it switches the only program that runs in this folder. It writes the request
  into the memory that the program shares with that folder.

EXAMPLES
    epk control
    epk control 4711 trace off
    epk control epik_solver.4711.unfinished pause

SEE ALSO
  epk-top(1), epk-run(1), epk-print(1)
)";

// An arena that can be written to.
class Arena {
 public:
  explicit Arena(const std::string& path) {
    const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info {};
    if (fd < 0 || fstat(fd, &info) != 0) throw Fault(path + ": " + std::strerror(errno));
    // The arena is written to, so a link that somebody planted in an archive must not lead to another file.
    if (!S_ISREG(info.st_mode) || info.st_nlink != 1 || (geteuid() != 0 && info.st_uid != geteuid())) {
      close(fd);
      throw Fault(path + ": is not the memory file of one of your processes");
    }
    const auto size = static_cast<size_t>(std::max<off_t>(info.st_size, 0));
    void* bytes = size < sizeof(event::ProcessHeader) ? MAP_FAILED
                                                      : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) throw Fault(path + ": is empty or cannot be mapped");
    arena_ = {static_cast<char*>(bytes), size};
    const base::ArenaHeader& header = arena_.header()->arena;
    if (std::memcmp(header.magic, base::kArenaMagic, sizeof header.magic) != 0 ||
        header.version != base::kArenaVersion || header.line_bytes != base::kLineBytes) {
      munmap(bytes, size);
      throw Fault(path + ": is not the memory file of a process measured by this version of EPIK");
    }
  }
  ~Arena() { munmap(arena_.base, arena_.bytes); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  const event::MappedArena& mapped() const { return arena_; }
  const event::ProcessHeader& header() const { return *arena_.header(); }
  bool Runs() const {
    return header().state == event::ProcessState::kOn && archive::IsOfThisBoot(header()) &&
           top::ProcessExists(static_cast<int>(header().pid));
  }

 private:
  event::MappedArena arena_;
};

uint64_t TicksOf(const event::ProcessHeader& process) {
  return process.timer == base::Timer::kTsc ? base::ReadTsc() : base::MonotonicRawNs();
}

struct Action {
  const char* words;
  bool needs_trace;
  void (*act)(const event::MappedArena& arena);
};
constexpr Action kActions[] = {
    {"trace on", true,
     [](const event::MappedArena& arena) { event::SwitchTraceOf(arena, true, TicksOf(*arena.header())); }},
    {"trace off", true,
     [](const event::MappedArena& arena) { event::SwitchTraceOf(arena, false, TicksOf(*arena.header())); }},
    {"flush", true, event::FlushOf},
    {"trace flush", true, event::FlushOf},
    {"pause", false, [](const event::MappedArena& arena) { event::PauseOf(arena, true); }},
    {"resume", false, [](const event::MappedArena& arena) { event::PauseOf(arena, false); }},
};

void Say(const event::ProcessHeader& header, const event::MappedArena& arena) {
  const bool traces = header.trace_bytes != 0;
  std::printf("process %u%s: %s, trace %s\n", header.pid,
              header.ranks != 0 ? (", rank " + std::to_string(header.rank)).c_str() : "",
              event::IsWanted(arena, event::kPaused) ? "paused" : "measured",
              !traces                                    ? "not asked for at its start (EPK_TRACE)"
              : event::IsWanted(arena, event::kTraceOff) ? "off"
                                                         : "on");
}

int Control(std::vector<std::string> words) {
  const auto is_action = [](const std::string& word) {
    return std::any_of(std::begin(kActions), std::end(kActions),
                       [&](const Action& a) { return std::string(a.words).substr(0, word.size()) == word; });
  };
  std::string what;
  if (!words.empty() && !is_action(words.front())) {
    what = words.front();
    words.erase(words.begin());
  }
  std::string asked;
  for (const std::string& word : words) asked += (asked.empty() ? "" : " ") + word;
  const Action* action = nullptr;
  for (const Action& known : kActions) {
    if (asked == known.words) action = &known;
  }
  if (!asked.empty() && action == nullptr) {
    throw UsageError("\"" + asked + "\" is not one of: trace on, trace off, flush, pause, resume");
  }
  std::vector<top::Target> targets;
  std::string error;
  if (!top::FindTargets(what, &targets, &error)) throw Fault(error);
  // EPK_TRACE=ranks: leaves processes of a job without a trace.
  std::string without_trace;
  bool any_runs = false, any_obeys = false;
  for (const top::Target& target : targets) {
    const Arena arena(target.arena);
    if (!arena.Runs()) continue;
    any_runs = true;
    if (action == nullptr) {
      Say(arena.header(), arena.mapped());
    } else if (action->needs_trace && arena.header().trace_bytes == 0) {
      without_trace = std::to_string(arena.header().pid);
    } else {
      action->act(arena.mapped());
      any_obeys = true;
    }
  }
  if (!any_runs) throw Fault("none of its processes runs on this machine");
  if (!any_obeys && !without_trace.empty()) {
    throw Fault("process " + without_trace +
                " has no trace to switch; start it with EPK_TRACE=… and, to log nothing yet, EPK_TRACE_START=no");
  }
  return kDone;
}

}  // namespace

void AddControl(cli::App& app, std::function<int()>& run) {
  auto words = std::make_shared<std::vector<std::string>>();
  app.AddOption("what", *words, "a process number or unfinished archive, and what to do").TypeName("WHAT");
  app.Footer(kControlManual);
  run = [words] { return Control(*words); };
}

}  // namespace epik::epk
