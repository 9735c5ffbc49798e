// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/trace_backends.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

#include "archive/parts/trace_end.h"
#include "archive/trace/maps.h"

namespace epik::archive {
namespace {

struct Backend {
  const char* format;  // as EPK_TRACE_FORMAT has it
  const char* library;
  const char* function;
};
constexpr Backend kBackends[] = {
    {"otf2", "libepk_otf2.so", "epik_write_otf2"},
    {kAnalysisFormat, "libepk_analysis.so", "epik_analyze_trace"},
};

// Returns the path of a file beside the library, or program, that contains this code.
std::string PathBeside(const char* library) {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&PathBeside), &info) == 0 || info.dli_fname == nullptr) return library;
  const std::string own = info.dli_fname;
  const size_t slash = own.rfind('/');
  return slash == std::string::npos ? library : own.substr(0, slash + 1) + library;
}

// The library is never closed: it may have made thread-specific keys or registered functions that run at exit.
EpikTraceBackendFunction Load(const Backend& backend, std::string* error) {
  void* library = dlopen(PathBeside(backend.library).c_str(), RTLD_NOW | RTLD_LOCAL);
  void* function = library == nullptr ? nullptr : dlsym(library, backend.function);
  if (function == nullptr) {
    const char* why = dlerror();
    *error = why != nullptr ? why : backend.library;
  }
  return reinterpret_cast<EpikTraceBackendFunction>(function);
}

const Backend* Find(const std::string& format) {
  for (const Backend& backend : kBackends) {
    if (format == backend.format) return &backend;
  }
  return nullptr;
}

// The last process that shares a folder removes it, because the folder is empty only then.
void RemoveTrace(const std::string& folder, int32_t rank) {
  std::string path = TraceFileName(rank);
  unlink((folder + "/" + path).c_str());
  for (size_t slash = path.rfind('/'); slash != std::string::npos; slash = path.rfind('/')) {
    path.resize(slash);
    if (rmdir((folder + "/" + path).c_str()) != 0) return;
  }
}

}  // namespace

std::string TraceFormatOf(const config::Settings& settings) {
  const std::string format = config::Describe(config::Key::trace_format).format(settings);
  return Find(format) != nullptr ? format : "";
}

bool WriteInFormat(Group* group, const std::string& format, const std::string& folder, int32_t rank,
                   const std::string& program, std::string* error) {
  const Backend* backend = Find(format);
  const EpikTraceBackendFunction write = backend == nullptr ? nullptr : Load(*backend, error);
  // No process begins unless all others can join in.
  if (!group->Agree(write != nullptr)) return false;
  const EpikTraceBackendRequest request = {kEpikTraceBackendVersion, folder.c_str(), rank, group->processes(),
                                           program.c_str()};
  char why[512] = "";
  const bool good = write(&request, why, sizeof why) == 0;
  if (!good) *error = why;
  if (!group->Agree(good)) return false;
  if (rank != kNoRank) RemoveTrace(folder, rank);
  group->Agree(true);
  if (!group->IsRoot()) return true;
  unlink((folder + "/" + kDefinitionsName).c_str());
  unlink((folder + "/" + kMapsName).c_str());
  return true;
}

}  // namespace epik::archive
