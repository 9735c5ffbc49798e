// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/instrument/filter.h"

namespace epik::instrument {
namespace {

constexpr std::string_view kExcludeFiles = "-finstrument-functions-exclude-file-list";
constexpr std::string_view kExcludeFunctions = "-finstrument-functions-exclude-function-list";

// The dynamic linker looks there anyway.
constexpr std::array<std::string_view, 4> kDefaultLibraryDirs = {"/lib", "/usr/lib", "/lib64", "/usr/lib64"};

// The link editor looks there for -lNAME when no -L has it.
constexpr std::array<std::string_view, 5> kLinkerDirs = {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu",
                                                         "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"};

bool HoldsSource(const CommandLine& line, const std::string& dir) {
  return std::any_of(line.sources.begin(), line.sources.end(),
                     [&](const std::string& source) { return source.find(dir) != std::string::npos; });
}

// FNV-1a: it gives the same number for the same text on every machine.
std::string Fingerprint(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

class Planner {
 public:
  Planner(const Options& options, const Environment& environment, const CommandLine& line, Words compiler)
      : options_(options), environment_(environment), line_(line), compiler_(std::move(compiler)) {
    facts_ = environment.probe(compiler_, line);
    if (facts_.family == Family::kUnknown) facts_.family = line.name.family;
  }

  Words CompileFlags() {
    Words flags = UserFlags();
    if (!options_.compiler_hooks || line_.freestanding) return flags;
    if (facts_.family == Family::kUnknown) {
      notes_.push_back("how this compiler marks functions is not known: no function hooks (gcc and clang are known)");
      return flags;
    }
    // The user's own choice of hooks stands, with the exclusions that make it bearable.
    if (line_.hooks) {
      AddExclusions(flags);
    } else if (facts_.family == Family::kClang) {
      flags.push_back(options_.all_calls ? "-finstrument-functions" : "-finstrument-functions-after-inlining");
      // clang's own assembler refuses options that it does not know.
      if (!line_.assembles && FindPlugin()) {
        AddPlugin(flags);
      } else {
        AddExclusions(flags);
      }
    } else if (FindPlugin()) {
      AddPlugin(flags);
    } else {
      flags.push_back("-finstrument-functions");
      AddExclusions(flags);
    }
    if (facts_.family == Family::kGnu && line_.language == Language::kCxx) WarnOfCancellation();
    // -g1 adds only names of files and lines: the code stays the same, byte for byte. clang leaves out functions into
    // which nothing was inlined, unless a profiler needs them.
    if (!line_.debug) flags.push_back("-g1");
    if (!line_.debug && facts_.family == Family::kClang) flags.push_back("-fdebug-info-for-profiling");
    return flags;
  }

  // With -flto, which a compiler takes from the objects too, functions are inlined and compiled when linking.
  Words CompileAtLinkFlags() {
    Words flags;
    const bool wanted = options_.compiler_hooks && !line_.freestanding && !line_.hooks;
    if (wanted && facts_.family == Family::kGnu && FindPlugin()) AddPlugin(flags);
    details_.clear();  // the details concern only compilation
    return flags;
  }

  Words UserFlags() const {
    if (!options_.user_api) return {};
    return {"-DEPIK", "-I" + options_.include_dir};
  }

  Words LinkFlags() {
    if (line_.relocatable || line_.freestanding) return {};
    if (line_.is_static) {
      notes_.push_back(
          "-static: a static program cannot take libepk.so, neither linked nor at start; it will not be measured "
          "(leave -static out)");
      return {};
    }
    // libtool's C++ libraries come here too: the program they are linked to brings the library.
    if (line_.no_libraries && (line_.shared || !line_.links_libc)) return {};
    const std::string core = Folder("libepk.so");
    if (core.empty()) {
      notes_.push_back("no libepk.so in " + options_.library_dirs.front() + ": linked without it (epk run loads it)");
      return {};
    }
    // The linker's state may be -Bstatic or --as-needed, which would refuse or drop the library (with -flto without a
    // message). So we push the user's state, set ours, and restore the user's.
    Words flags;
    // A program that is not measured may load this library. There, libc's empty hooks come before ours, so the library
    // calls ours by other names.
    if (line_.shared) flags.push_back("-Wl,--wrap=__cyg_profile_func_enter,--wrap=__cyg_profile_func_exit");
    flags.push_back("-Wl,--push-state,-Bdynamic,--no-as-needed");
    const std::string adapter = AdapterName();
    const std::string adapter_folder = adapter.empty() ? "" : Folder("lib" + adapter + ".so");
    if (!adapter_folder.empty()) flags.push_back("-l" + adapter);
    flags.push_back("-lepk");
    flags.push_back("-Wl,--pop-state");
    // The adapter defines all of MPI: with --as-needed, which some systems have by default, MPI itself would be left
    // out.
    if (!adapter_folder.empty()) flags.push_back("-Wl,--no-as-needed");
    AddFolder(core);
    if (!adapter_folder.empty() && adapter_folder != core) AddFolder(adapter_folder);
    return flags;
  }

  // The library's folder comes after the user's own folders, so that the linker still finds the same libraries in
  // those.
  const Words& LinkFolders() const { return folders_; }

  Words TakeNotes() { return std::move(notes_); }
  Words TakeDetails() { return std::move(details_); }

 private:
  std::string Folder(const std::string& library) const {
    for (const std::string& dir : options_.library_dirs) {
      if (environment_.exists(dir + "/" + library)) return dir;
    }
    return "";
  }

  void AddFolder(const std::string& dir) {
    folders_.push_back("-L" + dir);
    const bool found_anyway =
        std::find(kDefaultLibraryDirs.begin(), kDefaultLibraryDirs.end(), dir) != kDefaultLibraryDirs.end();
    if (!found_anyway) folders_.push_back("-Wl,-rpath," + dir);
  }

  // The MPI whose library the linker would find: mpicc's own MPI, or the MPI that the command names, for example when
  // mpicc calls `epk instrument` as its compiler.
  Mpi LinkedMpi() const {
    for (const std::string& library : line_.linker.libraries) {
      const Mpi mpi = MpiOfLibrary(BaseName(LibraryFile(library)));
      if (mpi != Mpi::kNone) return mpi;
    }
    return facts_.mpi;
  }

  std::string LibraryFile(const std::string& library) const {
    if (!StartsWith(library, "-l")) {
      const std::string file = environment_.canonical(library);
      return file.empty() ? library : file;
    }
    const bool exact = StartsWith(library, "-l:");
    const std::string name = exact ? library.substr(3) : "lib" + library.substr(2) + ".so";
    Words folders = line_.linker.folders;
    folders.insert(folders.end(), kLinkerDirs.begin(), kLinkerDirs.end());
    for (const std::string& folder : folders) {
      const std::string file = environment_.canonical(folder + "/" + name);
      if (!file.empty()) return file;
    }
    // The name alone identifies an MPI only if it has a version, or if only one MPI uses it.
    return exact || name == "libmpich.so" ? name : "";
  }

  std::string AdapterName() const {
    const Mpi mpi = LinkedMpi();
    if (mpi == Mpi::kOpenMpi) return "epk_mpi_openmpi";
    if (mpi == Mpi::kMpich) return "epk_mpi_mpich";
    return "";
  }

  // gcc leaves out a function whose file contains one of the texts. Fortran has no headers with code.
  Words SystemDirs() const {
    Words candidates;
    if (options_.all_calls || line_.language == Language::kFortran) return candidates;
    for (const std::string& dir : facts_.system_dirs) {
      candidates.push_back(dir);
      candidates.push_back(NormalizePath(dir));
    }
    for (const std::string& given : line_.system_dirs) {
      const std::string dir = NormalizePath(given);
      // If a program's own headers are "system" headers, leaving them out would leave out the program.
      const bool own = StartsWith(environment_.current_dir + "/", dir + "/");
      if (dir[0] == '/' && !own) candidates.push_back(dir);
    }
    std::sort(candidates.begin(), candidates.end());
    Words dirs;
    for (const std::string& dir : candidates) {
      const bool said = std::any_of(dirs.begin(), dirs.end(),
                                    [&](const std::string& known) { return dir.find(known) != std::string::npos; });
      if (!said && dir.size() > 1 && !HoldsSource(line_, dir)) dirs.push_back(dir);
    }
    return dirs;
  }

  Filter ReadFilter(std::string* text) {
    if (options_.filter.empty()) return {};
    const auto read = environment_.read_file(options_.filter);
    if (!read) {
      notes_.push_back("cannot read the filter " + options_.filter + ": nothing is left out");
      return {};
    }
    *text = *read;
    Filter filter = ParseFilter(*read);
    for (const std::string& problem : filter.problems) notes_.push_back(options_.filter + problem);
    return filter;
  }

  void LeaveToTheRun(const Words& rules, const std::string& why) {
    if (rules.empty()) return;
    std::string note = "left to the run (epk run -f " + options_.filter + "), " + why + ":";
    for (const std::string& rule : rules) note += " [" + rule + "]";
    notes_.push_back(note);
  }

  void AddExclusions(Words& flags) {
    std::string text;
    const Filter filter = ReadFilter(&text);
    if (facts_.family != Family::kGnu) {
      // clang has no such options; functions that it inlines have no hooks anyway.
      if (!filter.functions.empty() || !filter.files.empty() || !filter.inexpressible.empty()) {
        notes_.push_back("clang cannot leave out single functions: give " + options_.filter +
                         " to the run (epk run -f)");
      }
      return;
    }
    Words files = SystemDirs();
    files.insert(files.end(), filter.files.begin(), filter.files.end());
    if (!files.empty()) flags.push_back(JoinForGcc(kExcludeFiles, files));
    if (!filter.functions.empty()) flags.push_back(JoinForGcc(kExcludeFunctions, filter.functions));
    LeaveToTheRun(filter.inexpressible, "gcc cannot express it");
  }

  // g++ gives a function with hooks a table of the calls that may be unwound, and ends the program when a thread is
  // cancelled elsewhere in it.
  void WarnOfCancellation() {
    for (const std::string& source : line_.sources) {
      const auto text = environment_.read_file(source);
      if (!text || text->find("PTHREAD_CANCEL_ASYNCHRONOUS") == std::string::npos) continue;
      notes_.push_back(source +
                       ": g++ ends a program whose thread is cancelled asynchronously in a function with hooks; cancel "
                       "it deferred, or compile what it calls with --no-compiler");
    }
  }

  // Finds the plugin for this compiler (adapters/compiler/after_inlining), if it exists and the compiler accepts it.
  bool FindPlugin() {
    if (options_.all_calls || facts_.major == 0) return false;
    const std::string family = facts_.family == Family::kGnu ? "gcc" : "clang";
    plugin_ = "libepk_" + family + std::to_string(facts_.major);
    const std::string folder = Folder(plugin_ + ".so");
    const std::string instead = facts_.family == Family::kGnu
                                    ? ": -finstrument-functions instead, which marks inlined functions, too"
                                    : ": clang's own hooks, which know no filter";
    if (folder.empty()) {
      details_.push_back("no " + plugin_ + ".so in " + options_.library_dirs.front() + instead);
      return false;
    }
    plugin_path_ = folder + "/" + plugin_ + ".so";
    if (environment_.takes_plugin(compiler_, line_, LoadWords())) return true;
    details_.push_back(plugin_path_ + " was made for another build of " + family + " " + std::to_string(facts_.major) +
                       instead);
    return false;
  }

  Words LoadWords() const {
    if (facts_.family == Family::kGnu) return {"-fplugin=" + plugin_path_};
    // Loads the plugin in two ways: -fpass-plugin comes too late for the plugin's own options.
    return {"-Xclang", "-load", "-Xclang", plugin_path_, "-fpass-plugin=" + plugin_path_};
  }

  void AddPluginArgument(Words& flags, const std::string& name, const std::string& value) const {
    if (facts_.family == Family::kGnu) {
      flags.push_back("-fplugin-arg-" + plugin_ + "-" + name + value);
    } else {
      flags.push_back("-mllvm");
      flags.push_back("-epk-" + name + value);
    }
  }

  void AddPlugin(Words& flags) {
    for (const std::string& word : LoadWords()) flags.push_back(word);
    const Words dirs = SystemDirs();
    if (!dirs.empty()) AddPluginArgument(flags, "leave-out", JoinForGcc("", dirs));
    if (facts_.family == Family::kClang && line_.lto) AddPluginArgument(flags, "select-only", "");
    std::string text;
    const Filter filter = ReadFilter(&text);
    if (text.empty()) return;
    if (filter.keeps_objects) return LeaveToTheRun(filter.objects, "where a function will be linked is not known yet");
    const bool absolute = options_.filter[0] == '/';
    AddPluginArgument(flags, "filter", "=" + (absolute ? "" : environment_.current_dir + "/") + options_.filter);
    // ccache compares the words of the command and not the file, so a word changes with the file's contents.
    AddPluginArgument(flags, "filter-is", "=" + Fingerprint(text));
    LeaveToTheRun(filter.objects, "where a function will be linked is not known yet");
  }

  const Options& options_;
  const Environment& environment_;
  const CommandLine& line_;
  Words compiler_;
  CompilerFacts facts_;
  std::string plugin_;  // by name
  std::string plugin_path_;
  Words notes_;
  Words details_;
  Words folders_;
};

Words CompilerWords(const Words& command, const CommandLine& line) {
  // ccache and distcc are left out: the question is for the compiler itself.
  return {command[line.compiler]};
}

std::string Refusal(const Words& command, const CommandLine& line) {
  if (command.empty()) return "no compiler given: epk instrument gcc -O2 solver.c -o solver";
  if (!line.has_compiler && StartsWith(command[0], "-")) return command[0] + " is not an option of epk instrument";
  if (line.has_compiler && IsBuildTool(command[line.compiler])) {
    const std::string tool = command[line.compiler];
    return tool +
           " is not a compiler: give it CC=\"epk instrument gcc\" CXX=\"epk instrument g++\" FC=\"epk instrument "
           "gfortran\"";
  }
  return "";
}

}  // namespace

Plan MakePlan(const Words& compiler_command, const Options& options, const Environment& environment) {
  Plan plan;
  plan.plain = plan.command = compiler_command;
  const CommandLine line = ParseCommandLine(compiler_command, environment.read_file);
  plan.error = Refusal(compiler_command, line);
  if (!plan.error.empty() || options.off || !line.has_compiler || line.queries) return plan;
  const auto after_compiler = [&] { return plan.command.begin() + static_cast<std::ptrdiff_t>(line.compiler) + 1; };
  if (IsConfigureProbe(line)) {
    // The probe may ask whether epik/epik.h exists.
    if (options.user_api && line.compiles) {
      const Words flags = {"-DEPIK", "-I" + options.include_dir};
      plan.command.insert(after_compiler(), flags.begin(), flags.end());
    }
    return plan;
  }
  if (!line.compiles && !line.links) return plan;
  const std::string compiler(BaseName(compiler_command[line.compiler]));
  if (compiler.find("musl") != std::string::npos) {
    plan.notes.push_back(compiler + ": libepk.so needs glibc, so the program will not be measured");
    if (options.user_api && line.compiles) plan.command.insert(after_compiler(), "-I" + options.include_dir);
    return plan;
  }
  Planner planner(options, environment, line, CompilerWords(compiler_command, line));
  if (line.links) {
    // Our words come after the objects and before the libraries: the libraries that we stand in for (libmpi, libgomp)
    // must come later.
    const Words flags = planner.LinkFlags();
    const Words& folders = planner.LinkFolders();
    const auto end = std::find(plan.command.begin(), plan.command.end(), "--");
    plan.command.insert(end, folders.begin(), folders.end());
    plan.command.insert(plan.command.begin() + static_cast<std::ptrdiff_t>(line.linker.first_library), flags.begin(),
                        flags.end());
  }
  // Our flags come first, so that the user's options win.
  const Words flags = line.compiles ? planner.CompileFlags() : planner.CompileAtLinkFlags();
  plan.command.insert(after_compiler(), flags.begin(), flags.end());
  plan.notes = planner.TakeNotes();
  plan.details = planner.TakeDetails();
  return plan;
}

std::string PrintedFlags(const Words& compiler, const Options& options, const Environment& environment) {
  Words command = compiler;
  if (command.empty()) command = {"gcc"};
  CommandLine line = ParseCommandLine(command, environment.read_file);
  if (!line.has_compiler) return "";
  line.language = line.name.language == Language::kNone ? Language::kC : line.name.language;
  Planner planner(options, environment, line, CompilerWords(command, line));
  if (options.print_flags == "compile") return ShellQuote(planner.CompileFlags());
  Words flags = planner.CompileAtLinkFlags();
  const Words libraries = planner.LinkFlags();
  flags.insert(flags.end(), planner.LinkFolders().begin(), planner.LinkFolders().end());
  flags.insert(flags.end(), libraries.begin(), libraries.end());
  return ShellQuote(flags);
}

}  // namespace epik::instrument
