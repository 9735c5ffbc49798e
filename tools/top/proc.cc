// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/proc.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace epik::top {

namespace {

// Returns what the kernel tells about a thread behind its name, from its state on; empty: it has ended.
std::string Stat(int pid, int thread) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return "";
  const size_t name_end = line.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= line.size() ? "?" : line.substr(name_end + 2);
}

// Returns when the process started, in the kernel's unit; 0: it has ended.
uint64_t StartOf(int pid) {
  const std::string stat = Stat(pid, pid);
  if (stat.empty() || stat[0] == 'Z' || stat[0] == 'X') return 0;
  constexpr int kWordsBefore = 19;
  std::istringstream words(stat);
  std::string word;
  for (int i = 0; i < kWordsBefore; ++i) words >> word;
  uint64_t start = 1;
  words >> start;
  return start;
}

uint64_t MostDescriptors() {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

}  // namespace

ProcessHandle::ProcessHandle(pid_t pid) : ProcessHandle(pid, MostDescriptors()) {}

ProcessHandle::ProcessHandle(pid_t pid, uint64_t descriptors)
    : pid_(pid), fd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  constexpr uint64_t kForOthers = 64;  // descriptors that are left for files and connections
  if (fd_ >= 0 && static_cast<uint64_t>(fd_) + kForOthers >= descriptors) {
    close(fd_);
    fd_ = -1;
  }
  if (fd_ < 0) started_ = StartOf(pid);
}

ProcessHandle::~ProcessHandle() {
  if (fd_ >= 0) close(fd_);
}

bool ProcessHandle::HasEnded() const {
  if (fd_ < 0) return started_ == 0 || StartOf(pid_) != started_;
  struct pollfd end = {fd_, POLLIN, 0};
  return poll(&end, 1, 0) == 1;
}

bool ProcessExists(int pid) {
  if (kill(pid, 0) != 0 && errno == ESRCH) return false;
  // A zombie has ended, although its parent has not waited for it yet.
  const std::string state = ThreadState(pid, pid);
  return state != "ended";
}

std::string ThreadState(int pid, int thread) {
  const std::string stat = Stat(pid, thread);
  if (stat.empty()) return "ended";
  switch (stat[0]) {
    case 'R': return "running";
    case 'S': return "sleeping";
    case 'D': return "waiting for disk";
    case 'T':
    case 't': return "stopped";
    case 'Z':
    case 'X': return "ended";
    default: return "";
  }
}

void ReadCpuTimes(int pid, archive::ProcessImage* image) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task/";
  for (archive::LocationImage& location : image->locations) {
    event::Location& header = location.header;
    if (header.state != event::LocationState::kRunning) continue;
    std::ifstream file(tasks + std::to_string(header.thread_id) + "/schedstat");
    uint64_t taken = 0;
    if (file >> taken && taken != 0) header.cpu_ns = header.cpu_before_ns + taken;
  }
}

Maps MappedArenas(int pid, std::vector<std::string>* paths) {
  std::FILE* maps = std::fopen(("/proc/" + std::to_string(pid) + "/maps").c_str(), "r");
  if (maps == nullptr) return errno == ENOENT || errno == ESRCH ? Maps::kNoProcess : Maps::kDenied;
  char* line = nullptr;
  size_t room = 0;
  errno = 0;
  for (ssize_t n; (n = getline(&line, &room, maps)) > 0;) {
    std::string text(line, static_cast<size_t>(n));
    if (text.back() == '\n') text.pop_back();
    const size_t slash = text.find('/');
    if (slash == std::string::npos || text.find(".arena", slash) == std::string::npos) continue;
    const std::string path = text.substr(slash);
    if (std::find(paths->begin(), paths->end(), path) == paths->end()) paths->push_back(path);
  }
  const bool denied = errno == EACCES || errno == EPERM;
  free(line);
  std::fclose(maps);
  return denied ? Maps::kDenied : Maps::kRead;
}

}  // namespace epik::top
