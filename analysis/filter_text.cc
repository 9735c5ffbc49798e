// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/filter_text.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include "archive/files/special_file.h"

namespace epik::analysis {

std::optional<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return std::nullopt;
  return text;
}

bool WriteFilter(const std::string& path, const std::string& text, std::string* error) {
  if (archive::IsSpecialFile(path)) return archive::WriteFileOrDevice(path, text, error);
  const std::optional<std::string> before = ReadText(path);
  if (before && !before->empty() && before->compare(0, std::strlen(kWrittenByUs), kWrittenByUs) != 0) {
    *error = path + " is there already, and was not written by epk: give another name with -o";
    return false;
  }
  return archive::WriteFileOrDevice(path, text, error);
}

bool ReadFilter(const std::string& path, config::Filter* filter, std::vector<std::string>* complaints) {
  const std::optional<std::string> text = ReadText(path);
  if (!text) return false;
  std::vector<config::FilterProblem> problems;
  *filter = config::Filter::Parse(*text, &problems);
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
