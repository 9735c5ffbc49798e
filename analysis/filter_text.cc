// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/filter_text.h"

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "archive/files/byte_source.h"
#include "archive/files/special_file.h"

namespace epik::analysis {

namespace fs = std::filesystem;

bool ReadText(const std::string& path, std::string* text, std::string* error) {
  constexpr uint64_t kLargest = 16u << 20;  // as for EPK_FILTER
  return archive::ReadFile(path, kLargest, text, error);
}

bool WriteFilter(const std::string& path, const std::string& text, std::string* error) {
  if (archive::IsSpecialFile(path)) return archive::WriteFileOrDevice(path, text, error);
  std::error_code trouble;
  std::string before;
  // Nobody knows who wrote a file that cannot be read.
  if (fs::exists(path, trouble) && !ReadText(path, &before, error)) return false;
  if (!before.empty() && !before.starts_with(kWrittenByUs)) {
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
