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

namespace {

std::string Tell(const std::string& newest, const char* command) {
  fprintf(stderr, "epk %s: reading %s, the newest here\n", command, view::Printable(newest).c_str());
  return newest;
}

bool IsFinished(const std::string& name) { return !name.ends_with(archive::kUnfinishedSuffix); }

}  // namespace

std::string NamedOrNewest(const std::string& named, const char* command) {
  if (!named.empty()) return named;
  const std::string newest = NewestArchive(IsFinished);
  if (newest.empty()) {
    const std::string running = NewestArchive([](const std::string& name) { return !IsFinished(name); });
    throw Fault(running.empty() ? "no archive named, and no epik_* directory here"
                                : "no archive named, and " + archive::NotFinished(view::Printable(running)));
  }
  return Tell(newest, command);
}

std::string NamedOrNewestMeasured(const std::string& named, const char* command, bool traced) {
  if (!named.empty()) return named;
  const std::string newest = NewestArchive([traced](const std::string& name) {
    archive::Archive archive;
    std::string ignored;
    return IsFinished(name) && archive::Open(name, &archive, &ignored) && !archive.manifest.approximation.there &&
           (archive.manifest.trace.there || !traced);
  });
  if (newest.empty()) {
    throw Fault(std::string("no archive named, and no epik_* directory ") + (traced ? "with a trace " : "") + "here");
  }
  return Tell(newest, command);
}

}  // namespace epik::epk
