// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/files_table.h"

#include <algorithm>
#include <cstdio>

namespace epik::archive {

namespace {

// Puts the path in quotes, and doubles quotes within it. A line break in a name would end the line.
std::string Quoted(const std::string& path) {
  std::string text = "\"";
  for (const char c : path) {
    const bool breaks = static_cast<unsigned char>(c) < ' ';
    text += breaks ? '?' : c;
    if (c == '"') text += c;
  }
  return text + "\"";
}

}  // namespace

std::string FilesHeading() {
  return "rank,reads,writes,syncs,opens_closes,read_s,write_s,sync_s,open_close_s,bytes_read,bytes_written,file\n";
}

std::string LineOfFile(int32_t rank, const FileDefinition& file) {
  std::string line = std::to_string(std::max(rank, 0));
  for (const uint64_t calls : file.use.calls) line += "," + std::to_string(calls);
  for (const uint64_t ns : file.use.ns) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, ",%.9f", static_cast<double>(ns) * 1e-9);
    line += seconds;
  }
  line += "," + std::to_string(file.use.bytes_read) + "," + std::to_string(file.use.bytes_written) + ",";
  return line + Quoted(file.path) + "\n";
}

}  // namespace epik::archive
