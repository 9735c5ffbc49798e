// SPDX-License-Identifier: BSD-3-Clause
#include "archive/directory/archive.h"

#include <sys/stat.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "archive/cubex/reader.h"
#include "archive/files/byte_source.h"
#include "archive/files/guarded.h"

namespace epik::archive {
namespace {

bool EndsWith(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

bool Exists(const std::string& path) {
  // A link without a target exists, too. The error then names the file that cannot be read.
  struct stat info;
  return lstat(path.c_str(), &info) == 0;
}

bool OpenDirectory(Archive* archive, std::string* error) {
  archive->is_directory = true;
  const std::string& path = archive->path;
  const std::string manifest = path + "/" + kManifestName;
  const std::string summary = path + "/" + kSummaryName;
  const bool has_manifest = Exists(manifest);
  const bool has_summary = Exists(summary);
  // Publishing writes the manifest before it renames the directory, so a manifest does not prove that an archive is
  // complete. A complete archive may keep its arenas.
  if (EndsWith(path, kUnfinishedSuffix) || (!has_manifest && Exists(path + "/" + kArenasName))) {
    *error = NotFinished(path);
    return false;
  }
  if (!has_manifest && !has_summary) {
    *error = path + " is no archive: it holds neither " + kManifestName + " nor " + kSummaryName;
    return false;
  }
  if (has_summary) archive->summary_path = summary;
  // A summary can be read without a manifest: then the facts about the run have their defaults.
  if (!has_manifest) return true;
  std::string text;
  if (!ReadFile(manifest, Manifest::kLargest, &text, error)) return false;
  if (!Manifest::FromJson(text, &archive->manifest, error)) {
    *error = path + "/" + *error;
    return false;
  }
  archive->has_manifest = true;
  return true;
}

// As a word that a shell takes.
std::string Quoted(const std::string& path) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%=";
  if (!path.empty() && path.find_first_not_of(kPlain) == path.npos) return path;
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string NotFinished(const std::string& path) {
  const std::string word = Quoted(path);
  return path + " is not finished: while the program runs, type epk top " + word + "; when it has ended, epk recover " +
         word;
}

bool Archive::ReadProfile(Profile* profile, std::string* error, std::vector<std::string>* notes) const {
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

}  // namespace epik::archive
