// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/liveness.h"

#include <dirent.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "archive/close/ownership.h"
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

// Adds the names of the arenas among the files in `maps`, also without what EPIK puts in front of one that is
// elsewhere.
void AddArenas(const std::string& maps, std::set<std::string>* arenas) {
  constexpr std::string_view kEnd = ".arena", kDeleted = " (deleted)", kElsewhere = "epik.";
  for (size_t at = 0; at < maps.size();) {
    const size_t end = std::min(maps.find('\n', at), maps.size());
    std::string_view name = std::string_view(maps).substr(at, end - at);
    at = end + 1;
    if (name.ends_with(kDeleted)) name.remove_suffix(kDeleted.size());
    const size_t slash = name.rfind('/');
    if (slash == std::string_view::npos || !name.ends_with(kEnd)) continue;
    name.remove_prefix(slash + 1);
    arenas->emplace(name);
    if (name.starts_with(kElsewhere)) arenas->emplace(name.substr(kElsewhere.size()));
  }
}

std::set<std::string> ArenasOfAllProcesses() {
  std::set<std::string> arenas;
  DIR* entries = opendir("/proc");
  if (entries == nullptr) return arenas;
  while (const dirent* entry = readdir(entries)) {
    const bool is_process = entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
    std::string maps;
    if (is_process && ReadStream("/proc/" + std::string(entry->d_name) + "/maps", &maps)) AddArenas(maps, &arenas);
  }
  closedir(entries);
  return arenas;
}

enum class Lock { kHeld, kFree, kCannotTell };

// The lock stays as long as any process maps the file: a forked child, a thread that outlives the main thread, a
// process of another container or another user. Where processes have this process's number does not matter.
Lock LockOf(const std::string& folder, const event::ProcessHeader& header, const std::string& arena) {
  if (header.locked != event::kArenaIsLocked) return Lock::kCannotTell;
  std::string ignored;
  const int fd = OpenArena(folder, arena, &ignored);
  if (fd < 0) return Lock::kCannotTell;
  const bool got = flock(fd, LOCK_SH | LOCK_NB) == 0;
  const bool is_held = !got && errno == EWOULDBLOCK;
  close(fd);
  return got ? Lock::kFree : is_held ? Lock::kHeld : Lock::kCannotTell;
}

// The processes that have locked whole files with flock, by device and inode of the file: lines such as
// "1: FLOCK  ADVISORY  WRITE 4711 fe:00:10971475 0 EOF". Those who wait for a lock have an arrow after the first word.
std::map<std::pair<uint64_t, uint64_t>, uint32_t> OwnersOfLocks() {
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> owners;
  std::string locks;
  if (!ReadStream("/proc/locks", &locks)) return owners;
  for (size_t at = 0, end = 0; at < locks.size(); at = end + 1) {
    end = std::min(locks.find('\n', at), locks.size());
    unsigned pid = 0, major = 0, minor = 0;
    unsigned long inode = 0;
    const std::string line = locks.substr(at, end - at);
    if (std::sscanf(line.c_str(), "%*u: FLOCK ADVISORY WRITE %u %x:%x:%lu", &pid, &major, &minor, &inode) == 4) {
      owners[{makedev(major, minor), inode}] = pid;
    }
  }
  return owners;
}

bool IsThere(const event::ProcessHeader& header) {
  const auto pid = static_cast<pid_t>(header.pid);
  return pid > 0 && (kill(pid, 0) == 0 || errno != ESRCH);
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

// Reads the boot's number once, because the kernel makes its text anew at each reading. Nothing without /proc.
const std::string& OwnBoot() {
  static const std::string boot = ThisBoot();
  return boot;
}

std::string_view BootOf(const event::ProcessHeader& header) {
  return {header.boot_id, strnlen(header.boot_id, sizeof header.boot_id)};
}

bool AreBootsKnown(const event::ProcessHeader& header) { return !OwnBoot().empty() && !BootOf(header).empty(); }

}  // namespace

bool IsOfThisBoot(const event::ProcessHeader& header) { return OwnBoot() == BootOf(header); }

bool Residents::AreHere(const event::ProcessHeader& header, const std::string& arena) {
  if (!IsOfThisBoot(header) || !IsThere(header)) return false;
  if (!looked_) owners_ = OwnersOfLocks();
  looked_ = true;
  struct stat info;
  const bool is_file = header.locked == event::kArenaIsLocked && stat(arena.c_str(), &info) == 0;
  const auto owner = is_file ? owners_.find({info.st_dev, info.st_ino}) : owners_.end();
  if (owner != owners_.end() && owner->second == header.pid) return true;
  switch (LookAt(std::to_string(header.pid), arena.substr(arena.rfind('/') + 1))) {
    case Maps::kHas: return true;
    case Maps::kHasNot: return false;
    case Maps::kNotReadable: break;
  }
  return IsOfThisHost(header);  // another user's process
}

bool Writers::AnyProcessMaps(const std::string& arena) {
  if (!looked_) mapped_ = ArenasOfAllProcesses();
  looked_ = true;
  return mapped_.contains(arena);
}

Lives Writers::DoesItLive(const event::ProcessHeader& header, const std::string& arena) {
  const Lock lock = LockOf(folder_, header, arena);
  if (!IsOfThisBoot(header)) {
    // Where a file system does not tell other machines about locks, it says that each is free: only a lock that is held
    // is known.
    if (lock == Lock::kHeld) return Lives::kYes;
    if (!IsOfThisHost(header)) return Lives::kElsewhere;
    if (AreBootsKnown(header)) return Lives::kNo;  // the machine was started anew
  }
  const Maps maps = IsThere(header) ? LookAt(std::to_string(header.pid), arena) : Maps::kHasNot;
  if (maps == Maps::kHas) return Lives::kYes;  // perhaps it was restored from a checkpoint, without its lock
  if (lock != Lock::kCannotTell) return lock == Lock::kHeld ? Lives::kYes : Lives::kNo;
  if (AnyProcessMaps(arena)) return Lives::kYes;
  // It is another user's process: believe the process number, if it is from this host.
  if (IsOfThisHost(header)) return maps == Maps::kNotReadable ? Lives::kYes : Lives::kNo;
  return SeesAllProcesses() ? Lives::kNo : Lives::kCannotTell;
}

}  // namespace epik::archive
