// SPDX-License-Identifier: BSD-3-Clause
#include "archive/directory/new_archive.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "archive/directory/archive.h"

namespace epik::archive {

NewArchive::~NewArchive() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool NewArchive::Open(const std::string& target, std::string* error) {
  target_ = target;
  while (target_.size() > 1 && target_.back() == '/') target_.pop_back();
  struct stat info;
  if (lstat(target_.c_str(), &info) == 0) {
    *error = target_ + " exists, and an archive is never replaced: give another name";
    return false;
  }
  const std::string unfinished = target_ + "." + std::to_string(getpid()) + kUnfinishedSuffix;
  if (mkdir(unfinished.c_str(), 0777) != 0) {
    *error = target_ + ": cannot be created: " + std::generic_category().message(errno);
    return false;
  }
  path_ = unfinished;
  return true;
}

bool NewArchive::Commit(std::string* error) {
  const internal::Renamed result = internal::RenameNew(path_, target_, true);
  if (result == internal::Renamed::kYes) {
    path_.clear();
    return true;
  }
  *error = result == internal::Renamed::kExists ? target_ + " exists, and an archive is never replaced"
                                                : target_ + ": " + std::generic_category().message(errno);
  return false;
}

}  // namespace epik::archive
