// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/recover.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "archive/close/liveness.h"
#include "archive/close/ownership.h"
#include "archive/directory/archive.h"
#include "archive/files/byte_source.h"

namespace epik::archive {
namespace {

std::vector<std::string> ListFolder(int fd) {
  std::vector<std::string> names;
  DIR* entries = fd < 0 ? nullptr : fdopendir(fd);
  if (entries == nullptr) return names;
  while (const dirent* entry = readdir(entries)) names.push_back(entry->d_name);
  closedir(entries);
  std::sort(names.begin(), names.end());
  return names;
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool ReadPart(int fd, char* to, size_t* done, size_t end) {
  while (*done < end) {
    const ssize_t n = pread(fd, to + *done, end - *done, static_cast<off_t>(*done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;  // the file was cut short: the missing part reads as zero
    *done += static_cast<size_t>(n);
  }
  return true;
}

// Reads only data and skips holes. A sparse file of a few bytes may have any size, and memory that is not touched costs
// nothing.
bool ReadWhole(int fd, char* to, size_t size) {
  for (size_t done = 0; done < size;) {
    const off_t data = lseek(fd, static_cast<off_t>(done), SEEK_DATA);
    if (data < 0 && errno == ENXIO) return true;
    if (data > 0) done = std::max(done, static_cast<size_t>(data));
    if (done >= size) return true;
    const off_t hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
    const size_t end = hole < 0 ? size : std::min(size, static_cast<size_t>(hole));
    if (!ReadPart(fd, to, &done, end)) return false;
    if (done < end) return true;
  }
  return true;
}

bool ReadArena(const std::string& folder, const std::string& name, ProcessImage* image, std::string* error) {
  const std::string path = folder + "/" + name;
  const int fd = OpenArena(folder, name, error);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) return false;
  // The file is read, not mapped: a hole in a file on a full tmpfs can be read, but touching it in a mapping raises
  // SIGBUS.
  base::ArenaHeader header{};
  // A hole can make the file as large as it likes: at most this many bytes are taken for the blocks that it has.
  constexpr uint64_t kAnySize = 64u << 20, kMostOfHole = 1024, kBytesOfBlock = 512;
  const uint64_t borne = kAnySize + kMostOfHole * kBytesOfBlock * static_cast<uint64_t>(info.st_blocks);
  auto size = static_cast<size_t>(std::min(static_cast<uint64_t>(info.st_size), borne));
  if (pread(fd, &header, sizeof header, 0) == sizeof header) {
    size = std::min(size, std::max<size_t>(size_t{header.lines_used} * base::kLineBytes, sizeof(event::ProcessHeader)));
  }
  void* bytes = size == 0
                    ? MAP_FAILED
                    : mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const bool have = bytes != MAP_FAILED && ReadWhole(fd, static_cast<char*>(bytes), size);
  close(fd);
  const bool read = have && ReadProcessImage(static_cast<const char*>(bytes), size, image, error);
  const bool traced = std::any_of(image->locations.begin(), image->locations.end(),
                                  [](const LocationImage& location) { return !location.trace.empty(); });
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

std::string OwnHost() {
  char host[sizeof(event::ProcessHeader::host)] = "";
  gethostname(host, sizeof host - 1);
  return host;
}

// Whether the arena belongs to a process of a job that is still running, as far as this process can tell.
bool IsOthers(const ProcessImage& image, const std::string& arena, Writers* writers) {
  if (image.header.ranks < 2 || image.header.state == event::ProcessState::kDone) return false;
  return OwnHost() != std::string(image.header.host) || writers->DoesItLive(image.header, arena) != Lives::kNo;
}

std::string WhyNot(const event::ProcessHeader& header, Lives lives) {
  const std::string process = "process " + std::to_string(header.pid);
  const std::string host = header.host;
  if (lives == Lives::kElsewhere) {
    return process + " ran on host " + host + ", and this host cannot see whether it still does; recover it on " +
           host + ", or here with `--dead` if its job has ended; `--live` takes a snapshot";
  }
  const std::string where = host == OwnHost() ? "" : " on " + host;
  if (lives == Lives::kYes) {
    return process + " is still running" + where + "; `epk recover --live` takes a snapshot of it";
  }
  return "cannot tell whether " + process + " of " + host +
         " lives, which is in another container; `--live` takes a snapshot, `--dead` makes an archive";
}

// The caller may know it, or the process may have said its last word.
Lives DoesItLive(const event::ProcessHeader& header, const std::string& arena, const RecoverOptions& options,
                 Writers* writers) {
  const bool said_its_last = header.ranks > 1 && header.state == event::ProcessState::kDone;
  if (options.ended || options.dead || said_its_last) return Lives::kNo;
  const Lives lives = writers->DoesItLive(header, arena);
  return lives == Lives::kElsewhere && options.dead_elsewhere ? Lives::kNo : lives;
}

// The arena HOST.PID.arena may be in a folder of another machine, to which a link leads. Returns why that machine
// should recover it; nothing, if the caller wants what is here.
std::string WhyElsewhere(const std::string& arenas, const std::string& name, const RecoverOptions& options) {
  if (options.ended || options.dead || options.dead_elsewhere || options.live) return "";
  const std::string target = TargetThatIsNotHere(arenas, name);
  if (target.empty()) return "";
  const std::string stem = name.substr(0, name.size() - std::strlen(".arena"));
  const std::string host = stem.substr(0, std::min(stem.rfind('.'), stem.size()));
  if (host == OwnHost()) return "";
  return "the measurement of a process of host " + host + " is in " + target + " there; recover it on " + host +
         ", or all others here with `--dead` if the job has ended";
}

// One recovery of a folder at a time.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) : path_(folder), fd_(OpenFolder(folder)) {
    if (fd_ >= 0) flock(fd_, LOCK_EX);
  }
  ~FolderLock() {
    if (fd_ >= 0) close(fd_);
  }
  bool IsGone() const {
    struct stat here, locked;
    if (fd_ < 0 && stat(path_.c_str(), &here) != 0 && errno == ENOENT) return true;
    if (fd_ < 0 || fstat(fd_, &locked) != 0) return false;
    return stat(path_.c_str(), &here) != 0 || here.st_ino != locked.st_ino;
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::string path_;
  int fd_;
};

// Adds facts that the arena does not hold: the trace file and, when the caller knows it, the signal.
void Complete(const std::string& path, int signal, ProcessImage* image) {
  image->trace_file = path.substr(0, path.size() - std::strlen(".arena")) + ".elg";
  if (signal == 0 || image->header.ending != event::Ending::kNone) return;
  image->header.ending = event::Ending::kSignal;
  image->header.ending_value = signal;
}

// The process does not write any more, so its arena can be read later: only one arena of a job is in memory at a time.
ProcessImage LoadedLater(ProcessImage image, const std::string& folder, const std::string& name, int signal) {
  ProcessImage later;
  later.header = image.header;
  later.load = [folder, name, signal](ProcessImage* whole) {
    std::string ignored;
    ProcessImage read;
    if (!ReadArena(folder, name, &read, &ignored)) return false;
    *whole = std::move(read);
    Complete(folder + "/" + name, signal, whole);
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

// Returns false, and leaves all as it was, when the folder has any content except an empty folder for arenas, and
// one of scopes, which is gone then.
bool RemoveIfEmpty(const std::string& unfinished) {
  const std::string arenas = unfinished + "/" + kArenasName;
  RemoveScopes(unfinished);
  if (rmdir(arenas.c_str()) != 0 && errno != ENOENT) return false;
  if (rmdir(unfinished.c_str()) == 0) return true;
  mkdir(arenas.c_str(), 0777);
  return false;
}

// Removes files that killed processes were writing. No other process writes here while the folder is locked.
void RemoveTemporary(const std::string& unfinished) {
  const int at = OpenFolder(unfinished);
  for (const std::string& name : ListFolder(OpenFolder(unfinished))) {
    if (EndsWith(name, ".tmp")) unlinkat(at, name.c_str(), 0);
  }
  if (at >= 0) close(at);
}

// Takes the kernel's account of the threads' CPU time, because the process's own readings may be old
// (runtime/episode/effort.h).
void ReadCpuTimes(ProcessImage* image) {
  const std::string tasks = "/proc/" + std::to_string(image->header.pid) + "/task/";
  for (LocationImage& location : image->locations) {
    event::Location& header = location.header;
    std::string text;
    const bool is_there = header.state == event::LocationState::kRunning &&
                          ReadStream(tasks + std::to_string(header.thread_id) + "/schedstat", &text);
    const uint64_t taken = is_there ? std::strtoull(text.c_str(), nullptr, 10) : 0;
    if (taken == 0) continue;
    header.cpu_ns = header.cpu_before_ns + taken;
    header.cpu_read_at = image->LastTicks();
  }
}

Recovered Refuse(const std::string& why, std::string* error) {
  *error = why;
  return Recovered::kStillRunning;
}

}  // namespace

std::vector<std::string> FindUnfinished(const std::string& folder, int pid) {
  std::vector<std::string> found;
  const std::string of_pid = "." + std::to_string(pid);
  for (const std::string& name : ListFolder(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))) {
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
  // When the program itself is ending, this process already has its rights.
  const AsOwner owner(unfinished, options.theirs || options.ended);
  if (!owner.allowed()) {
    *error = owner.why();
    return Recovered::kFailed;
  }
  const FolderLock lock(unfinished);
  // Another process recovered it meanwhile, so it has its final name now.
  if (lock.IsGone()) return Recovered::kAlreadyComplete;
  const std::string arenas = unfinished + "/" + kArenasName;
  Writers writers(arenas);
  Residents residents;
  std::vector<ProcessImage> images;
  bool running = false, any_file = false;
  std::string first_problem;
  std::vector<std::string> damaged;
  for (const std::string& name : ListFolder(OpenFolder(arenas))) {
    if (!EndsWith(name, ".arena")) continue;
    any_file = true;
    ProcessImage image;
    std::string problem;
    if (!ReadArena(arenas, name, &image, &problem)) {
      if (const std::string why = WhyElsewhere(arenas, name, options); !why.empty())
        return Refuse(unfinished + ": " + why, error);
      if (first_problem.empty()) first_problem = problem;
      damaged.push_back(name);
      continue;
    }
    if (options.ended && IsOthers(image, name, &writers)) return Recovered::kStillRunning;
    const Lives lives = DoesItLive(image.header, name, options, &writers);
    const bool alive = lives != Lives::kNo;
    if (alive && !options.live) return Refuse(unfinished + ": " + WhyNot(image.header, lives), error);
    running = running || alive;
    if (!alive && image.skipped > 0) damaged.push_back(name);
    Complete(arenas + "/" + name, options.signal, &image);
    if (alive && residents.AreHere(image.header, name)) ReadCpuTimes(&image);
    images.push_back(alive ? std::move(image) : LoadedLater(std::move(image), arenas, name, options.signal));
  }
  if (images.empty()) {
    Archive archive;
    if (!any_file && Open(unfinished, &archive, error)) return Recovered::kAlreadyComplete;
    // The program was killed before its first event, or its last process has removed all files.
    if (!any_file && RemoveIfEmpty(unfinished)) return Recovered::kNothing;
    *error = !first_problem.empty() ? first_problem : unfinished + ": holds nothing to recover";
    return Recovered::kFailed;
  }
  // The processes of a job are ending: the last one of them recovers it.
  if (options.ended && images.size() < images.front().header.ranks) return Recovered::kStillRunning;
  std::stable_sort(images.begin(), images.end(),
                   [](const ProcessImage& a, const ProcessImage& b) { return a.header.rank < b.header.rank; });
  if (!running) RemoveTemporary(unfinished);
  WriteRequest request;
  request.unfinished = unfinished;
  request.parent = ParentOf(unfinished);
  request.hint.recovered = true;
  request.hint.running = running;
  if (running && !MakeSnapshotFolder(request.parent, &request.unfinished, error)) return Recovered::kFailed;
  if (!running) request.damaged = damaged;
  Group alone(nullptr);
  if (!WriteArchive(&alone, std::move(images), request, result, error)) return Recovered::kFailed;
  if (!result->path.empty()) return Recovered::kYes;
  if (request.damaged.empty()) return Recovered::kNothing;
  *error = unfinished + ": no call could be read, because " + kArenasName + "/" + damaged.front() +
           " is damaged; all is kept";
  return Recovered::kFailed;
}

}  // namespace epik::archive
