// SPDX-License-Identifier: BSD-3-Clause
// Puts archives in place. This file is apart from archive.cc, because libepk_archive.so needs only this half.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "archive/directory/archive.h"
#include "archive/files/guarded.h"

namespace epik::archive {
namespace {

constexpr size_t kLongestTitle = 200;  // a file name has 255 bytes: room for prefix and suffixes
constexpr int kMostArchivesOfATitle = 1000000;
constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE, which older headers lack

bool Exists(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0;
}

std::string WithSuffix(const std::string& parent, const std::string& title, int number) {
  const std::string path = (parent.empty() ? "." : parent) + "/" + ArchiveName(title);
  return number == 0 ? path : path + "." + std::to_string(number);
}

}  // namespace

std::string ArchiveName(const std::string& title) {
  std::string name;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    name.push_back(byte < 0x20 || byte == 0x7f || c == '/' ? '_' : c);
  }
  if (name.size() > kLongestTitle) {
    size_t end = kLongestTitle;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // do not cut within a character
    name.resize(end);
  }
  while (std::string_view(name).ends_with(kUnfinishedSuffix)) name.resize(name.size() - (sizeof kUnfinishedSuffix - 1));
  return "epik_" + (name.empty() ? "run" : name);
}

std::string FinalPath(const std::string& parent, const std::string& title) {
  int number = 0;
  while (number < kMostArchivesOfATitle && Exists(WithSuffix(parent, title, number))) ++number;
  return WithSuffix(parent, title, number);
}

bool PublishDirectory(const std::string& unfinished, const std::string& parent, const std::string& title,
                      std::string* final_path, std::string* error) {
  return Guarded(error, [&] {
    for (int number = 0; number < kMostArchivesOfATitle; ++number) {
      const std::string path = WithSuffix(parent, title, number);
      const internal::Renamed result = internal::RenameNew(unfinished, path, true);
      if (result == internal::Renamed::kExists) continue;
      if (result == internal::Renamed::kYes) {
        *final_path = path;
        return true;
      }
      *error = unfinished + ": cannot be renamed to " + path + ": " + std::generic_category().message(errno);
      return false;
    }
    *error = parent + ": too many archives called " + ArchiveName(title);
    return false;
  });
}

namespace internal {

Renamed RenameNew(const std::string& from, const std::string& to, bool ask_kernel) {
  if (ask_kernel) {
    if (syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), kNoReplace) == 0) return Renamed::kYes;
    if (errno == EEXIST) return Renamed::kExists;
    if (errno != ENOSYS && errno != EINVAL && errno != ENOTSUP) return Renamed::kFailed;
  }
  // mkdir succeeds for one of all processes that try. rename then replaces the empty directory, and only an empty one.
  if (mkdir(to.c_str(), 0777) != 0) return errno == EEXIST ? Renamed::kExists : Renamed::kFailed;
  if (std::rename(from.c_str(), to.c_str()) == 0) return Renamed::kYes;
  const int reason = errno;
  rmdir(to.c_str());
  errno = reason;
  return reason == ENOTEMPTY || reason == EEXIST ? Renamed::kExists : Renamed::kFailed;
}

}  // namespace internal
}  // namespace epik::archive
