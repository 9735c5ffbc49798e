// SPDX-License-Identifier: BSD-3-Clause
// Sorts lines by their times, in whatever order they come. If they do not fit into memory, they wait in a file without
// a name.
#ifndef EPIK_REPORT_TRACE_SORTED_LINES_H_
#define EPIK_REPORT_TRACE_SORTED_LINES_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report/sink.h"

namespace epik::report {

class SortedLines {
 public:
  explicit SortedLines(size_t most_bytes = size_t{64} << 20) : most_bytes_(most_bytes) {}

  void Add(int64_t time, std::string line);
  // Writes all lines that were added; lines with equal times keep their order. Returns false when a file could not be
  // written or read.
  bool Write(const Sink& sink);

 private:
  struct CloseFile {
    void operator()(FILE* file) const { fclose(file); }
  };
  using File = std::unique_ptr<FILE, CloseFile>;
  using Line = std::pair<int64_t, std::string>;

  void Sort();
  void Spill();
  static bool Read(FILE* file, Line* line);

  size_t most_bytes_, bytes_ = 0;
  std::vector<Line> lines_;
  std::vector<File> files_;
  bool good_ = true;
};

}  // namespace epik::report

#endif  // EPIK_REPORT_TRACE_SORTED_LINES_H_
