// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/liveness.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "archive/files/byte_source.h"

namespace epik::archive {
namespace {

// Since Linux 3.8 the outermost namespace of processes has this number.
constexpr uint64_t kFirstNamespace = 0xeffffffc;

enum class Maps { kHas, kHasNot, kNotReadable };

Maps LookAt(const std::string& process, const std::string& arena) {
  std::string maps;
  if (!ReadStream("/proc/" + process + "/maps", &maps)) return Maps::kNotReadable;
  return maps.find("/" + arena) != std::string::npos || maps.find("/epik." + arena) != std::string::npos
             ? Maps::kHas
             : Maps::kHasNot;
}

bool AnyProcessHas(const std::string& arena) {
  DIR* entries = opendir("/proc");
  if (entries == nullptr) return false;
  bool found = false;
  while (const dirent* entry = readdir(entries)) {
    const bool is_process = entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
    if (is_process && LookAt(entry->d_name, arena) == Maps::kHas) found = true;
    if (found) break;
  }
  closedir(entries);
  return found;
}

bool SeesAllProcesses() {
  struct stat info;
  return getuid() == 0 && stat("/proc/self/ns/pid", &info) == 0 && info.st_ino == kFirstNamespace;
}

std::string ThisBoot() {
  std::string boot;
  ReadStream("/proc/sys/kernel/random/boot_id", &boot);
  return boot.substr(0, boot.find('\n'));
}

bool IsOfThisHost(const event::ProcessHeader& header) {
  char host[sizeof header.host] = "";
  gethostname(host, sizeof host - 1);
  return std::string(host) == std::string(header.host, strnlen(header.host, sizeof header.host));
}

}  // namespace

// The kernel makes the text anew at each reading, so it is read once.
bool IsOfThisBoot(const event::ProcessHeader& header) {
  static const std::string boot = ThisBoot();
  return boot == std::string_view(header.boot_id, strnlen(header.boot_id, sizeof header.boot_id));
}

bool IsItHere(const event::ProcessHeader& header, const std::string& arena) {
  const bool is_there =
      header.pid != 0 && IsOfThisBoot(header) && (kill(static_cast<pid_t>(header.pid), 0) == 0 || errno != ESRCH);
  if (!is_there) return false;
  switch (LookAt(std::to_string(header.pid), arena)) {
    case Maps::kHas: return true;
    case Maps::kHasNot: return false;
    case Maps::kNotReadable: break;
  }
  return IsOfThisHost(header);  // another user's process
}

Lives DoesItLive(const event::ProcessHeader& header, const std::string& arena) {
  if (!IsOfThisBoot(header)) return Lives::kNo;
  const bool same_host = IsOfThisHost(header);
  const bool is_there = kill(static_cast<pid_t>(header.pid), 0) == 0 || errno != ESRCH;
  const Maps maps = is_there ? LookAt(std::to_string(header.pid), arena) : Maps::kHasNot;
  if (maps == Maps::kHas || AnyProcessHas(arena)) return Lives::kYes;
  // It is another user's process: believe the process number, if it is from this host.
  if (same_host) return maps == Maps::kNotReadable ? Lives::kYes : Lives::kNo;
  return SeesAllProcesses() ? Lives::kNo : Lives::kCannotTell;
}

}  // namespace epik::archive
