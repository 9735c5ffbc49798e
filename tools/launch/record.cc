// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace epik::launch {
namespace {

// `PID PATH`, or the path alone.
std::string_view PathOf(std::string_view text) {
  const size_t after = text.find_first_not_of("0123456789");
  const bool numbered = after != std::string_view::npos && after > 0 && text[after] == ' ';
  return numbered ? text.substr(after + 1) : text;
}

void AddOnce(std::string_view path, std::vector<std::string>& paths) {
  if (!path.empty() && std::find(paths.begin(), paths.end(), path) == paths.end()) paths.emplace_back(path);
}

}  // namespace

Record ParseRecord(std::string_view text) {
  Record record;
  // A line without its end was being written when the process was killed.
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.substr(0, 5) == "done ") AddOnce(PathOf(line.substr(5)), record.done);
    if (line.substr(0, 6) == "start ") AddOnce(PathOf(line.substr(6)), record.started);
  }
  return record;
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
  const char* folder = std::getenv("TMPDIR");
  std::string path =
      (folder == nullptr || folder[0] == 0 ? std::string("/tmp") : std::string(folder)) + "/epk_run_XXXXXX";
  const int fd = mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return;
  close(fd);
  path_ = path;
}

RecordFile::~RecordFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

Record RecordFile::Read() const {
  std::ifstream file(path_, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return ParseRecord(text.str());
}

}  // namespace epik::launch
