// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/launchers.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace epik::launch {
namespace {

enum class Kind { kOpenMpi, kHydra, kSlurm, kOther, kPrefix };

// The options that take values, between blanks. Dashes are left out: mpirun takes -np and --np alike. A value
// joined to its option (-n4, --nodes=2) needs no entry.
struct Launcher {
  Kind kind;
  std::string_view names;
  std::string_view one_value;
  std::string_view two_values;
  std::string_view from_file;  // options naming a file with the programs
  int positional;              // words of its own before the program
};

constexpr std::string_view kOpenMpiValues =
    " n np c x H host hostfile machinefile default-hostfile wdir wd path rf rankfile map-by bind-to rank-by N npernode "
    "npersocket output-filename output prefix cpu-set cpu-list cpus-per-proc cpus-per-rank timeout stdin tune am dvm "
    "personality debugger report-uri ompi-server max-restarts preload-files launch-agent xml-file xterm slot-list "
    "display runtime-options pset server-wait-time num-procs dvm-uri namespace parsable-output report-child-jobs "
    "pmixmca-file cpu-bind tag-output-to server-uri ppr mca-base-param-file app-prefix rmaps ";
constexpr std::string_view kOpenMpiPairs = " mca gmca omca pmca prtemca gpmixmca pmixmca gomca gprtemca ";
constexpr std::string_view kHydraValues =
    " n np f hostfile machinefile machine ppn perhost grr host hosts genvlist envlist wdir dir bind-to map-by membind "
    "rmk "
    "launcher launcher-exec bootstrap bootstrap-exec iface outfile-pattern errfile-pattern prepend-pattern topolib "
    "demux "
    "usize ports path umask soft arch nameserver order-nodes port-range hostlist pmi-port gpus-per-proc ranks-per-proc "
    "ckpoint-interval ckpoint-prefix ckpoint-num ckpointlib timeout binding mapping file s a ";
constexpr std::string_view kHydraPairs = " genv env ";
constexpr std::string_view kSlurmValues =
    " n N c t p A J w x o e i m d D r C G q T B P M L S a b ntasks nodes cpus-per-task time partition account job-name "
    "nodelist "
    "exclude output error input distribution mem mem-per-cpu mem-per-gpu mem-bind cpu-bind mpi export ntasks-per-node "
    "ntasks-per-core ntasks-per-socket gpus gpus-per-node gpus-per-task gpus-per-socket gpu-bind gres constraint "
    "reservation qos jobid chdir relative signal hint licenses dependency threads-per-core sockets-per-node "
    "cores-per-socket core-spec cluster-constraint clusters comment deadline epilog prolog task-epilog task-prolog "
    "kill-on-bad-exit network nice open-mode priority profile propagate switches thread-spec tmp tres-per-task uid gid "
    "wait wckey mail-type mail-user begin bcast het-group label-file acctg-freq time-min cpu-freq cpus-per-gpu "
    "exact-file ";
constexpr std::string_view kAprunValues =
    " n N d S j cc e L m p r sn F T t sl pes a A B-file cpus-per-pe pes-per-node ";
constexpr std::string_view kJsrunValues =
    " n a c g r b d l E F D h k o t X S M J U P p K e np nrs tasks_per_rs cpu_per_rs gpu_per_rs rs_per_host bind "
    "launch_distribution latency_priority env chdir stdio_input stdio_stderr stdio_stdout stdio_mode smpiargs spindle ";

constexpr std::array kLaunchers = {
    Launcher{Kind::kOpenMpi, " orterun prterun prun mpirun.openmpi mpiexec.openmpi ", kOpenMpiValues, kOpenMpiPairs,
             " app ", 0},
    Launcher{Kind::kHydra, " mpiexec.hydra mpirun.mpich mpiexec.mpich mpirun_rsh ", kHydraValues, kHydraPairs,
             " configfile ", 0},
    Launcher{Kind::kSlurm, " srun ", kSlurmValues, " ", " multi-prog ", 0},
    Launcher{Kind::kOther, " aprun ", kAprunValues, " ", " ", 0},
    Launcher{Kind::kOther, " jsrun lrun ", kJsrunValues, " ", " f ", 0},
    Launcher{Kind::kPrefix, " env ", " ", " ", " ", 0},  // ReadEnv knows its options
    Launcher{Kind::kPrefix, " numactl ",
             " N m C i p w cpunodebind membind physcpubind interleave preferred weighted-interleave ", " ", " ", 0},
    Launcher{Kind::kPrefix, " taskset ", " ", " ", " ", 1},
    Launcher{Kind::kPrefix, " nice ", " n adjustment ", " ", " ", 0},
    Launcher{Kind::kPrefix, " ionice ", " c n class classdata ", " ", " ", 0},
    Launcher{Kind::kPrefix, " time gtime ", " f o format output ", " ", " ", 0},
    Launcher{Kind::kPrefix, " timeout ", " s k signal kill-after ", " ", " ", 1},
    Launcher{Kind::kPrefix, " stdbuf ", " i o e input output error ", " ", " ", 0},
    Launcher{Kind::kPrefix, " nohup setsid catchsegv ", " ", " ", " ", 0},
};

// Names that belong to several launchers, unless they lead to a known file.
constexpr std::string_view kAmbiguous = " mpirun mpiexec ";

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool Lists(std::string_view list, std::string_view name) {
  return !name.empty() && list.find(" " + std::string(name) + " ") != std::string_view::npos;
}

const Launcher* FindByName(std::string_view name) {
  for (const Launcher& launcher : kLaunchers) {
    if (Lists(launcher.names, name)) return &launcher;
  }
  return nullptr;
}

// A path leads to a launcher if PATH finds a launcher of that name, or if the path is a folder in which systems and
// MPIs keep programs. `./timeout` and `build/nice` are the user's own programs.
bool IsInstalled(const std::string& word, Kind kind, const Resolve& resolve) {
  const size_t slash = word.rfind('/');
  if (slash == std::string::npos) return true;
  const std::string_view folder = std::string_view(word).substr(0, slash);
  if (Lists(" /bin /usr/bin /usr/local/bin ", folder)) return true;
  const std::string_view last = BaseName(folder);
  if (kind != Kind::kPrefix && (last == "bin" || last == "sbin" || last == "libexec")) return true;
  if (word[0] != '/') return false;  // PATH may hold the current folder
  const std::string real = resolve ? resolve(word) : "";
  return !real.empty() && real == resolve(word.substr(slash + 1));
}

const Launcher* Find(const std::string& word, const Resolve& resolve) {
  const std::string_view name = BaseName(word);
  const Launcher* found = FindByName(name);
  if (found != nullptr && !IsInstalled(word, found->kind, resolve)) return nullptr;
  if (found == nullptr && Lists(kAmbiguous, name) && !IsInstalled(word, Kind::kOther, resolve)) return nullptr;
  if (found != nullptr || !Lists(kAmbiguous, name)) return found;
  const std::string real = resolve ? resolve(word) : "";
  found = FindByName(BaseName(real));
  for (std::string_view child : {"hydra", "mpich", "mvapich", "intel", "impi"}) {
    if (found == nullptr && real.find(child) != std::string::npos) found = FindByName("mpiexec.hydra");
  }
  // On most systems the name means Open MPI.
  return found == nullptr ? FindByName("orterun") : found;
}

Passing PassingOf(Kind kind) {
  if (kind == Kind::kOpenMpi) return Passing::kOpenMpi;
  if (kind == Kind::kHydra) return Passing::kHydra;
  return Passing::kInherit;
}

class Search {
 public:
  Search(const Words& words, const Resolve& resolve) : words_(words), resolve_(resolve) {}

  // The command in words [begin, end).
  void Command(size_t begin, size_t end) {
    if (begin >= end) return;
    const Launcher* launcher = Find(words_[begin], resolve_);
    if (launcher == nullptr) {
      found_.programs.push_back(begin);
      return;
    }
    const bool parallel = launcher->kind != Kind::kPrefix;
    if (Lists(launcher->names, "env")) {
      found_.envs.push_back(ReadEnv(begin + 1, end));
      found_.hidden = found_.hidden || found_.envs.back().splits;
      Command(found_.envs.back().program, end);
      return;
    }
    if (!parallel) {
      Command(Skip(*launcher, begin + 1, end), end);
      return;
    }
    found_.parallel = true;
    found_.slurm = launcher->kind == Kind::kSlurm;
    found_.launcher = words_[begin];
    found_.passing = PassingOf(launcher->kind);
    for (size_t at = begin + 1; at <= end;) {
      const auto first = words_.begin() + static_cast<std::ptrdiff_t>(at);
      const auto last = words_.begin() + static_cast<std::ptrdiff_t>(end);
      const size_t colon = static_cast<size_t>(std::find(first, last, ":") - words_.begin());
      found_.contexts.push_back(at);
      Command(Skip(*launcher, at, colon), colon);
      at = colon + 1;
    }
  }

  Launched Take() { return found_; }

 private:
  // The index of the program behind the options of `launcher`.
  size_t Skip(const Launcher& launcher, size_t at, size_t end) {
    int positional = launcher.positional;
    for (; at < end; ++at) {
      const std::string& word = words_[at];
      if (word == "--") return std::min(at + 1 + static_cast<size_t>(positional), end);
      if (word.size() < 2 || word[0] != '-') {
        // `taskset -c LIST` and `taskset MASK` both have one word before the program.
        if (positional == 0) return at;
        --positional;
        continue;
      }
      at += Values(launcher, at);
    }
    return end;
  }

  // Returns how many words behind the option at `at` are its values.
  size_t Values(const Launcher& launcher, size_t at) {
    const std::string& word = words_[at];
    const std::string_view name = std::string_view(word).substr(word.find_first_not_of('-'));
    const std::string_view stem = name.substr(0, name.find('='));
    if (Lists(launcher.from_file, stem)) {
      found_.hidden = true;
      return launcher.kind == Kind::kSlurm ? 0 : 1;
    }
    const bool has_value = name.size() != stem.size();  // --option=value
    if (launcher.kind == Kind::kSlurm && stem == "export") {
      found_.exports.push_back({at + (has_value ? 0 : 1), has_value ? word.find('=') + 1 : 0});
    }
    if (has_value) return 0;
    if (Lists(launcher.two_values, name)) return 2;
    return Lists(launcher.one_value, name) ? 1 : 0;
  }

  // The words of env behind its name. It reads its options as getopt does: -iu NAME is -i and -u NAME.
  EnvWords ReadEnv(size_t at, size_t end) const {
    constexpr std::string_view kTakeValue = " --unset --chdir --split-string ";
    EnvWords env;
    for (; at < end && words_[at][0] == '-'; ++at) {
      const std::string& word = words_[at];
      if (word == "--") {
        ++at;
        break;
      }
      const std::string next = at + 1 < end ? words_[at + 1] : "";
      if (word == "-" || word == "--ignore-environment") env.clears = true;
      if (word.rfind("--unset=", 0) == 0) env.unset.push_back(word.substr(word.find('=') + 1));
      if (word == "--unset") env.unset.push_back(next);
      env.moves = env.moves || word.rfind("--chdir", 0) == 0;
      env.splits = env.splits || word.rfind("--split-string", 0) == 0;
      at += Lists(kTakeValue, word) || (word.rfind("--", 0) != 0 && ReadLetters(word, next, env)) ? 1 : 0;
    }
    env.assignments = std::min(at, end);
    while (at < end && words_[at].find('=') != std::string::npos) ++at;
    env.program = std::min(at, end);
    return env;
  }

  // Reads the letters behind one dash. Returns true if the last letter takes `next` as its value.
  static bool ReadLetters(const std::string& word, const std::string& next, EnvWords& env) {
    for (size_t i = 1; i < word.size(); ++i) {
      if (word[i] == 'i') env.clears = true;
      if (std::string_view("uCS").find(word[i]) == std::string_view::npos) continue;
      const bool is_last = i + 1 == word.size();
      if (word[i] == 'C') env.moves = true;
      if (word[i] == 'S') env.splits = true;
      if (word[i] == 'u') env.unset.push_back(is_last ? next : word.substr(i + 1));
      return is_last;
    }
    return false;
  }

  const Words& words_;
  const Resolve& resolve_;
  Launched found_;
};

// Whether this word is a program or one of its arguments, and not one of a launcher's.
bool IsOfProgram(size_t at, const Launched& launched) {
  const auto program =
      std::find_if(launched.programs.rbegin(), launched.programs.rend(), [at](size_t p) { return p <= at; });
  if (program == launched.programs.rend()) return false;
  return std::none_of(launched.contexts.begin(), launched.contexts.end(),
                      [=](size_t context) { return *program < context && context <= at; });
}

}  // namespace

Launched FindPrograms(const Words& words, const Resolve& resolve) {
  Search search(words, resolve);
  search.Command(0, words.size());
  return search.Take();
}

std::vector<ValuePlace> ValuesOf(const std::string& name, const Words& words, const Launched& launched) {
  std::vector<ValuePlace> places;
  for (size_t at = 1; at < words.size(); ++at) {
    if (IsOfProgram(at, launched)) continue;
    const std::string& before = words[at - 1];
    const bool is_name = words[at] == name;
    if (words[at].rfind(name + "=", 0) == 0 || (is_name && before == "-x")) {
      places.push_back({at, name.size() + 1});
    } else if (is_name && (before == "-env" || before == "-genv") && at + 1 < words.size()) {
      places.push_back({at + 1, 0});
    }
  }
  return places;
}

}  // namespace epik::launch
