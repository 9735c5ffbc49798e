// SPDX-License-Identifier: BSD-3-Clause
#include "config/own_executable.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

namespace epik::config {

void OwnExecutable(char* path, size_t size) {
  const ssize_t n = readlink("/proc/self/exe", path, size - 1);
  path[n > 0 ? n : 0] = '\0';
  if (n > 0) return;
  char room[PATH_MAX];
  const auto* asked = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (asked != nullptr && realpath(asked, room) != nullptr && std::strlen(room) < size) std::strcpy(path, room);
}

std::string OwnExecutable() {
  char path[PATH_MAX];
  OwnExecutable(path, sizeof path);
  return path;
}

}  // namespace epik::config
