// SPDX-License-Identifier: BSD-3-Clause
#include "report/trace/sorted_lines.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace epik::report {

void SortedLines::Add(int64_t time, std::string line) {
  bytes_ += line.size() + sizeof(Line);
  lines_.emplace_back(time, std::move(line));
  if (bytes_ >= most_bytes_) Spill();
}

void SortedLines::Sort() {
  std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.first < b.first; });
}

void SortedLines::Spill() {
  Sort();
  File file(std::tmpfile());
  good_ = good_ && file != nullptr;
  if (!good_) return;
  for (const auto& [time, line] : lines_) {
    const auto size = static_cast<uint32_t>(line.size());
    good_ = good_ && fwrite(&time, sizeof time, 1, file.get()) == 1 && fwrite(&size, sizeof size, 1, file.get()) == 1 &&
            fwrite(line.data(), 1, size, file.get()) == size;
  }
  good_ = good_ && fflush(file.get()) == 0 && fseek(file.get(), 0, SEEK_SET) == 0;
  files_.push_back(std::move(file));
  lines_.clear();
  bytes_ = 0;
}

bool SortedLines::Read(FILE* file, Line* line) {
  uint32_t size = 0;
  if (fread(&line->first, sizeof line->first, 1, file) != 1 || fread(&size, sizeof size, 1, file) != 1) return false;
  line->second.resize(size);
  return fread(line->second.data(), 1, size, file) == size;
}

bool SortedLines::Write(const Sink& sink) {
  Sort();
  Buffer out(sink);
  // Time and file; the lines that are still in memory are the newest.
  using Turn = std::pair<int64_t, size_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  std::vector<Line> heads(files_.size());
  for (size_t f = 0; f < files_.size(); ++f) {
    if (Read(files_[f].get(), &heads[f])) turns.emplace(heads[f].first, f);
  }
  size_t next = 0;
  if (!lines_.empty()) turns.emplace(lines_[0].first, files_.size());
  while (!turns.empty()) {
    const size_t from = turns.top().second;
    turns.pop();
    if (from == files_.size()) {
      out << lines_[next++].second;
      if (next < lines_.size()) turns.emplace(lines_[next].first, from);
      continue;
    }
    out << heads[from].second;
    if (Read(files_[from].get(), &heads[from])) turns.emplace(heads[from].first, from);
  }
  for (const File& file : files_) good_ = good_ && ferror(file.get()) == 0;
  return good_;
}

}  // namespace epik::report
