// SPDX-License-Identifier: BSD-3-Clause
// Finds the sources of settings of a real process: files, environment, directory. Every failure becomes a message.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/loader.h"
#include "config/own_executable.h"
#include "config/settings.h"

extern char** environ;

namespace epik::config {
namespace {

constexpr char kFileName[] = "EPIK.CONF";
constexpr size_t kLargestFile = 1 << 20;

// The namer of the file. A file that merely lies in the current folder has none, because anybody may have put it there.
enum class Named { kByUser, kByInstallation, kByNobody };

// Null, or the reason why the file cannot be read; "" when it does not exist.
const char* ReadDescriptor(int fd, Named named, std::string* text) {
  struct stat info;
  if (fstat(fd, &info) != 0) return strerrordesc_np(errno);
  if (S_ISDIR(info.st_mode)) return "is a directory";
  // A pipe or a device would keep the program waiting, or never end.
  if (!S_ISREG(info.st_mode)) return "is not a file";
  if (named == Named::kByNobody) {
    if (info.st_uid != geteuid() && info.st_uid != 0) return "belongs to somebody else; name it in EPK_CONF to use it";
    if ((info.st_mode & S_IWOTH) != 0) return "can be written by anybody; name it in EPK_CONF to use it";
  }
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return strerrordesc_np(errno);
    if (n == 0) return nullptr;
    text->append(buffer, static_cast<size_t>(n));
    if (text->size() > kLargestFile) return "is larger than 1 MiB: not a configuration";
  }
}

const char* ReadFile(const std::string& path, Named named, std::string* text) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return errno == ENOENT || errno == ENOTDIR ? "" : strerrordesc_np(errno);
  const char* failure = ReadDescriptor(fd, named, text);
  close(fd);
  return failure;
}

bool IsDirectory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

void AddFileAt(const std::string& path, Named named, Loader* loader) {
  std::string text;
  const char* failure = ReadFile(path, named, &text);
  if (failure == nullptr) {
    loader->AddFile(path, text);
  } else if (failure[0] != '\0') {
    loader->AddUnreadable(path, failure);
  } else if (named == Named::kByUser) {
    loader->AddUnreadable(path, "no such file (EPK_CONF)");
  }
}

std::string Parent(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash == 0 ? 1 : slash);
}

}  // namespace

Loaded Load(const Sources& sources) {
  const int saved_errno = errno;  // errno belongs to the program and must not change
  const Environment environment(sources.environment);
  const std::string& installed = sources.installation_conf;
  Loader loader(environment, installed.empty() ? "" : Parent(installed));
  if (!installed.empty()) AddFileAt(installed, Named::kByInstallation, &loader);

  const std::string_view asked = environment.Find("EPK_CONF").value_or("");
  if (asked.empty()) {
    AddFileAt(sources.directory + "/" + kFileName, Named::kByNobody, &loader);
  } else {
    std::string path(asked);
    if (path[0] != '/') path = sources.directory + "/" + path;
    if (IsDirectory(path)) path += std::string("/") + kFileName;
    AddFileAt(path, Named::kByUser, &loader);
  }
  loader.AddEnvironment();
  errno = saved_errno;
  return loader.Finish();
}

Loaded LoadFromProcess() {
  Sources sources;
  sources.environment = environ;
  sources.installation_conf = InstallationConf();
  return Load(sources);
}

std::string InstallationConf() {
  const int saved_errno = errno;
  Dl_info info;
  char path[PATH_MAX];
  std::string out;
  if (dladdr(reinterpret_cast<void*>(&InstallationConf), &info) != 0 && info.dli_fname != nullptr) {
    // dladdr gives the path of a library, but for the main program the name by which it was called.
    const bool is_program = strcmp(info.dli_fname, program_invocation_name) == 0;
    if (is_program) {
      OwnExecutable(path, sizeof path);
    } else if (realpath(info.dli_fname, path) == nullptr) {
      path[0] = '\0';
    }
    if (path[0] != '\0') {
      out = Parent(Parent(path)) + "/etc/" + kFileName;
    }
  }
  errno = saved_errno;
  return out;
}

}  // namespace epik::config
