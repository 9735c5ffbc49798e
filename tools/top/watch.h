// SPDX-License-Identifier: BSD-3-Clause
// Watches a running program, of one process or a whole job, until its last process has ended.
#ifndef EPIK_TOOLS_TOP_WATCH_H_
#define EPIK_TOOLS_TOP_WATCH_H_

#include <memory>
#include <string>
#include <vector>

#include "tools/top/arena_file.h"
#include "tools/top/names.h"
#include "tools/top/picture.h"
#include "tools/top/proc.h"
#include "tools/top/sampler.h"
#include "tools/top/target.h"

namespace epik::top {

class Watch {
 public:
  // Null: *error says what is wrong. word: as FindTargets takes it.
  static std::unique_ptr<Watch> Open(const std::string& word, std::string* error);

  // The changes since the last picture. False: *error says which arena cannot be read.
  bool Take(Picture* picture, std::string* error);

  bool HasEnded() const;

  // The command to type when the program has ended. The archive gets its name a moment later.
  std::string Afterwards() const;

  const std::string& Program() const { return program_; }

 private:
  struct Process {
    explicit Process(const Target& of) : target(of), handle(of.pid) {}

    Target target;
    ProcessHandle handle;
    std::unique_ptr<ArenaFile> arena;
    Reading reading;
    Sampler sampler;
    Names names;
    int rank = -1;

    bool HasEnded() const;
  };

  explicit Watch(const std::string& unfinished) : folder_(unfinished) {}
  bool Add(const Target& target, std::string* error);
  void AddNewcomers();

  Folder folder_;
  bool whole_job_ = false;  // also watch processes that come later
  std::vector<std::unique_ptr<Process>> processes_;
  std::string program_;
};

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_WATCH_H_
