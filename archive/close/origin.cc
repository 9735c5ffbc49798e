// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/origin.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace epik::archive {
namespace {

constexpr size_t kMostRead = size_t{4} << 20;  // also of packed-refs
constexpr int kMostFolders = 64;
constexpr size_t kLongestModel = 80;

// Reads a regular file, also one of /proc. Returns "" for other files, because a pipe must not make the program wait,
// and for files that it cannot open.
std::string ReadSome(const std::string& path, size_t most) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return "";
  struct stat info;
  std::string text;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    char block[4096];
    ssize_t got = 0;
    while (text.size() < most && (got = read(fd, block, sizeof block)) > 0)
      text.append(block, static_cast<size_t>(got));
  }
  close(fd);
  return text;
}

std::string Line(std::string_view text) { return std::string(text.substr(0, text.find_first_of("\r\n"))); }

std::string Commit(std::string_view text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const bool good = (text.size() == 40 || text.size() == 64) && std::all_of(text.begin(), text.end(), is_digit);
  return good ? std::string(text) : "";
}

// Whether the name of a branch stays inside of the folder.
bool IsPlainReference(std::string_view name) {
  return name.starts_with("refs/") && name.find("..") == std::string_view::npos && name.size() < 1024;
}

std::string Resolve(const std::string& folder, const std::string& common, const std::string& name) {
  if (!IsPlainReference(name)) return "";
  for (const std::string* where : {&folder, &common}) {
    const std::string commit = Commit(Line(ReadSome(*where + "/" + name, 256)));
    if (!commit.empty()) return commit;
  }
  const std::string packed = ReadSome(common + "/packed-refs", kMostRead);
  const size_t at = packed.find(" " + name + "\n");
  if (at == std::string::npos) return "";
  const size_t begin = packed.rfind('\n', at) + 1;  // npos + 1 is 0
  return Commit(std::string_view(packed).substr(begin, at - begin));
}

// The commit of a repository's own folder, or of the folder of a work tree.
std::string CheckedOut(const std::string& folder) {
  const std::string head = Line(ReadSome(folder + "/HEAD", 1024));
  if (!head.starts_with("ref: ")) return Commit(head);
  std::string common = Line(ReadSome(folder + "/commondir", 4096));
  if (common.empty()) {
    common = folder;
  } else if (common[0] != '/') {
    common = folder + "/" + common;
  }
  return Resolve(folder, common, head.substr(5));
}

std::string OfTheJob() {
  for (const char* name : {"GITHUB_SHA", "CI_COMMIT_SHA"}) {
    const char* value = getenv(name);
    if (value != nullptr && !Commit(value).empty()) return value;
  }
  return "";
}

}  // namespace

std::string RevisionAround(const std::string& folder) {
  char* whole = realpath(folder.empty() ? "." : folder.c_str(), nullptr);
  std::string at = whole == nullptr ? "" : whole;
  free(whole);
  for (int level = 0; level < kMostFolders && !at.empty(); ++level) {
    const std::string git = at + "/.git";
    struct stat info;
    if (lstat(git.c_str(), &info) == 0) {
      std::string target = git;
      if (S_ISREG(info.st_mode)) {  // the file of a work tree, or of a submodule
        const std::string line = Line(ReadSome(git, 4096));
        if (!line.starts_with("gitdir: ")) return OfTheJob();
        target = line.substr(8);
        if (!target.starts_with('/')) target = at + "/" + target;
      }
      const std::string commit = CheckedOut(target);
      return commit.empty() ? OfTheJob() : commit;
    }
    at.resize(at.rfind('/'));
  }
  return OfTheJob();
}

std::string ProcessorModel() {
  const std::string text = ReadSome("/proc/cpuinfo", 16 << 10);
  for (const char* key : {"model name", "cpu model", "Processor", "cpu"}) {
    const size_t at = text.find(std::string("\n") + key + "\t");
    if (at == std::string::npos) continue;
    const std::string line = Line(std::string_view(text).substr(at + 1));
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2, kLongestModel);
  }
  return "";
}

HostClass ThisHost() {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return {ProcessorModel(), processors > 0 ? static_cast<int>(processors) : 0};
}

}  // namespace epik::archive
