// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/record.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "runtime/base/file_limit_ignored.h"

namespace epik::launch {
namespace {

constexpr char kNameBegins[] = "epk_run_";

// The path, or the name of the file, behind the number of the process, which may be missing.
std::string_view PathOf(std::string_view text) {
  const size_t after = text.find_first_not_of("0123456789");
  const bool numbered = after != std::string_view::npos && after > 0 && text[after] == ' ';
  return numbered ? text.substr(after + 1) : text;
}

void AddOnce(std::string_view path, std::vector<std::string>& paths) {
  if (!path.empty() && std::find(paths.begin(), paths.end(), path) == paths.end()) paths.emplace_back(path);
}

// Adds the text in one piece, because other processes add lines, too. Lines that cannot be written are lost.
void Append(const std::string& to, const std::string& text) {
  const int fd = open(to.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return;
  const base::FileLimitIgnored ignored;
  [[maybe_unused]] const ssize_t written = write(fd, text.data(), text.size());
  close(fd);
}

// `PID RANK CALLS`
void AddLate(const std::string& text, Record& record) {
  long pid = 0;
  int rank = 0;
  unsigned long long calls = 0;
  if (std::sscanf(text.c_str(), "%ld %d %llu", &pid, &rank, &calls) == 3) record.late_calls.emplace_back(rank, calls);
}

// Removes files that a killed `epk run` has left: ours, and locked by no process. The number of a process would not
// tell that, because it may belong to another container.
void RemoveAbandoned(const std::string& folder) {
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return;
  const int at = dirfd(entries);
  while (const dirent* entry = readdir(entries)) {
    if (!std::string_view(entry->d_name).starts_with(kNameBegins)) continue;
    const int fd = openat(at, entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) continue;
    struct stat info;
    const bool ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
    const time_t now = time(nullptr);
    // A file that is just being made is not locked for a moment.
    constexpr time_t kMoment = 60;
    if (ours && now - info.st_mtime > kMoment && flock(fd, LOCK_EX | LOCK_NB) == 0) unlinkat(at, entry->d_name, 0);
    close(fd);
  }
  closedir(entries);
}

}  // namespace

Record ParseRecord(std::string_view text) {
  Record record;
  // If a line has no end, its process was killed while it wrote the line.
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.substr(0, 5) == "done ") AddOnce(PathOf(line.substr(5)), record.done);
    if (line.substr(0, 7) == "digest ") AddOnce(PathOf(line.substr(7)), record.digests);
    if (line.substr(0, 6) == "start ") AddOnce(PathOf(line.substr(6)), record.started);
    if (line.substr(0, 4) == "off ") AddOnce(PathOf(line.substr(4)), record.refused);
    if (line.substr(0, 5) == "late ") AddLate(std::string(line.substr(5)), record);
  }
  return record;
}

std::string NameOfFile(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) return "";
  char name[48];
  std::snprintf(name, sizeof name, "%llx:%llx", static_cast<unsigned long long>(info.st_dev),
                static_cast<unsigned long long>(info.st_ino));
  return name;
}

void TellPublished(const std::string& to, const std::string& archive) {
  const std::string number = " " + std::to_string(getpid()) + " ";
  Append(to, "done" + number + archive + "\ndigest" + number + NameOfFile(STDERR_FILENO) + "\n");
}

std::vector<std::string> Unfinished(const Record& record, const std::function<bool(const std::string&)>& exists) {
  std::vector<std::string> paths;
  for (const std::string& path : record.started) {
    const bool done = std::find(record.done.begin(), record.done.end(), path) != record.done.end();
    if (!done && exists(path)) paths.push_back(path);
  }
  return paths;
}

RecordFile::RecordFile() {
  const char* given = std::getenv("TMPDIR");
  std::error_code none;
  // Processes that have changed their folder find an absolute path.
  const std::string folder = given == nullptr || given[0] == 0 ? "" : std::filesystem::absolute(given, none).string();
  if (!folder.empty() && MakeIn(folder)) return;
  if (!MakeIn("/tmp")) MakeIn("/dev/shm");
}

// A first line takes the room on the disk: a full one may well take a file without a byte.
bool RecordFile::MakeIn(const std::string& folder) {
  RemoveAbandoned(folder);
  std::string path = folder + "/" + kNameBegins + "XXXXXX";
  fd_ = mkostemp(path.data(), O_CLOEXEC);
  if (fd_ < 0) return false;
  flock(fd_, LOCK_EX | LOCK_NB);
  const base::FileLimitIgnored ignored;
  if (write(fd_, "run\n", 4) == 4) {
    path_ = path;
    return true;
  }
  unlink(path.c_str());
  close(fd_);
  fd_ = -1;
  return false;
}

RecordFile::~RecordFile() {
  if (!path_.empty()) unlink(path_.c_str());
  if (fd_ >= 0) close(fd_);
}

// Reads by the descriptor that is there: the user's limit may leave no other one.
std::string RecordFile::Text() const {
  std::string text;
  char piece[4096];
  ssize_t got = 0;
  while (fd_ >= 0 && (got = pread(fd_, piece, sizeof piece, static_cast<off_t>(text.size()))) > 0) {
    text.append(piece, static_cast<size_t>(got));
  }
  return text;
}

Record RecordFile::Read() const { return ParseRecord(Text()); }

// This `epk run` has reported late calls itself.
void RecordFile::PassOn(const std::string& to) const {
  std::string text, line;
  for (std::istringstream lines(Text()); std::getline(lines, line);) {
    if (line.starts_with("late ")) continue;
    text += line;
    if (!lines.eof()) text += '\n';  // a process that was killed leaves half a line
  }
  Append(to, text);
}

}  // namespace epik::launch
