// SPDX-License-Identifier: BSD-3-Clause
// Finds the running processes that the user means, and their arenas.
#ifndef EPIK_TOOLS_TOP_TARGET_H_
#define EPIK_TOOLS_TOP_TARGET_H_

#include <functional>
#include <string>
#include <vector>

namespace epik::top {

struct Target {
  int pid = 0;
  std::string arena;       // the file
  std::string unfinished;  // the folder of the unfinished archive; empty when it is not known
};

// word: a process number, an unfinished archive (all processes of its job), or empty for the only measured program
// here. False: *error says what to do.
bool FindTargets(const std::string& word, std::vector<Target>* targets, std::string* error);

// The processes that write to an unfinished archive and run here, without those that the caller knows.
using KnowsProcess = std::function<bool(int pid)>;
std::vector<Target> RunningIn(const std::string& unfinished, const KnowsProcess& knows = nullptr);

// The unfinished archive that a process of this host writes to after it has left the archive `before`, as all processes
// of an MPI job but one do in MPI_Init; empty: it is not found.
std::string FolderNow(int pid, const std::string& before);

// A folder that is found again after it was renamed.
class Folder {
 public:
  explicit Folder(const std::string& path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string Name() const;  // its present name; empty when it is gone or never existed
  // From now on, this object is another folder. Other threads may ask for its name meanwhile, if it was there before.
  void Set(const std::string& path);

 private:
  int fd_;
};

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_TARGET_H_
