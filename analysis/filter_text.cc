// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/filter_text.h"

#include <cstdint>
#include <cstring>

#include "archive/files/byte_source.h"
#include "archive/files/special_file.h"

namespace epik::analysis {

bool ReadText(const std::string& path, std::string* text, std::string* error) {
  constexpr uint64_t kLargest = 16u << 20;  // as for EPK_FILTER
  return archive::ReadFile(path, kLargest, text, error);
}

bool WriteFilter(const std::string& path, const std::string& text, std::string* error) {
  if (archive::IsSpecialFile(path)) return archive::WriteFileOrDevice(path, text, error);
  std::string before, none;
  if (ReadText(path, &before, &none) && !before.empty() &&
      before.compare(0, std::strlen(kWrittenByUs), kWrittenByUs) != 0) {
    *error = path + " is there already, and was not written by epk: give another name with -o";
    return false;
  }
  return archive::WriteFileOrDevice(path, text, error);
}

bool ReadFilter(const std::string& path, config::Filter* filter, std::vector<std::string>* complaints,
                std::string* error) {
  std::string text;
  if (!ReadText(path, &text, error)) return false;
  std::vector<config::FilterProblem> problems;
  *filter = config::Filter::Parse(text, &problems);
  const std::vector<std::string> lines = config::RenderProblems(path, problems);
  complaints->insert(complaints->end(), lines.begin(), lines.end());
  return true;
}

std::vector<std::string> TellUnused(const std::string& path, const config::Filter& filter,
                                    const std::vector<bool>& used) {
  std::vector<std::string> lines;
  for (const config::FilterRule* rule : filter.Unused(used)) {
    lines.push_back(path + ":" + std::to_string(rule->line) + ": " + rule->Text() + " matched nothing");
  }
  return lines;
}

}  // namespace epik::analysis
