// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/execute.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "config/own_executable.h"
#include "view/text.h"

namespace epik::instrument {
namespace {

void Say(const std::string& line) { std::fprintf(stderr, "epk instrument: %s\n", view::Printable(line).c_str()); }

// The calling process becomes the command; returns the status a shell would give.
int Become(const Words& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int error = errno;
  Say(command[0] + ": " + std::strerror(error));
  return error == ENOENT ? 127 : 126;
}

int Wait(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Returns stdout and stderr of a command. The command does not get our stdin, which may be the source to compile.
std::string Output(const Words& command, int* status = nullptr) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    // We cannot parse translated messages, and CPATH has the user's folders, which are not the system's.
    setenv("LC_ALL", "C", 1);
    unsetenv("CPATH");
    unsetenv("DEPENDENCIES_OUTPUT");
    unsetenv("SUNPRO_DEPENDENCIES");
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; child > 0 && ((n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR));) {
    if (n > 0) text.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  const int end = child > 0 ? Wait(child) : 1;
  if (status != nullptr) *status = end;
  return text;
}

const char* ProbedLanguage(const CommandLine& line) { return line.language == Language::kCxx ? "c++" : "c"; }

CompilerFacts Probe(const Words& compiler, const CommandLine& line) {
  CompilerFacts facts;
  Words command = compiler;
  command.insert(command.end(), line.probe_options.begin(), line.probe_options.end());
  for (const char* word : {"-v", "-E", "-w", "-x", ProbedLanguage(line), "/dev/null"}) command.emplace_back(word);
  facts = ParseVerboseOutput(Output(command));
  if (facts.family == Family::kUnknown && !line.probe_options.empty()) {
    // The preprocessor refused these options: an answer without them is better than none.
    command.erase(command.begin() + static_cast<std::ptrdiff_t>(compiler.size()),
                  command.begin() + static_cast<std::ptrdiff_t>(compiler.size() + line.probe_options.size()));
    facts = ParseVerboseOutput(Output(command));
  }
  if (line.name.mpi) {
    command = compiler;
    command.emplace_back("-show");
    facts.mpi = ParseWrapperOutput(Output(command));
  }
  return facts;
}

bool TakesPlugin(const Words& compiler, const CommandLine& line, const Words& load) {
  Words command = compiler;
  command.insert(command.end(), line.probe_options.begin(), line.probe_options.end());
  command.insert(command.end(), load.begin(), load.end());
  // clang loads a plugin when it makes code, and not before. It refuses -std=c++17 for C.
  for (const char* word : {"-S", "-w", "-o", "/dev/null", "-x", ProbedLanguage(line), "/dev/null"})
    command.emplace_back(word);
  int status = 1;
  Output(command, &status);
  return status == 0;
}

std::optional<std::string> ReadWhole(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Ends this process as the child ended, so that make sees the same status or signal.
int EndLike(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  std::signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

int ExecuteKeepingOn(const Plan& plan) {
  const pid_t child = fork();
  if (child < 0) return Become(plan.command);
  if (child == 0) _exit(Become(plan.command));
  const int status = Wait(child);
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    Say("failed with the additions; once more without");
    return Become(plan.plain);
  }
  return EndLike(status);
}

}  // namespace

Environment SystemEnvironment() {
  Environment environment;
  environment.probe = Probe;
  environment.takes_plugin = TakesPlugin;
  environment.read_file = ReadWhole;
  environment.exists = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
  environment.canonical = [](const std::string& path) {
    std::error_code missing;
    return std::filesystem::canonical(path, missing).string();
  };
  std::error_code error;
  environment.current_dir = std::filesystem::current_path(error).string();
  return environment;
}

int Execute(const Plan& plan, const Options& options) {
  if (options.keep_going && plan.changed()) return ExecuteKeepingOn(plan);
  return Become(plan.command);
}

int Run(const Words& words, Options options) {
  // `epk instrument -v -- gcc …`
  const bool separated = !words.empty() && words[0] == "--";
  const Words compiler_command(words.begin() + (separated ? 1 : 0), words.end());
  const std::string wrong =
      ApplyEnvironment(std::getenv("EPK_INSTRUMENT"), std::getenv("EPK_INSTRUMENT_FLAGS"), options);
  if (!wrong.empty()) Say(wrong);
  SetDefaultFolders(config::OwnExecutable(), options);
  const Environment environment = SystemEnvironment();
  if (!options.print_flags.empty()) {
    std::printf("%s\n", PrintedFlags(compiler_command, options, environment).c_str());
    return 0;
  }
  const Plan plan = MakePlan(compiler_command, options, environment);
  for (const std::string& note : plan.notes) Say(note);
  const char* verbose = std::getenv("EPK_VERBOSE");
  if (options.verbose || (verbose != nullptr && std::atoi(verbose) > 0)) {
    for (const std::string& detail : plan.details) Say(detail);
  }
  if (!plan.error.empty()) {
    Say(plan.error);
    return 2;
  }
  if (options.dry_run) {
    std::printf("%s\n", ShellQuote(plan.command).c_str());
    return 0;
  }
  if (options.verbose) std::fprintf(stderr, "%s\n", ShellQuote(plan.command).c_str());
  return Execute(plan, options);
}

}  // namespace epik::instrument
