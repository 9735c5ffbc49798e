// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/target.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "archive/close/liveness.h"
#include "archive/close/recover.h"
#include "archive/directory/archive.h"
#include "tools/top/proc.h"
#include "view/shell.h"

namespace epik::top {
namespace {

namespace fs = std::filesystem;

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The process number in the name of an arena, "HOST.PID.arena"; 0: none.
int PidOfArena(std::string_view arena) {
  constexpr std::string_view kEnd = ".arena";
  if (!arena.ends_with(kEnd)) return 0;
  arena.remove_suffix(kEnd.size());
  const size_t dot = arena.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return 0;
  const std::string_view pid = arena.substr(dot + 1);
  return IsNumber(pid) ? std::atoi(pid.data()) : 0;
}

// The arenas in an unfinished archive, without those of processes that the caller knows: there may be many of them, so
// that only their names are looked at.
std::vector<Target> TargetsIn(const std::string& unfinished, const KnowsProcess& knows = nullptr) {
  const std::string folder = (fs::path(unfinished) / archive::kArenasName).string();
  std::vector<Target> targets;
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return targets;
  while (const dirent* entry = readdir(entries)) {
    const int pid = PidOfArena(entry->d_name);
    if (pid != 0 && !(knows && knows(pid))) targets.push_back({pid, folder + "/" + entry->d_name, unfinished});
  }
  closedir(entries);
  std::sort(targets.begin(), targets.end(), [](const Target& a, const Target& b) { return a.arena < b.arena; });
  return targets;
}

// False: the file can be no arena.
bool ReadHeader(const std::string& arena, event::ProcessHeader* header) {
  const int fd = open(arena.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  const bool whole = pread(fd, header, sizeof *header, 0) == static_cast<ssize_t>(sizeof *header);
  close(fd);
  header->boot_id[sizeof header->boot_id - 1] = header->host[sizeof header->host - 1] = '\0';
  return whole;
}

// Whether the arena's process runs here. A process of another host, of a container or of an earlier boot may have had
// the same number as a process of this host.
bool RunsHere(const Target& target, archive::Residents* residents) {
  event::ProcessHeader header;
  return ReadHeader(target.arena, &header) && header.pid == static_cast<uint32_t>(target.pid) &&
         residents->AreHere(header, target.arena) && ProcessExists(target.pid);
}

// Tells why no process of the target runs here, as far as this user can know.
std::string WhyGone(const std::string& folder, const Target& target) {
  const std::string who = folder + ": process " + std::to_string(target.pid);
  if (access(target.arena.c_str(), R_OK) != 0 && errno == EACCES) {
    return who + " cannot be read: permission denied; it belongs to somebody else";
  }
  event::ProcessHeader header;
  if (ReadHeader(target.arena, &header) && !archive::IsOfThisBoot(header)) {
    return who + " runs or ran on " + header.host + ", and this is another machine, or it was started anew since";
  }
  return who + " has ended; type: epk recover " + view::InShell(folder);
}

bool FindByMaps(int pid, Target* target, std::string* error) {
  const std::string who = "process " + std::to_string(pid);
  std::vector<std::string> paths;
  switch (MappedArenas(pid, &paths)) {
    case Maps::kNoProcess: *error = who + ": there is no such process"; return false;
    case Maps::kDenied: *error = who + ": permission denied; it belongs to somebody else"; return false;
    case Maps::kRead: break;
  }
  if (paths.empty()) {
    *error = who + " is not measured, or has not called anything that is; start it by: epk run PROGRAM";
    return false;
  }
  std::erase_if(paths, [](const std::string& path) { return path.ends_with(" (deleted)"); });
  if (paths.empty()) {
    *error = who + ": its unfinished archive was removed, or is complete by now; nothing can be read any more";
    return false;
  }
  // A child may still have its parent's arena for a moment.
  std::stable_partition(paths.begin(), paths.end(), [pid](const std::string& p) { return PidOfArena(p) == pid; });
  const std::string& path = paths.front();
  target->pid = pid;
  target->arena = path;
  const std::string proc = "/proc/" + std::to_string(pid);
  // the process sees other folders than we do
  if (access(path.c_str(), F_OK) != 0) target->arena = proc + "/root" + path;
  const fs::path folder = fs::path(path).parent_path().parent_path();
  if (fs::path(path).parent_path().filename() == archive::kArenasName) target->unfinished = folder.string();
  if (target->unfinished.empty()) {
    const auto found = archive::FindUnfinished(proc + "/cwd", pid);
    if (!found.empty()) target->unfinished = found.front();
  }
  return true;
}

// The arena of a process in one of the unfinished archives.
bool FindIn(const std::vector<std::string>& archives, int pid, Target* target) {
  archive::Residents residents;
  for (const std::string& folder : archives) {
    for (const Target& each : TargetsIn(folder, [pid](int other) { return other != pid; })) {
      if (!RunsHere(each, &residents)) continue;
      *target = each;
      return true;
    }
  }
  return false;
}

bool FindByNumber(int pid, Target* target, std::string* error) {
  if (ThreadState(pid, pid) == "ended") {
    *error = "process " + std::to_string(pid) + ": there is no such process";
    const auto left = archive::FindUnfinished(".", pid);
    if (!left.empty()) *error += " any more; type: epk recover " + view::InShell(left.front());
    return false;
  }
  return FindIn(archive::FindUnfinished(".", pid), pid, target) || FindByMaps(pid, target, error);
}

// The process that made an unfinished archive "epik_PROGRAM.PID.unfinished", after it has moved to that of its job,
// which begins with the same words.
bool FindByFirstName(const std::string& word, Target* target) {
  const fs::path path(word);
  const std::string stem = path.stem().string();
  const size_t dot = stem.rfind('.');
  if (path.extension() != archive::kUnfinishedSuffix || dot == std::string::npos) return false;
  const std::string pid = stem.substr(dot + 1, stem.find('-', dot) - dot - 1);
  if (!IsNumber(pid)) return false;
  const fs::path around = path.parent_path();
  return FindIn(archive::FindUnfinished(around.empty() ? "." : around.string(), 0), std::atoi(pid.c_str()), target) &&
         fs::path(target->unfinished).filename().string().starts_with(stem.substr(0, dot + 1));
}

bool FindHere(std::vector<Target>* targets, std::string* error) {
  std::string pids;
  size_t programs = 0;
  for (const std::string& folder : archive::FindUnfinished(".", 0)) {
    const std::vector<Target> running = RunningIn(folder);
    if (running.empty()) continue;
    ++programs;
    pids += " " + std::to_string(running.front().pid);
    *targets = running;
  }
  if (programs == 1) return true;
  *error = programs == 0 ? "no measured program runs in this folder; name a process by its number"
                         : "several measured programs run in this folder; name one of:" + pids;
  return false;
}

}  // namespace

std::vector<Target> RunningIn(const std::string& unfinished, const KnowsProcess& knows) {
  std::vector<Target> targets = TargetsIn(unfinished, knows);
  archive::Residents residents;
  std::erase_if(targets, [&](const Target& each) { return !RunsHere(each, &residents); });
  return targets;
}

std::string FolderNow(int pid, const std::string& before) {
  const fs::path around = fs::path(before).parent_path();
  Target target;
  std::string ignored;
  if (FindIn(archive::FindUnfinished(around.empty() ? "." : around.string(), 0), pid, &target)) {
    return target.unfinished;
  }
  std::error_code failed;
  const bool found = FindByMaps(pid, &target, &ignored) && fs::is_directory(target.unfinished, failed);
  return found ? target.unfinished : "";
}

bool FindTargets(const std::string& word, std::vector<Target>* targets, std::string* error) {
  targets->clear();
  if (word.empty()) return FindHere(targets, error);
  std::error_code ignored;
  if (!fs::is_directory(word, ignored)) {
    if (IsNumber(word)) return FindByNumber(std::atoi(word.c_str()), &targets->emplace_back(), error);
    if (FindByFirstName(word, &targets->emplace_back())) return true;
    targets->clear();
    *error = word + ": neither a process number nor the folder of a running program";
    return false;
  }
  *targets = RunningIn(word);
  if (!targets->empty()) return true;
  const std::vector<Target> gone = TargetsIn(word);
  if (!gone.empty()) {
    *error = WhyGone(word, gone.front());
  } else if (fs::exists(fs::path(word) / archive::kManifestName, ignored)) {
    *error = word + " has ended; type: epk report " + view::InShell(word);
  } else {
    *error = word + ": no running program writes there";
  }
  return false;
}

Folder::Folder(const std::string& path)
    : fd_(path.empty() ? -1 : open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

void Folder::Set(const std::string& path) {
  const int fd = open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || fd_ < 0) {
    fd_ = std::max(fd, fd_);
    return;
  }
  dup3(fd, fd_, O_CLOEXEC);
  close(fd);
}

Folder::~Folder() {
  if (fd_ >= 0) close(fd_);
}

std::string Folder::Name() const {
  if (fd_ < 0) return "";
  std::error_code failed;
  const fs::path path = fs::read_symlink("/proc/self/fd/" + std::to_string(fd_), failed);
  if (failed || !fs::is_directory(path, failed)) return "";
  const fs::path here = fs::current_path(failed);
  return !failed && path.parent_path() == here ? path.filename().string() : path.string();
}

}  // namespace epik::top
