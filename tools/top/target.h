// SPDX-License-Identifier: BSD-3-Clause
// Which running process is meant, and where its arena is.
#ifndef EPIK_TOOLS_TOP_TARGET_H_
#define EPIK_TOOLS_TOP_TARGET_H_

#include <string>

namespace epik::top {

struct Target {
  int pid = 0;
  std::string arena;       // the file
  std::string unfinished;  // the folder of the archive that will be; empty when it is not known
};

// word: a process number, an unfinished archive, or empty for the only measured program here. False: *error says what
// to do.
bool FindTarget(const std::string& word, Target* target, std::string* error);

// A folder that is found again after it was renamed.
class Folder {
 public:
  explicit Folder(const std::string& path);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string Name() const;  // as it is called now; empty when it is gone or never was

 private:
  int fd_;
};

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_TARGET_H_
