// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/archives_here.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "archive/directory/archive.h"
#include "tools/epk/command.h"
#include "view/text.h"

namespace epik::epk {

std::string NewestArchive(const std::function<bool(const std::string& path)>& wanted) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::file_time_type newest;
  std::string found;
  for (const fs::directory_entry& entry : fs::directory_iterator(".", ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("epik_") || !entry.is_directory(ignored) || !wanted(name)) continue;
    const fs::file_time_type time = entry.last_write_time(ignored);
    if (!found.empty() && time <= newest) continue;
    found = name;
    newest = time;
  }
  return found;
}

std::string NamedOrNewest(const std::string& named, const char* command) {
  if (!named.empty()) return named;
  const std::string newest =
      NewestArchive([](const std::string& name) { return !name.ends_with(archive::kUnfinishedSuffix); });
  if (newest.empty()) {
    const std::string running =
        NewestArchive([](const std::string& name) { return name.ends_with(archive::kUnfinishedSuffix); });
    throw Fault(running.empty() ? "no archive named, and no epik_* directory here"
                                : "no archive named, and " + archive::NotFinished(view::Printable(running)));
  }
  fprintf(stderr, "epk %s: reading %s, the newest here\n", command, view::Printable(newest).c_str());
  return newest;
}

}  // namespace epik::epk
