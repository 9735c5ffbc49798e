// SPDX-License-Identifier: BSD-3-Clause
//
// The reports of measured processes to `epk run`. The contract: EPK_INTERNAL_RUN names an existing file. A process
// opens it with O_WRONLY | O_APPEND, never O_CREAT (on another host it does not exist), and writes each line at once:
//
// An `epk run` within another one passes its lines on to it.
//
//   start PID PATH    it measures now, into the unfinished archive at PATH
//   off PID PATH      it has said on stderr that it can make no archive in the folder PATH, and measures nothing
//   done PID PATH     it has published the archive at PATH
//   digest PID FILE   it writes the digest into this file: device and inode, in hexadecimal digits
//   late PID RANK N   after MPI_Finalize it made N calls, which are not measured
#ifndef EPIK_TOOLS_LAUNCH_RECORD_H_
#define EPIK_TOOLS_LAUNCH_RECORD_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epik::launch {

struct Record {
  std::vector<std::string> started;  // each path once, in order
  std::vector<std::string> refused;  // the folders that take no archive
  std::vector<std::string> done;
  std::vector<std::string> digests;                  // the files that they went to
  std::vector<std::pair<int, uint64_t>> late_calls;  // rank and number of calls after MPI_Finalize
};
Record ParseRecord(std::string_view text);

// A file's device and inode, as the record names it. Empty: the descriptor is closed.
std::string NameOfFile(int fd);

// Adds to the record at `to`, if there is one, that the helper of a program that ended early has published its archive,
// and that the digest goes to the helper's standard error.
void TellPublished(const std::string& to, const std::string& archive);

// The archives that were started, not published, and still lie there.
std::vector<std::string> Unfinished(const Record& record, const std::function<bool(const std::string&)>& exists);

// A temporary file, removed at the end. It is in the first of $TMPDIR, /tmp and /dev/shm that takes it.
class RecordFile {
 public:
  RecordFile();
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  const std::string& path() const { return path_; }  // "" when none could be made
  Record Read() const;
  // Adds all lines but those of late calls to the file of another `epk run`, if it is there.
  void PassOn(const std::string& to) const;

 private:
  bool MakeIn(const std::string& folder);
  std::string Text() const;

  std::string path_;
  int fd_ = -1;  // locked as long as we live
};

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_RECORD_H_
