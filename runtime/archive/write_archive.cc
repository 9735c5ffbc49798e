// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/archive/write_archive.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/archive/archive.h"
#include "runtime/archive/atomic_file.h"
#include "runtime/archive/cubex_writer.h"
#include "runtime/archive/digest.h"

namespace epik::archive {
namespace {

std::string TitleOf(const std::vector<epitome::ProcessImage>& images, const Manifest& manifest) {
  if (!images.front().title.empty()) return images.front().title;
  return manifest.program + "_" + std::to_string(manifest.ranks) + "x" + std::to_string(manifest.threads) + "_sum";
}

}  // namespace

void RemoveArenas(const std::string& archive) {
  const std::string folder = archive + "/arenas";
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string path = folder + "/" + name;
    char target[PATH_MAX];
    const ssize_t n = readlink(path.c_str(), target, sizeof target - 1);
    // A link leads to the arena in EPK_LDIR; follow it only to a file that is named like one of ours.
    if (n > 0) {
      target[n] = '\0';
      const std::string arena = target;
      if (arena.size() >= name.size() && arena.compare(arena.size() - name.size(), name.size(), name) == 0) {
        unlink(target);
      }
    }
    unlink(path.c_str());
  }
  closedir(entries);
  rmdir(folder.c_str());
}

bool WriteArchive(const std::vector<epitome::ProcessImage>& images, const WriteRequest& request, WriteResult* result,
                  std::string* error) {
  epitome::Profile profile;
  Manifest manifest;
  BuildProfile(images, request.hint, &profile, &manifest);
  const std::string& folder = request.unfinished;
  if (!WriteCubex(folder + "/summary.cubex", profile, {}, error)) return false;
  if (!WriteFileAtomically(folder + "/epik.conf", images.front().configuration, error)) return false;
  if (!WriteFileAtomically(folder + "/manifest.json", manifest.ToJson(), error)) return false;
  if (!request.keep_arenas) RemoveArenas(folder);
  const std::string title = TitleOf(images, manifest) + (request.hint.running ? "_snapshot" : "");
  if (!PublishDirectory(folder, request.parent, title, &result->path, error)) return false;
  result->digest = Digest(result->path, profile, manifest);
  return true;
}

}  // namespace epik::archive
