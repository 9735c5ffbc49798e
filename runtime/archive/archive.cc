// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/archive/archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "runtime/archive/byte_source.h"
#include "runtime/archive/cubex_reader.h"
#include "runtime/archive/guarded.h"

namespace epik::archive {
namespace {

constexpr uint64_t kLargestManifest = 256 << 20;
constexpr size_t kLongestTitle = 200;  // a file name has 255 bytes: room for prefix and suffixes
constexpr int kMostArchivesOfATitle = 1000000;
constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE, which older headers lack

bool EndsWith(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

bool Exists(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0;
}

std::string WithSuffix(const std::string& parent, const std::string& title, int number) {
  const std::string path = (parent.empty() ? "." : parent) + "/" + ArchiveName(title);
  return number == 0 ? path : path + "." + std::to_string(number);
}

bool OpenDirectory(Archive* archive, std::string* error) {
  archive->is_directory = true;
  const std::string& path = archive->path;
  const std::string manifest = path + "/" + kManifestName;
  const std::string summary = path + "/" + kSummaryName;
  const bool has_manifest = Exists(manifest);
  const bool has_summary = Exists(summary);
  if (EndsWith(path, kUnfinishedSuffix) || (!has_manifest && Exists(path + "/" + kArenasName))) {
    *error = path + " is the archive of a run that did not finish; type: epk recover " + path;
    return false;
  }
  if (!has_manifest && !has_summary) {
    *error = path + " is no archive: it holds neither " + kManifestName + " nor " + kSummaryName;
    return false;
  }
  if (has_summary) archive->summary_path = summary;
  if (!has_manifest) return true;
  std::string text;
  if (!ReadFile(manifest, kLargestManifest, &text, error)) return false;
  if (!Manifest::FromJson(text, &archive->manifest, error)) {
    *error = path + "/" + *error;
    return false;
  }
  archive->has_manifest = true;
  return true;
}

}  // namespace

bool Archive::ReadProfile(epitome::Profile* profile, std::string* error, std::vector<std::string>* notes) const {
  return Guarded(error, [&] {
    if (!summary_path.empty()) return ReadCubex(summary_path, profile, error, notes);
    *error = path + ": this archive has no profile (" + kSummaryName + ")";
    return false;
  });
}

bool Open(const std::string& path, Archive* archive, std::string* error) {
  return Guarded(error, [&] {
    *archive = Archive();
    archive->path = path;
    while (archive->path.size() > 1 && archive->path.back() == '/') archive->path.pop_back();
    struct stat info;
    if (stat(archive->path.c_str(), &info) != 0) {
      *error = path + ": " + std::generic_category().message(errno);
      return false;
    }
    if (S_ISDIR(info.st_mode)) return OpenDirectory(archive, error);
    if (S_ISREG(info.st_mode) && EndsWith(archive->path, ".cubex")) {
      archive->summary_path = archive->path;
      return true;
    }
    *error = path + " is no archive: expected a directory epik_… or a .cubex file";
    return false;
  });
}

std::string ArchiveName(const std::string& title) {
  std::string name;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    name.push_back(byte < 0x20 || byte == 0x7f || c == '/' ? '_' : c);
  }
  if (name.size() > kLongestTitle) {
    size_t end = kLongestTitle;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // not within a character
    name.resize(end);
  }
  while (EndsWith(name, kUnfinishedSuffix)) name.resize(name.size() - (sizeof kUnfinishedSuffix - 1));
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
  // mkdir succeeds for one of all who try; rename then replaces the empty directory, and only an empty one.
  if (mkdir(to.c_str(), 0777) != 0) return errno == EEXIST ? Renamed::kExists : Renamed::kFailed;
  if (std::rename(from.c_str(), to.c_str()) == 0) return Renamed::kYes;
  const int reason = errno;
  rmdir(to.c_str());
  errno = reason;
  return reason == ENOTEMPTY || reason == EEXIST ? Renamed::kExists : Renamed::kFailed;
}

}  // namespace internal
}  // namespace epik::archive
