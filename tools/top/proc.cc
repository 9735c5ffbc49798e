// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/proc.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>

namespace epik::top {

bool ProcessExists(int pid) {
  if (kill(pid, 0) != 0 && errno == ESRCH) return false;
  // A zombie has ended, although its parent has not waited for it yet.
  const std::string state = ThreadState(pid, pid);
  return state != "ended";
}

std::string ThreadState(int pid, int thread) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return "ended";
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= line.size()) return "";
  switch (line[name_end + 2]) {
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
