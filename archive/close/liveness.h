// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether the process that writes an arena still lives. In a container, the process number of another
// container means nothing, and the host has another name, but both run on the same kernel.
#ifndef EPIK_ARCHIVE_CLOSE_LIVENESS_H_
#define EPIK_ARCHIVE_CLOSE_LIVENESS_H_

#include <map>
#include <set>
#include <string>
#include <utility>

#include "runtime/event/layout.h"

namespace epik::archive {

enum class Lives {
  kNo,
  kYes,
  kCannotTell,  // of a container of this machine
  kElsewhere    // of another machine, and no lock tells more
};

// Tells which processes still write the arenas of one folder. It asks each arena that holds a lock. For all others
// together, it reads the mappings of all processes of this machine once: a machine may have thousands of them.
class Writers {
 public:
  explicit Writers(std::string folder) : folder_(std::move(folder)) {}

  // `arena` is the name of its file in the folder, which a living process maps.
  Lives DoesItLive(const event::ProcessHeader& header, const std::string& arena);

 private:
  bool AnyProcessMaps(const std::string& arena);

  std::string folder_;
  bool looked_ = false;
  std::set<std::string> mapped_;  // names of the arenas that any process maps, when `looked_`
};

// Whether the arena was written on this machine since its last boot.
bool IsOfThisBoot(const event::ProcessHeader& header);

// Tells which processes of this machine write arenas. The kernel's list of locks, which is read once, names the process
// that has locked an arena. Only without that are a process's mappings read: those of an MPI program are many.
class Residents {
 public:
  // Whether the process with the number in the header is of this boot, is visible here, and writes the arena.
  bool AreHere(const event::ProcessHeader& header, const std::string& arena);

 private:
  using File = std::pair<uint64_t, uint64_t>;  // device and inode

  bool looked_ = false;
  std::map<File, uint32_t> owners_;  // of locks, when `looked_`
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_LIVENESS_H_
