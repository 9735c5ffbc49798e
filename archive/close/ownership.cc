// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/ownership.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace epik::archive {
namespace {

constexpr int kSafely = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;  // no link, no waiting for a pipe's writer

// The target of the link `name` in a folder of arenas; empty when EPIK did not make the link.
std::string TargetOf(int folder, const char* name) {
  char target[PATH_MAX];
  const ssize_t n = readlinkat(folder, name, target, sizeof target - 1);
  if (n <= 0 || target[0] != '/') return "";
  const std::string path(target, static_cast<size_t>(n));
  const std::string wanted = std::string("/epik.") + name;
  const bool is_arenas = path.size() > wanted.size() && path.find('\0') == std::string::npos &&
                         path.compare(path.size() - wanted.size(), wanted.size(), wanted) == 0;
  return is_arenas ? path : "";
}

bool IsOurs(const struct stat& file, uid_t owner) {
  return S_ISREG(file.st_mode) && file.st_nlink == 1 && (file.st_uid == owner || file.st_uid == geteuid());
}

// The user's own group, because the folder may have a group without that user.
gid_t GroupOf(uid_t user) {
  constexpr gid_t kNoGroup = 65534;
  const passwd* entry = getpwuid(user);
  return entry != nullptr ? entry->pw_gid : kNoGroup;
}

// Whether another user could put another folder in the place of this one while root is at work in it.
bool MayBeExchanged(const std::string& folder) {
  struct stat above;
  return stat((folder + "/..").c_str(), &above) == 0 && above.st_uid != 0 && (above.st_mode & S_ISVTX) == 0;
}

}  // namespace

AsOwner::AsOwner(const std::string& folder, bool although_not_ours) {
  struct stat info;
  if (lstat(folder.c_str(), &info) != 0 || although_not_ours) return;
  if (info.st_uid == geteuid()) {
    if (geteuid() == 0 && MayBeExchanged(folder)) {
      why_ = folder + ": lies in another user's folder, who could exchange it; to recover it: --yes-it-is-theirs";
    }
    return;
  }
  const std::string whose = folder + ": belongs to user " + std::to_string(info.st_uid);
  if (geteuid() != 0) {
    why_ = whose + "; to recover it all the same: --yes-it-is-theirs";
  } else if (setgroups(0, nullptr) != 0 || setegid(GroupOf(info.st_uid)) != 0 || seteuid(info.st_uid) != 0) {
    const int reason = errno;
    [[maybe_unused]] const int restored = setegid(getgid());
    why_ = whose + ", whose rights cannot be taken on (" + std::strerror(reason) +
           "); to recover it as root: --yes-it-is-theirs";
  } else {
    taken_ = true;
  }
}

AsOwner::~AsOwner() {
  if (!taken_) return;
  // A failure leaves fewer rights, not more.
  [[maybe_unused]] const bool restored = seteuid(getuid()) == 0 && setegid(getgid()) == 0;
}

int OpenFolder(const std::string& path) { return open(path.c_str(), O_RDONLY | O_DIRECTORY | kSafely); }

int OpenArena(const std::string& folder, const std::string& name, std::string* error) {
  const auto fail = [&](const std::string& why) {
    *error = folder + "/" + name + ": " + why;
    return -1;
  };
  const int at = OpenFolder(folder);
  struct stat above;
  if (at < 0 || fstat(at, &above) != 0) {
    if (at >= 0) close(at);
    return fail(std::string("cannot be read (") + std::strerror(errno) + ")");
  }
  const std::string target = TargetOf(at, name.c_str());
  const int fd =
      target.empty() ? openat(at, name.c_str(), O_RDONLY | kSafely) : open(target.c_str(), O_RDONLY | kSafely);
  const int reason = errno;
  close(at);
  if (fd < 0) {
    return fail(reason == ELOOP ? "is a link, and none of EPIK's"
                                : std::string("cannot be read (") + std::strerror(reason) + ")");
  }
  struct stat info;
  if (fstat(fd, &info) == 0 && IsOurs(info, above.st_uid)) return fd;
  close(fd);
  return fail("is no file of this archive alone: it has other names, another owner, or is a pipe or device");
}

std::string TargetThatIsNotHere(const std::string& folder, const std::string& name) {
  const int at = OpenFolder(folder);
  if (at < 0) return "";
  const std::string target = TargetOf(at, name.c_str());
  close(at);
  struct stat info;
  return !target.empty() && lstat(target.c_str(), &info) != 0 && errno == ENOENT ? target : "";
}

void RemoveArenas(const std::string& archive, const std::vector<std::string>& damaged) {
  const std::string folder = archive + "/arenas";
  const int at = OpenFolder(folder);
  DIR* entries = at < 0 ? nullptr : fdopendir(at);
  if (entries == nullptr) {
    if (at >= 0) close(at);
    return;
  }
  struct stat above;
  const uid_t owner = fstat(at, &above) == 0 ? above.st_uid : geteuid();
  if (!damaged.empty()) mkdir((archive + "/" + kDamagedName).c_str(), 0777);
  const int kept = damaged.empty() ? -1 : OpenFolder(archive + "/" + kDamagedName);
  for (const std::string& name : damaged) renameat(at, name.c_str(), kept, name.c_str());
  if (kept >= 0) close(kept);
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || std::find(damaged.begin(), damaged.end(), name) != damaged.end()) continue;
    const std::string target = TargetOf(at, entry->d_name);
    struct stat info;
    if (!target.empty() && lstat(target.c_str(), &info) == 0 && IsOurs(info, owner)) unlink(target.c_str());
    unlinkat(at, entry->d_name, 0);
  }
  closedir(entries);
  rmdir(folder.c_str());
}

void RemoveScopes(const std::string& archive) {
  const std::string folder = archive + "/scopes";
  const int at = OpenFolder(folder);
  DIR* entries = at < 0 ? nullptr : fdopendir(at);
  if (entries == nullptr) {
    if (at >= 0) close(at);
    return;
  }
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") unlinkat(at, name.c_str(), 0);
  }
  closedir(entries);
  rmdir(folder.c_str());
}

void RemoveUnfinished(const std::string& archive) {
  RemoveArenas(archive);
  RemoveScopes(archive);
  rmdir(archive.c_str());
}

}  // namespace epik::archive
