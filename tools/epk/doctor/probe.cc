// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/doctor/probe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

extern char** environ;

namespace epik::epk::doctor {
namespace {

constexpr auto kPatience = std::chrono::seconds(5);
constexpr size_t kMost = 4 << 20;  // ldconfig's list has 200 bytes for each library

// Reads until the writer is done, too slow or too talkative.
std::string Drain(int fd) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::string text;
  while (text.size() < kMost) {
    const auto left = deadline - std::chrono::steady_clock::now();
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
    pollfd wait{fd, POLLIN, 0};
    if (milliseconds <= 0 || poll(&wait, 1, static_cast<int>(milliseconds)) <= 0) break;
    char buffer[4096];
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

bool Spawn(const std::vector<std::string>& command, int out, pid_t* pid) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
  const int error = posix_spawnp(pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0;
}

std::vector<std::string> Split(const char* list) {
  std::vector<std::string> parts;
  std::stringstream stream(list == nullptr ? "" : list);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part.empty() ? "." : part);
  return parts;
}

}  // namespace

std::string Output(const std::vector<std::string>& command) {
  int ends[2];
  if (command.empty() || pipe2(ends, O_CLOEXEC) != 0) return "";
  pid_t pid = 0;
  const bool started = Spawn(command, ends[1], &pid);
  close(ends[1]);
  std::string text;
  if (started) {
    text = Drain(ends[0]);
    kill(pid, SIGKILL);  // has no effect on a process that has ended; one that still runs must not keep us waiting
    waitpid(pid, nullptr, 0);
  }
  close(ends[0]);
  return text;
}

std::string FindCommand(const std::string& name) {
  for (const std::string& folder : Split(std::getenv("PATH"))) {
    const std::string path = folder + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

std::string FindSharedLibrary(const std::string& name) {
  for (const std::string& folder : Split(std::getenv("LD_LIBRARY_PATH"))) {
    const std::string path = folder + "/" + name;
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  // Users have no /sbin in their PATH.
  static const std::string cache = Output({"/sbin/ldconfig", "-p"});
  std::istringstream lines(cache);
  for (std::string line; std::getline(lines, line);) {
    const size_t start = line.find_first_not_of(" \t"), arrow = line.find(" => ");
    if (start == std::string::npos || arrow == std::string::npos) continue;
    if (line.compare(start, name.size(), name) == 0) return line.substr(arrow + 4);
  }
  return "";
}

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string VersionIn(const std::string& text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    const auto digit = [&text](size_t at) {
      return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
    };
    if (depth > 0 || !digit(i)) continue;
    size_t end = i;
    while (digit(end) || (end < text.size() && text[end] == '.' && digit(end + 1))) ++end;
    const std::string number = text.substr(i, end - i);
    if (number.find('.') != std::string::npos) return number;
    i = end;
  }
  return "";
}

}  // namespace epik::epk::doctor
