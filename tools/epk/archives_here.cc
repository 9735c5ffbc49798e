// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/archives_here.h"

#include <filesystem>
#include <system_error>

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

}  // namespace epik::epk
