// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "report/views/views.h"
#include "view/number.h"
#include "view/prose.h"

namespace epik::report {
namespace {

constexpr size_t kDefaultFiles = 30;
// files_table.cc writes this heading. A file with another heading has another format.
constexpr std::string_view kFilesHeader =
    "rank,reads,writes,syncs,opens_closes,read_s,write_s,sync_s,open_close_s,bytes_read,bytes_written,file";
constexpr size_t kNumbers = 11;

bool ParseFile(std::string_view line, FileFigures* file) {
  std::array<double, kNumbers> numbers = {};
  const char* at = line.data();
  const char* const end = at + line.size();
  for (double& number : numbers) {
    const auto [next, failed] = std::from_chars(at, end, number);
    // The comparison refuses NaN, too. The limit keeps the conversion to uint64_t defined.
    if (failed != std::errc() || next == end || *next != ',' || !(number >= 0) || number > 1e18) return false;
    at = next + 1;
  }
  // The name comes last, because it may contain commas. A quote within it is doubled; a single one is damage.
  if (end - at < 2 || *at != '"' || end[-1] != '"') return false;
  for (const char* c = at + 1; c < end - 1; ++c) {
    file->path += *c;
    if (*c == '"' && (++c == end - 1 || *c != '"')) return false;
  }
  for (size_t i = 1; i <= 4; ++i) file->calls += static_cast<uint64_t>(numbers[i]);
  file->read_s = numbers[5];
  file->write_s = numbers[6];
  file->sync_s = numbers[7];
  file->open_close_s = numbers[8];
  file->bytes_read = static_cast<uint64_t>(numbers[9]);
  file->bytes_written = static_cast<uint64_t>(numbers[10]);
  return true;
}

SheetCell Rate(uint64_t bytes, double seconds) {
  // The cell stays empty, because a rate of 0 would look like a slow file.
  if (bytes == 0 || seconds <= 0) return {};
  return static_cast<uint64_t>(static_cast<double>(bytes) / seconds);
}

double TimeOf(const FileFigures& file) { return file.read_s + file.write_s + file.sync_s + file.open_close_s; }

// The time to write a file: data is in the file after it was synchronized and closed.
double TimeToWrite(const FileFigures& file) { return file.write_s + file.sync_s + file.open_close_s; }

Sheet FilesSheet(const std::vector<FileFigures>& files) {
  Sheet sheet{"files",
              {{"calls", "calls", Unit::kCount, 1},
               {"time_s", "time", Unit::kSeconds},
               {"sync_s", "sync", Unit::kSeconds, 2},
               {"open_close_s", "open+close", Unit::kSeconds, 3},
               {"bytes_read", "read", Unit::kBytes},
               {"read_bytes_per_s", "read/s", Unit::kBytes},
               {"bytes_written", "written", Unit::kBytes},
               {"written_bytes_per_s", "written/s", Unit::kBytes},
               {"ranks", "", Unit::kCount},
               {"file", "file", Unit::kText}},
              {}};
  for (const FileFigures& file : files) {
    sheet.rows.push_back({file.calls, TimeOf(file), file.sync_s, file.open_close_s, file.bytes_read,
                          Rate(file.bytes_read, file.read_s), file.bytes_written,
                          Rate(file.bytes_written, TimeToWrite(file)), file.ranks, file.path});
  }
  return sheet;
}

}  // namespace

bool ParseFiles(const std::string& text, std::vector<FileFigures>* files, std::string* error) {
  std::map<std::string, FileFigures> by_path;
  size_t number = 0;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    at = end + 1;
    if (number == 0 ? line == kFilesHeader : line.empty()) continue;
    FileFigures file;
    if (number == 0 || !ParseFile(line, &file)) {
      *error = "line " + std::to_string(number + 1) + " is " +
               (number == 0 ? "not \"" + std::string(kFilesHeader) + "\"" : std::string("damaged"));
      return false;
    }
    FileFigures& sum = by_path[file.path];
    sum.path = file.path;
    // Each rank has one line for a file.
    ++sum.ranks;
    sum.calls += file.calls;
    sum.read_s += file.read_s;
    sum.write_s += file.write_s;
    sum.sync_s += file.sync_s;
    sum.open_close_s += file.open_close_s;
    sum.bytes_read += file.bytes_read;
    sum.bytes_written += file.bytes_written;
  }
  files->clear();
  for (auto& [path, file] : by_path) files->push_back(std::move(file));
  std::stable_sort(files->begin(), files->end(),
                   [](const FileFigures& a, const FileFigures& b) { return TimeOf(a) > TimeOf(b); });
  return true;
}

bool MakeIo(const Figures&, const ViewOptions& options, ViewData* view, std::string* /*error*/) {
  const std::vector<FileFigures> none;
  const std::vector<FileFigures>& files = options.files != nullptr ? *options.files : none;
  double seconds = 0;
  uint64_t read = 0, written = 0;
  for (const FileFigures& file : files) {
    seconds += TimeOf(file);
    read += file.bytes_read;
    written += file.bytes_written;
  }
  view->sheets = {FilesSheet(files)};
  view->totals = {
      {"files", uint64_t{files.size()}}, {"time_s", seconds}, {"bytes_read", read}, {"bytes_written", written}};
  if (files.empty()) {
    view->text = view::Wrapped(
        "", "No figures of files: run with EPK_METRICS=io::bytes_read:io::bytes_written, or any other of io::.", 0,
        options.terminal.width);
    return true;
  }
  const view::Terminal& terminal = options.terminal;
  view->text = RenderSheet(view->sheets[0], options.TopOr(kDefaultFiles), terminal) +
               terminal.Dim(view::Wrapped(
                   "", "Times are sums over threads. written/s counts the time to open, write, synchronize and close.",
                   0, terminal.width));
  return true;
}

}  // namespace epik::report
