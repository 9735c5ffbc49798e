// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/recover.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "archive/directory/archive.h"
#include "archive/files/byte_source.h"

namespace epik::archive {
namespace {

using epitome::ProcessImage;

std::vector<std::string> ListFolder(const std::string& folder) {
  std::vector<std::string> names;
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return names;
  while (const dirent* entry = readdir(entries)) names.push_back(entry->d_name);
  closedir(entries);
  std::sort(names.begin(), names.end());
  return names;
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool ReadWhole(int fd, char* to, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = pread(fd, to + done, size - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;  // cut short: what is missing reads as zero
    done += static_cast<size_t>(n);
  }
  return true;
}

bool ReadArena(const std::string& path, ProcessImage* image, std::string* error) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    *error = path + ": cannot be read (" + std::strerror(errno) + ")";
    if (fd >= 0) close(fd);
    return false;
  }
  // Read, not mapped: a hole in a file on a full tmpfs can be read, but touching it in a mapping is a SIGBUS.
  base::ArenaHeader header{};
  size_t size = static_cast<size_t>(info.st_size);
  if (pread(fd, &header, sizeof header, 0) == sizeof header) {
    size = std::min(size, std::max<size_t>(size_t{header.lines_used} * base::kLineBytes, sizeof(event::ProcessHeader)));
  }
  void* bytes = size == 0
                    ? MAP_FAILED
                    : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const bool have = bytes != MAP_FAILED && ReadWhole(fd, static_cast<char*>(bytes), size);
  close(fd);
  const bool read = have && epitome::ReadProcessImage(static_cast<const char*>(bytes), size, image, error);
  const bool traced = std::any_of(image->locations.begin(), image->locations.end(),
                                  [](const epitome::LocationImage& location) { return !location.trace.empty(); });
  if (read && traced) {
    image->memory =
        std::shared_ptr<const void>(bytes, [size](const void* all) { munmap(const_cast<void*>(all), size); });
  } else if (bytes != MAP_FAILED) {
    munmap(bytes, size);
  }
  if (!have) {
    *error = path + ": is empty or cannot be read";
    return false;
  }
  if (!read) *error = path + ": " + *error;
  return read;
}

std::string ReadLine(const std::string& path) {
  std::string text;
  ReadStream(path, &text);
  return text.substr(0, text.find('\n'));
}

// Whether the process that writes the arena is there: same host and boot, and the file among its mappings.
bool IsAlive(const ProcessImage& image, const std::string& arena) {
  char host[72] = "";
  gethostname(host, sizeof host - 1);
  if (host != std::string(image.header.host)) return false;
  if (ReadLine("/proc/sys/kernel/random/boot_id") != image.header.boot_id) return false;
  if (kill(static_cast<pid_t>(image.header.pid), 0) != 0 && errno == ESRCH) return false;
  std::string maps;
  // Somebody else's: believe the process number.
  if (!ReadStream("/proc/" + std::to_string(image.header.pid) + "/maps", &maps)) return true;
  return maps.find(arena.substr(arena.find_last_of('/') + 1)) != std::string::npos;
}

// Belongs to a process of a job that is still at work, as far as can be seen from here.
bool IsOthers(const ProcessImage& image, const std::string& arena) {
  if (image.header.ranks < 2 || image.header.state == event::ProcessState::kDone) return false;
  char host[72] = "";
  gethostname(host, sizeof host - 1);
  return host != std::string(image.header.host) || IsAlive(image, arena);
}

// One recovery of a folder at a time.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : path_(folder), fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (fd_ >= 0) flock(fd_, LOCK_EX);
  }
  ~FolderLock() {
    if (fd_ >= 0) close(fd_);
  }
  bool IsGone() const {
    struct stat here, locked;
    if (fd_ < 0 || fstat(fd_, &locked) != 0) return false;
    return stat(path_.c_str(), &here) != 0 || here.st_ino != locked.st_ino;
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::string path_;
  int fd_;
};

// What the arena does not say.
void Complete(const std::string& path, int signal, ProcessImage* image) {
  image->trace_file = path.substr(0, path.size() - std::strlen(".arena")) + ".elg";
  if (signal == 0 || image->header.ending != event::Ending::kNone) return;
  image->header.ending = event::Ending::kSignal;
  image->header.ending_value = signal;
}

// Of a process that writes no more: only one of a job is in memory at a time.
ProcessImage LoadedLater(ProcessImage image, const std::string& path, int signal) {
  ProcessImage later;
  later.header = image.header;
  later.load = [path, signal](ProcessImage* whole) {
    std::string ignored;
    ProcessImage read;
    if (!ReadArena(path, &read, &ignored)) return false;
    *whole = std::move(read);
    Complete(path, signal, whole);
    return true;
  };
  return later;
}

std::string ParentOf(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// A snapshot is an archive of its own beside the unfinished one.
bool MakeSnapshotFolder(const std::string& parent, std::string* folder, std::string* error) {
  *folder = parent + "/.epik_snapshot." + std::to_string(getpid());
  if (mkdir(folder->c_str(), 0777) == 0) return true;
  *error = *folder + ": " + std::strerror(errno);
  return false;
}

}  // namespace

std::vector<std::string> FindUnfinished(const std::string& folder, int pid) {
  std::vector<std::string> found;
  const std::string of_pid = "." + std::to_string(pid);
  for (const std::string& name : ListFolder(folder)) {
    if (name.compare(0, 5, "epik_") != 0 || !EndsWith(name, kUnfinishedSuffix)) continue;
    std::string stem = name.substr(0, name.size() - std::strlen(kUnfinishedSuffix));
    const size_t dash = stem.find_last_of('-');
    if (pid != 0 && !EndsWith(stem, of_pid) && !(dash != std::string::npos && EndsWith(stem.substr(0, dash), of_pid))) {
      continue;
    }
    found.push_back(folder + "/" + name);
  }
  return found;
}

Recovered Recover(const std::string& given, const RecoverOptions& options, WriteResult* result, std::string* error) {
  std::string unfinished = given;
  while (unfinished.size() > 1 && unfinished.back() == '/') unfinished.pop_back();
  const FolderLock lock(unfinished);
  // Somebody else recovered it while we waited: it has its final name now.
  if (lock.IsGone()) return Recovered::kAlreadyComplete;
  const std::string arenas = unfinished + "/" + kArenasName;
  std::vector<ProcessImage> images;
  bool running = false;
  bool any_file = false;
  std::string first_problem;
  for (const std::string& name : ListFolder(arenas)) {
    if (!EndsWith(name, ".arena")) continue;
    any_file = true;
    ProcessImage image;
    std::string problem;
    if (!ReadArena(arenas + "/" + name, &image, &problem)) {
      if (first_problem.empty()) first_problem = problem;
      continue;
    }
    if (options.ended && IsOthers(image, name)) return Recovered::kStillRunning;
    const bool said_its_last = image.header.ranks > 1 && image.header.state == event::ProcessState::kDone;
    const bool alive = !options.ended && !said_its_last && IsAlive(image, name);
    if (alive && !options.live) {
      *error = unfinished + ": process " + std::to_string(image.header.pid) +
               " is still running; `epk recover --live` takes a snapshot of it";
      return Recovered::kStillRunning;
    }
    running = running || alive;
    Complete(arenas + "/" + name, options.signal, &image);
    images.push_back(alive ? std::move(image) : LoadedLater(std::move(image), arenas + "/" + name, options.signal));
  }
  if (images.empty()) {
    Archive archive;
    if (!any_file && Open(unfinished, &archive, error)) return Recovered::kAlreadyComplete;
    *error = !first_problem.empty() ? first_problem : unfinished + ": holds nothing to recover";
    return Recovered::kFailed;
  }
  // A job whose processes are on the way: whichever ends last does it.
  if (options.ended && images.size() < images.front().header.ranks) return Recovered::kStillRunning;
  std::stable_sort(images.begin(), images.end(),
                   [](const ProcessImage& a, const ProcessImage& b) { return a.header.rank < b.header.rank; });
  WriteRequest request;
  request.unfinished = unfinished;
  request.parent = ParentOf(unfinished);
  request.hint.recovered = true;
  request.hint.running = running;
  if (running && !MakeSnapshotFolder(request.parent, &request.unfinished, error)) return Recovered::kFailed;
  Group alone(nullptr);
  return WriteArchive(&alone, std::move(images), request, result, error) ? Recovered::kYes : Recovered::kFailed;
}

}  // namespace epik::archive
