// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/workplace.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/base/arena.h"
#include "runtime/base/file_limit_ignored.h"
#include "runtime/base/log.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/file_system.h"
#include "runtime/event/layout.h"

namespace epik::episode {
namespace {

constexpr char kMemoryFolder[] = "/dev/shm";
constexpr uint64_t kSmallestFile = 64u << 10;

struct Workplace {
  char stem[4096] = "";  // of the names of this program's archives
  char unfinished[4096] = "";
  char folder[4096] = "";
  char arena_name[128] = "";  // name of the arena or of the link to it in the unfinished archive
  char trace_file[4352] = "";
  char arena_elsewhere[4096] = "";  // path of the arena if it is outside of the unfinished archive
  bool in_file = false;
};
constinit Workplace place;

// With any umask of the program, the owner can work in our folders.
bool MakeFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) != 0) return false;
  struct stat made;
  if (stat(path.c_str(), &made) == 0 && (made.st_mode & 0700) != 0700) {
    chmod(path.c_str(), (made.st_mode & 0777) | 0700);
  }
  return true;
}

// A program's name may hold any character but '/'; users must be able to type a title at a prompt.
std::string FileNameOf(const std::string& name) {
  std::string clean;
  for (char c : name) clean += (c > ' ' && c != '/' && c != 127) ? c : '_';
  constexpr size_t kLongest = 100;  // argv[0] may be anything; names of files may not
  if (clean.size() > kLongest) clean.resize(kLongest);
  return clean.empty() ? "program" : clean;
}

bool MakeUnfinished(const Options& options) {
  const std::string& name =
      options.settings.title.empty() ? std::string(program_invocation_short_name) : options.settings.title;
  const std::string program = options.archive_folder + "/epik_" + FileNameOf(name) + ".";
  if (program.size() < sizeof place.stem) std::strcpy(place.stem, program.c_str());
  const std::string stem = program + std::to_string(getpid());
  // Another host may have had the same process number in this folder.
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string path = stem + (attempt == 0 ? "" : "-" + std::to_string(attempt)) + ".unfinished";
    if (path.size() + 64 > sizeof place.unfinished) {
      errno = ENAMETOOLONG;
      return false;
    }
    if (MakeFolder(path)) {
      std::strcpy(place.unfinished, path.c_str());
      if (MakeFolder(path + "/arenas")) return true;
      const int error = errno;
      rmdir(path.c_str());
      place.unfinished[0] = '\0';
      errno = error;
      return false;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

void NameTraceFile() {
  const size_t stem = std::strlen(place.arena_name) - std::strlen(".arena");
  std::snprintf(place.trace_file, sizeof place.trace_file, "%s/arenas/%.*s.elg", place.unfinished,
                static_cast<int>(stem), place.arena_name);
}

// A remote file system would ask its server for the lock, which may not answer.
int CreateArena(const std::string& path, const std::string& folder, uint64_t bytes) {
  bool locked = false;
  const int error = base::Arena::Create(path.c_str(), bytes, RemoteFileSystemOf(folder.c_str()) ? nullptr : &locked);
  if (error == 0 && locked) event::Process()->locked = event::kArenaIsLocked;
  return error;
}

int MapArenaAs(const std::string& name, const std::string& where, uint64_t bytes) {
  const std::string inside = std::string(place.unfinished) + "/arenas/" + name;
  std::snprintf(place.arena_name, sizeof place.arena_name, "%s", name.c_str());
  NameTraceFile();
  if (where.empty()) return CreateArena(inside, place.unfinished, bytes);
  const std::string elsewhere = where + "/epik." + name;
  // Makes the link first: an arena that nobody could find would stay for ever.
  if (symlink(elsewhere.c_str(), inside.c_str()) != 0) return errno;
  const int error = CreateArena(elsewhere, where, bytes);
  if (error != 0) unlink(inside.c_str());
  if (error == 0) std::snprintf(place.arena_elsewhere, sizeof place.arena_elsewhere, "%s", elsewhere.c_str());
  return error;
}

// The arena's file, and a link to it in the archive so that `epk recover` finds it there.
int MapArena(const std::string& where, uint64_t bytes) {
  if (getenv("EPK_INTERNAL_NO_FILE") != nullptr) return EOPNOTSUPP;  // for benchmarks: memory without a file
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  const std::string stem = FileNameOf(host) + "." + std::to_string(getpid());
  // A killed process that had this number may have left its arena.
  int error = EEXIST;
  for (int attempt = 0; attempt < 100 && error == EEXIST; ++attempt) {
    error = MapArenaAs(stem + (attempt == 0 ? "" : "-" + std::to_string(attempt)) + ".arena", where, bytes);
  }
  return error;
}

// If another machine or process keeps the archive's folder, an arena beside it would wait for them. So the arena is in
// memory instead, unless the user has named a folder.
bool MappedAwayFromRemote(const Options& options) {
  if (!options.arena_folder.empty()) return false;
  const char* remote = RemoteFileSystemOf(place.unfinished);
  if (remote == nullptr || MapArena(kMemoryFolder, options.memory_bytes) != 0) return false;
  if (options.verbose >= 1)
    base::Say("%s is on %s: the measurement is kept in %s", place.unfinished, remote, kMemoryFolder);
  return true;
}

// True: files may be so small that neither an arena nor an archive fits, and a message has said so.
bool SaidThatFilesAreSmall() {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= kSmallestFile) return false;
  base::Say("no file of this program may have more than %lu bytes (ulimit -f): there will be no archive",
            static_cast<unsigned long>(limit.rlim_cur));
  return true;
}

}  // namespace

bool OpenWorkplace(const Options& options) {
  std::snprintf(place.folder, sizeof place.folder, "%s", options.archive_folder.c_str());
  if (!MakeUnfinished(options)) {
    base::Say("EPK_GDIR=%s: cannot write an archive there (%s); measurement off, the program continues", place.folder,
              std::strerror(errno));
    TellRunner("off", place.folder);
    return false;
  }
  place.in_file = true;
  if (MappedAwayFromRemote(options)) return true;
  int error = MapArena(options.arena_folder, options.memory_bytes);
  if (error == 0) return true;
  const std::string wanted = options.arena_folder.empty() ? place.unfinished : "EPK_LDIR=" + options.arena_folder;
  const char* first = wanted.c_str();
  if (MapArena(kMemoryFolder, options.memory_bytes) == 0) {
    base::Say("%s: cannot hold the measurement (%s); using %s", first, std::strerror(error), kMemoryFolder);
    return true;
  }
  place.in_file = false;
  const int anonymous_error = base::Arena::Create(nullptr, options.memory_bytes);
  if (anonymous_error == 0 && SaidThatFilesAreSmall()) return true;
  if (anonymous_error == 0) {
    base::Say("%s: cannot hold the measurement (%s); using memory: nothing is left if the program is killed", first,
              std::strerror(error));
    Note("the measurement was held in memory: a killed run would have left nothing");
    return true;
  }
  base::Say("no memory for the measurement (%s); measurement off, the program continues",
            std::strerror(anonymous_error));
  RemoveWorkplace();
  return false;
}

void RemoveWorkplace() {
  RemoveArena();
  place.arena_elsewhere[0] = '\0';
  const std::string arenas = std::string(place.unfinished) + "/arenas";
  unlink((arenas + "/" + place.arena_name).c_str());
  rmdir(arenas.c_str());
  rmdir(place.unfinished);
  place.unfinished[0] = '\0';
}

void MoveTo(const std::string& archive) {
  const std::string mine = place.unfinished;
  if (!place.in_file || archive.size() >= sizeof place.unfinished || archive == mine) return;
  const std::string from = mine + "/arenas/" + place.arena_name;
  const std::string to = archive + "/arenas/" + place.arena_name;
  if (rename(from.c_str(), to.c_str()) != 0) return;  // another node, which does not share this folder
  const std::string trace = place.trace_file;
  std::strcpy(place.unfinished, archive.c_str());
  NameTraceFile();
  rename(trace.c_str(), place.trace_file);  // it has none yet, most of the time
  rmdir((mine + "/arenas").c_str());
  rmdir(mine.c_str());
}

namespace {

// Whether the user of this process has made the folder, and not long ago. Otherwise another job has left it.
bool IsOfThisJob(const std::string& folder) {
  constexpr time_t kMostSeconds = 600;
  struct stat found;
  if (lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != geteuid()) return false;
  return found.st_mtime > time(nullptr) - kMostSeconds;
}

}  // namespace

void MoveToJob(const std::string& job) {
  const std::string path = place.stem + job + ".unfinished";
  if (!place.in_file || place.stem[0] == '\0' || path.size() + 64 > sizeof place.unfinished) return;
  if (!MakeFolder(path) && (errno != EEXIST || !IsOfThisJob(path))) return;
  if (!MakeFolder(path + "/arenas") && (errno != EEXIST || !IsOfThisJob(path + "/arenas"))) return;
  MoveTo(path);
  TellRunner("start", UnfinishedArchive());
}

void MoveToOwn() {
  const std::string path = place.stem + std::to_string(getpid()) + ".unfinished";
  if (!place.in_file || place.stem[0] == '\0' || path.size() + 64 > sizeof place.unfinished) return;
  if (path == place.unfinished || !MakeFolder(path)) return;
  if (MakeFolder(path + "/arenas")) MoveTo(path);
  if (path != place.unfinished) {
    rmdir((path + "/arenas").c_str());
    rmdir(path.c_str());
    return;
  }
  TellRunner("start", UnfinishedArchive());
}

namespace {

// The name in the unfinished archive, of the file itself or of a link to it. The name of a file elsewhere contains the
// archive's name, which is the same in all processes of the job.
std::string SharedName(const std::string& name) {
  if (place.arena_elsewhere[0] == '\0') return name;
  const std::string archive = place.unfinished;
  return archive.substr(archive.rfind('/') + 1) + "." + name;
}

std::string SharedPath(const std::string& name) {
  const std::string elsewhere = place.arena_elsewhere;
  if (elsewhere.empty()) return std::string(place.unfinished) + "/arenas/" + name;
  return elsewhere.substr(0, elsewhere.rfind('/')) + "/epik." + name;
}

}  // namespace

std::string SharedFile(const std::string& name) {
  if (!place.in_file) return "";
  const std::string shared = SharedName(name), path = SharedPath(shared);
  const std::string link = std::string(place.unfinished) + "/arenas/" + shared;
  if (path != link && symlink(path.c_str(), link.c_str()) != 0 && errno != EEXIST) return "";
  return path;
}

void RemoveSharedFile(const std::string& name) {
  const std::string shared = SharedName(name);
  unlink(SharedPath(shared).c_str());
  unlink((std::string(place.unfinished) + "/arenas/" + shared).c_str());
}

void RemoveArena() {
  if (place.arena_elsewhere[0] != '\0') unlink(place.arena_elsewhere);
}

const char* TraceFile() { return place.trace_file; }
const char* UnfinishedArchive() { return place.unfinished; }
bool UnfinishedIsRecoverable() { return place.in_file; }
const char* ArchiveFolder() { return place.folder; }

bool TellRunner(const char* what, const char* text) {
  const char* where = getenv("EPK_INTERNAL_RUN");
  if (where == nullptr) return false;
  const int fd = open(where, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0) return false;
  char line[4200];
  const int n = std::snprintf(line, sizeof line, "%s %d %s\n", what, static_cast<int>(getpid()), text);
  const base::FileLimitIgnored ignored;
  const bool written = write(fd, line, static_cast<size_t>(n)) == n;
  close(fd);
  return written;
}

}  // namespace epik::episode
