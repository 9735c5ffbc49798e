// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/installation.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

namespace epik::base {
namespace {

struct File {
  dev_t device = 0;
  ino_t number = 0;  // 0: not there

  bool operator==(const File& other) const { return device == other.device && number == other.number; }
};

struct World {
  File root, mounts, folder;

  bool operator==(const World& other) const {
    return root == other.root && mounts == other.mounts && folder == other.folder;
  }
};

char library[PATH_MAX] = "";
char folder[PATH_MAX] = "";
World at_load;
bool looked = false;

File FileAt(const char* path) {
  struct stat info;
  if (stat(path, &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

// Uses the mounts of this thread, because /proc/self has no mounts after the main thread has ended.
World LookAround() { return {FileAt("/"), FileAt("/proc/thread-self/ns/mnt"), FileAt(folder)}; }

// dladdr gives the name that the library was loaded by, which may be relative to the folder of then.
__attribute__((constructor)) void LookAtLoad() {
  if (looked) return;
  looked = true;
  const int saved_errno = errno;  // main finds it as it would without us
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&LookAtLoad), &self) != 0 && self.dli_fname != nullptr) {
    char here[PATH_MAX] = "";
    if (self.dli_fname[0] != '/' && getcwd(here, sizeof here - 1) == nullptr) here[0] = '\0';
    const bool is_known = self.dli_fname[0] == '/' || here[0] == '/';
    const int n = std::snprintf(library, sizeof library, "%s%s%s", here, here[0] == '/' ? "/" : "", self.dli_fname);
    if (!is_known || n < 0 || static_cast<size_t>(n) >= sizeof library) library[0] = '\0';
  }
  if (const char* slash = std::strrchr(library, '/')) {
    std::memcpy(folder, library, static_cast<size_t>(slash - library) + 1);
  }
  at_load = LookAround();
  errno = saved_errno;
}

}  // namespace

const char* OwnLibrary() {
  LookAtLoad();
  return library;
}

bool PathBesideUs(const char* name, char* path, unsigned long size) {
  LookAtLoad();
  const int n = std::snprintf(path, size, "%s%s", folder, name);
  return folder[0] == '/' && n > 0 && static_cast<unsigned long>(n) < size;
}

bool IsSameWorld() {
  LookAtLoad();
  return LookAround() == at_load;
}

}  // namespace epik::base
