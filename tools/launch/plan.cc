// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/plan.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>

#include "runtime/abi/runner.h"
#include "tools/instrument/words.h"
#include "tools/launch/hand_on.h"
#include "tools/launch/record.h"
#include "view/shell.h"

namespace epik::launch {
namespace {

using instrument::ShellQuote;
using instrument::StartsWith;

std::string AdapterFile(Mpi mpi) { return mpi == Mpi::kMpich ? "libepk_mpi_mpich.so" : "libepk_mpi_openmpi.so"; }

// For a process that may use any MPI, or none.
constexpr char kAnyFile[] = "libepk_mpi_any.so";

bool IsOurs(std::string_view name) {
  return StartsWith(name, "EPK_") || StartsWith(name, "ESD_") || StartsWith(name, "ELG_");
}

// Programs that run other people's scripts. Nobody compiles them anew.
bool IsInterpreter(std::string_view word) {
  constexpr std::string_view kInterpreters[] = {"python", "perl", "ruby", "lua", "R",     "Rscript", "julia",
                                                "octave", "node", "java", "php", "guile", "tclsh",   "sh",
                                                "bash",   "dash", "zsh",  "ksh", "pypy",  "wish"};
  std::string_view name = instrument::BaseName(word);
  name = name.substr(0, name.find_last_not_of("0123456789.-") + 1);  // python3.11
  return std::find(std::begin(kInterpreters), std::end(kInterpreters), name) != std::end(kInterpreters);
}

std::string Absolute(const std::string& path, const Machine& machine) {
  return StartsWith(path, "/") ? path : machine.current_dir + "/" + path;
}

class Planner {
 public:
  Planner(const Options& options, const Machine& machine, Plan& plan)
      : options_(options), machine_(machine), plan_(plan) {}

  void Make() {
    launched_ = FindPrograms(plan_.command, machine_.resolve);
    plan_.parallel = launched_.parallel;
    if (!plan_.command.empty() && StartsWith(plan_.command[0], "-")) {
      Fail(2, plan_.command[0] + " is not an option of epk run");
      return;
    }
    if (launched_.programs.empty() && !launched_.hidden) {
      Fail(2, launched_.launcher.empty() ? "no program given: epk run ./solver"
                                         : launched_.launcher + ": no program given");
      return;
    }
    for (size_t at : launched_.programs) Look(plan_.command[at]);
    if (!plan_.error.empty() || !Settings()) return;
    if (launched_.hidden && Find(kAnyFile).empty()) {
      plan_.notes.push_back(
          "the programs are named in a file, or within a word: MPI is seen only in those linked with it by epk "
          "instrument");
    }
    Libraries();
    HandOnVariables();
    PassOn();
  }

 private:
  void Fail(int status, const std::string& text) {
    plan_.status = status;
    plan_.error = text;
  }

  void Look(const std::string& word) {
    const Program program = machine_.inspect(machine_.find(word));
    plan_.programs.push_back(program);
    // A launcher, or env -C, may have another PATH or folder, and reports itself when it does not find the program.
    const bool moves =
        std::any_of(launched_.envs.begin(), launched_.envs.end(), [](auto& env) { return env.moves || env.splits; });
    const bool decides = !launched_.parallel && !moves;
    using Kind = Program::Kind;
    if (program.kind == Kind::kMissing && decides) {
      const bool is_folder = word.find('/') != std::string::npos && machine_.exists(word);
      Fail(is_folder ? 126 : 127, word + (is_folder ? ": is a folder, no program" : ": not found"));
    }
    if (program.kind == Kind::kNotExecutable && decides)
      Fail(126, word + ": is not executable (chmod +x " + word + ")");
    const std::string reason = Reason(word, program);
    if (!reason.empty()) plan_.reasons.push_back(reason);
  }

  // MPI is measured without hooks.
  bool MaySeeMpi(const Program& program) const { return program.mpi != Mpi::kNone || launched_.parallel; }

  std::string Reason(const std::string& word, const Program& program) const {
    using Kind = Program::Kind;
    if (program.kind == Kind::kScript && MaySeeMpi(program)) return "";
    switch (program.kind) {
      case Kind::kStatic:
        return word + " is linked statically: nothing can be loaded into it (link it without -static)";
      case Kind::kForeign: return word + " is built for another machine, word size or C library than libepk.so";
      case Kind::kScript:
        return word + " is a script for " + program.interpreter +
               (Find(kAnyFile).empty()
                    ? ": what it starts is measured where it has hooks; for MPI put epk run before mpirun in it"
                    : ": what it started had neither hooks nor MPI, or was not dynamically linked");
      case Kind::kUnreadable: return word + " cannot be read: what it is linked to is not known";
      case Kind::kUnknown: return word + " is neither a program nor a script with #!";
      case Kind::kMissing: return word + " is not found here";
      default: break;
    }
    if (program.privileged) return word + " is setuid or setgid: programs with rights of another user are not measured";
    if (!program.hooks && program.mpi == Mpi::kNone && IsInterpreter(word)) {
      return word + " has no hooks: a script is measured where it calls MPI, or functions of libraries with hooks";
    }
    if (!program.hooks && !MaySeeMpi(program)) {
      return word + " has no hooks: compile it with epk instrument, as in `epk instrument gcc -O2 …`";
    }
    if (!program.hooks && program.mpi == Mpi::kNone) {
      return word +
             " has no hooks and made no call of MPI: compile it with epk instrument, as in `epk instrument mpicc …`";
    }
    return "";
  }

  // In the place of an earlier value.
  void Set(const std::string& name, const std::string& value) {
    for (auto& [set, old] : plan_.environment) {
      if (set == name) {
        old = value;
        return;
      }
    }
    plan_.environment.emplace_back(name, value);
  }

  bool Settings() {
    if (!options_.record.empty()) Set(kRunnerRecord, options_.record);
    const GivenSettings given = ReadSettings(options_);
    if (!given.error.empty()) {
      Fail(2, given.error);
      return false;
    }
    for (const auto& [name, value] : given.variables) {
      // Ranks may start in another folder than this one.
      const bool is_path = name == "EPK_GDIR" || name == "EPK_FILTER";
      Set(name, is_path ? Absolute(value, machine_) : value);
    }
    ReasonOfSwitch();
    const std::string folder = Wanted("EPK_GDIR");
    plan_.folder = folder.empty() ? machine_.current_dir : Absolute(folder, machine_);
    if (plan_.folder.empty()) plan_.folder = ".";  // the current folder has been removed
    if (options_.dir.empty()) ReasonOfFolder();
    return PathsAreThere();
  }

  // The environment wins over files.
  void ReasonOfSwitch() {
    const std::string value = Wanted("EPK_ENABLED");
    const std::string place = value.empty() ? machine_.switched_off_in(Wanted("EPK_CONF")) : "";
    if (SwitchesOff(value)) plan_.reasons.push_back("EPK_ENABLED switches measurement off");
    if (!place.empty()) plan_.reasons.push_back("EPK_ENABLED switches measurement off in " + place);
    if (Wanted("EPK_ANALYZE").empty() && AskForNothing(Wanted("EPK_SUMMARY"), Wanted("EPK_TRACE"))) {
      plan_.reasons.push_back("EPK_SUMMARY=no leaves the profile out, and no EPK_TRACE asks for a trace");
    }
  }

  // The user did not name the folder for this run, so the program still starts.
  void ReasonOfFolder() {
    const std::string why = machine_.cannot_fill(plan_.folder);
    if (!why.empty())
      plan_.reasons.push_back("no archive can be made in " + plan_.folder + ": " + why + " (-o names another)");
  }

  bool PathsAreThere() {
    if (!options_.filter.empty() && !machine_.exists(Absolute(options_.filter, machine_))) {
      Fail(2, "-f " + options_.filter + ": no such filter file");
    }
    if (options_.dir.empty()) return plan_.error.empty();
    const std::string folder = Absolute(options_.dir, machine_), why = machine_.cannot_fill(folder);
    if (!why.empty() && !machine_.exists(folder)) {
      Fail(2, "-o " + options_.dir + ": no such folder; archives are made in it, and --title names them");
    } else if (!why.empty()) {
      Fail(2, "-o " + options_.dir + ": no archive can be made there: " + why);
    }
    return plan_.error.empty();
  }

  bool Any(const std::function<bool(const Program&)>& test) const {
    return std::any_of(plan_.programs.begin(), plan_.programs.end(), test);
  }

  // Decides LD_PRELOAD. With several programs (MPMD), all get the libraries that one of them needs.
  void Libraries() {
    WarnOfFlavours();
    const std::string core = Find("libepk.so");
    if (core.empty()) {
      const std::string missing = "no libepk.so in " + options_.library_dirs.front();
      plan_.notes.push_back(missing + ": the program runs without measurement");
      plan_.reasons.insert(plan_.reasons.begin(), missing);
      return;
    }
    using Kind = Program::Kind;
    const auto loadable = [](const Program& p) {
      return !p.privileged && p.kind != Kind::kStatic && p.kind != Kind::kForeign;
    };
    const bool lost = Any([](const Program& p) { return p.linked && !p.found; });
    if (lost) Prepend("LD_LIBRARY_PATH", {core.substr(0, core.rfind('/'))});
    Words preload;
    // If the library is linked behind libgomp or libmpi, or the user loads a library that may have functions of MPI, it
    // gets no calls: then it is also loaded in front of them.
    const bool is_behind = !Wanted("LD_PRELOAD").empty() || !ValuesOf("LD_PRELOAD", plan_.command, launched_).empty();
    const bool core_needed =
        launched_.hidden || Any([&](const Program& p) { return loadable(p) && (!p.first || is_behind); });
    for (const Program& program : plan_.programs) {
      const Mpi mpi = MpiOf(program);
      if (mpi == Mpi::kNone || (program.adapter_first && !is_behind) || !loadable(program)) continue;
      const std::string adapter = Find(AdapterFile(mpi));
      if (adapter.empty()) {
        plan_.notes.push_back("no " + AdapterFile(mpi) + " beside libepk.so: MPI is not measured");
      } else if (std::find(preload.begin(), preload.end(), adapter) == preload.end()) {
        preload.push_back(adapter);
      }
    }
    const bool undecided =
        launched_.hidden || Any([&](const Program& p) { return loadable(p) && MpiOf(p) == Mpi::kNone && IsOpen(p); });
    const std::string any = undecided ? Find(kAnyFile) : "";
    if (!any.empty()) preload.push_back(any);
    for (const auto& [source, group] : {std::pair("heap", "HEAP"), std::pair("io", "FILES")}) {
      if (!Counts(source, group)) continue;
      const std::string library = Find(std::string("libepk_") + source + ".so");
      if (!library.empty()) preload.push_back(library);
    }
    if (core_needed || !preload.empty()) preload.insert(preload.begin(), core);
    if (preload.empty()) return;
    // The address sanitizer refuses to start behind another library.
    for (const Program& program : plan_.programs) {
      if (program.sanitizer.empty()) continue;
      preload.insert(preload.begin(), program.sanitizer);
      break;
    }
    Prepend("LD_PRELOAD", preload);
  }

  // The value that the program will have in that variable.
  std::string Wanted(const std::string& variable) const {
    std::string wanted = machine_.variable(variable);
    for (const auto& [name, value] : plan_.environment) {
      if (name == variable) wanted = value;
    }
    return wanted;
  }

  // Whether the user asks for counters of that source: by their names, by its built-in group, or possibly by a word of
  // the user's own (EPK_METRICS_SPEC). Their library must stand in front of libc's functions from the beginning.
  bool Counts(const std::string& source, std::string_view group) const {
    const std::string asked = Wanted("EPK_METRICS");
    const bool has_own_words = !Wanted("EPK_METRICS_SPEC").empty();
    for (size_t at = 0, end = 0; at < asked.size(); at = end + 1) {
      end = at;
      while (end < asked.size() && asked[end] != ',' && (asked[end] != ':' || asked.compare(end, 2, "::") == 0)) {
        end += asked[end] == ':' ? 2 : 1;
      }
      end = std::min(end, asked.size());
      const std::string_view word = std::string_view(asked).substr(at, end - at);
      const bool is_of_source = word.substr(0, source.size() + 2) == source + "::";
      if (is_of_source || word == group || (has_own_words && word.find("::") == word.npos && !word.empty()))
        return true;
    }
    return false;
  }

  // A script, or a program that loads MPI itself (an interpreter): the MPI of its launcher.
  Mpi MpiOf(const Program& program) const {
    if (program.mpi != Mpi::kNone || !launched_.parallel) return program.mpi;
    if (launched_.passing == Passing::kOpenMpi) return Mpi::kOpenMpi;
    return launched_.passing == Passing::kHydra ? Mpi::kMpich : Mpi::kNone;
  }

  // Whether the program may use MPI although it is linked to none, because it starts other programs or loads libraries
  // itself. We believe the libraries of a program that is no script and has no launcher.
  bool IsOpen(const Program& program) const { return launched_.parallel || program.kind == Program::Kind::kScript; }

  std::string Find(const std::string& library) const {
    for (const std::string& dir : options_.library_dirs) {
      if (machine_.exists(dir + "/" + library)) return dir + "/" + library;
    }
    return "";
  }

  void WarnOfFlavours() {
    if (launched_.passing == Passing::kInherit) return;
    const Mpi other = launched_.passing == Passing::kOpenMpi ? Mpi::kMpich : Mpi::kOpenMpi;
    if (!Any([&](const Program& p) { return p.mpi == other; })) return;
    plan_.notes.push_back(
        launched_.launcher + " belongs to " + (other == Mpi::kMpich ? "Open MPI" : "MPICH") + ", the program to " +
        (other == Mpi::kMpich ? "MPICH" : "Open MPI") +
        ": each process will think it is alone, with an archive of its own; start it with " +
        (other == Mpi::kMpich ? "MPICH's mpirun (mpirun.mpich)" : "Open MPI's mpirun (mpirun.openmpi)"));
  }

  void Prepend(const std::string& name, const Words& parts) {
    const std::string old = Wanted(name), value = Joined(parts, old);
    // The last value wins, with env and with launchers: so those that the command gives have the libraries, too.
    for (const ValuePlace& place : ValuesOf(name, plan_.command, launched_)) {
      std::string& word = plan_.command[place.word];
      if (word == name) {
        word += "=" + value;  // mpirun -x NAME
      } else {
        word = word.substr(0, place.begin) + Joined(parts, word.substr(place.begin));
      }
    }
    if (value != old) Set(name, value);
    own_.emplace_back(name, Joined(parts, ""));
  }

  // The old value behind those of the parts that it does not have yet: the user, or an `epk run` around this one, may
  // have added some.
  static std::string Joined(const Words& parts, const std::string& old) {
    std::string value;
    for (const std::string& part : parts) {
      if ((":" + old + ":").find(":" + part + ":") == std::string::npos) value += (value.empty() ? "" : ":") + part;
    }
    return value + (value.empty() || old.empty() ? "" : ":") + old;
  }

  // Variables of this environment and of the plan that the programs need.
  Variables Needed() const {
    Variables needed = plan_.environment;
    for (const std::string& name : machine_.variables) {
      const bool is_set = std::any_of(needed.begin(), needed.end(), [&](const auto& v) { return v.first == name; });
      if (IsOurs(name) && !is_set) needed.emplace_back(name, machine_.variable(name));
    }
    for (const auto& [name, part] : own_) {
      const bool is_set = std::any_of(needed.begin(), needed.end(), [&](const auto& v) { return v.first == name; });
      if (!is_set) needed.emplace_back(name, Wanted(name));
    }
    return needed;
  }

  void HandOnVariables() {
    const Variables needed = Needed();
    std::string list = Wanted("SLURM_EXPORT_ENV"), source = "SLURM_EXPORT_ENV=" + list;
    for (const ValuePlace& place : launched_.exports) {
      if (place.word >= plan_.command.size()) continue;
      list = plan_.command[place.word].substr(place.begin);
      source = "--export=" + list;
    }
    if (launched_.slurm && !list.empty()) {
      const std::string exported = ExportedWith(list, needed, own_);
      if (exported.empty()) {
        const std::string why = source + " keeps EPIK's variables from the program: write srun --export=ALL";
        plan_.notes.push_back(why);
        plan_.reasons.insert(plan_.reasons.begin(), why);
      } else if (launched_.exports.empty() && exported != list) {
        Set("SLURM_EXPORT_ENV", exported);
      }
    }
    HandOn(needed, own_, launched_, plan_.command);
    launched_ = FindPrograms(plan_.command, machine_.resolve);
  }

  // Other hosts get only the variables that the launcher is told to pass on.
  void PassOn() {
    if (launched_.passing == Passing::kInherit) return;
    std::set<std::string> names;
    for (const std::string& name : machine_.variables) {
      if (IsOurs(name)) names.insert(name);
    }
    std::vector<std::pair<std::string, std::string>> kept;
    Words options;
    for (const auto& [name, value] : plan_.environment) {
      const bool loads = StartsWith(name, "LD_");
      names.erase(name);
      // The launcher itself is no MPI program: the libraries are for its children only.
      if (!loads) kept.emplace_back(name, value);
      Option(name, value, loads, options);
    }
    for (const std::string& name : names) Option(name, machine_.variable(name), false, options);
    plan_.environment = kept;
    // hydra's options are for all contexts at once, Open MPI's for each one.
    Words out;
    for (size_t i = 0; i < plan_.command.size(); ++i) {
      const bool context =
          std::find(launched_.contexts.begin(), launched_.contexts.end(), i) != launched_.contexts.end();
      const bool wanted = context && (launched_.passing == Passing::kOpenMpi || i == launched_.contexts.front());
      if (wanted) out.insert(out.end(), options.begin(), options.end());
      out.push_back(plan_.command[i]);
    }
    plan_.command = out;
  }

  void Option(const std::string& name, const std::string& value, bool with_value, Words& options) const {
    if (launched_.passing == Passing::kHydra) {
      options.insert(options.end(), {"-genv", name, value});
    } else {
      options.insert(options.end(), {"-x", with_value ? name + "=" + value : name});
    }
  }

  const Options& options_;
  const Machine& machine_;
  Plan& plan_;
  Variables own_;  // EPIK's part of each variable to which the user may have given a value, too
  Launched launched_;
};

}  // namespace

Plan MakePlan(const Words& command, const Options& options, const Machine& machine) {
  Plan plan;
  plan.command = command;
  Planner(options, machine, plan).Make();
  return plan;
}

std::string Describe(const Plan& plan) {
  std::string text;
  for (const auto& [name, value] : plan.environment) text += name + "=" + view::InShell(value) + " ";
  return text + ShellQuote(plan.command);
}

}  // namespace epik::launch
