// SPDX-License-Identifier: BSD-3-Clause
// How the program used each file: io.csv of an archive (io:: counters).
#ifndef EPIK_REPORT_VIEWS_FILES_H_
#define EPIK_REPORT_VIEWS_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace epik::report {

// Sums over ranks and threads.
struct FileFigures {
  std::string path;
  uint64_t ranks = 0, calls = 0, bytes_read = 0, bytes_written = 0;
  double read_s = 0, write_s = 0, sync_s = 0, open_close_s = 0;
};

// Reads a line for each rank and file. Returns the file with most time first. The error names the line.
bool ParseFiles(const std::string& text, std::vector<FileFigures>* files, std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_FILES_H_
