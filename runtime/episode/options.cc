// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/options.h"

#include <unistd.h>

#include <cstdlib>

namespace epik::episode {
namespace {
std::string Absolute(const std::string& path) {
  if (!path.empty() && path[0] == '/') return path;
  char folder[4096];
  if (getcwd(folder, sizeof folder) == nullptr) return path;
  return path.empty() || path == "." ? folder : std::string(folder) + "/" + path;
}
std::string Get(const char* name) { const char* v = getenv(name); return v ? v : ""; }
}  // namespace

Options LoadOptions() {
  Options o;
  o.enabled = Get("EPK_ENABLED") != "no";
  o.title = Get("EPK_TITLE");
  o.archive_folder = Absolute(Get("EPK_GDIR"));
  if (!Get("EPK_LDIR").empty()) o.arena_folder = Absolute(Get("EPK_LDIR"));
  if (!Get("ESD_PATHS").empty()) o.path_limit = atoi(Get("ESD_PATHS").c_str());
  if (!Get("ESD_FRAMES").empty()) o.frame_limit = atoi(Get("ESD_FRAMES").c_str());
  return o;
}

}  // namespace epik::episode
