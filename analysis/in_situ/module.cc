// SPDX-License-Identifier: BSD-3-Clause
// libepk_analysis.so, for EPK_ANALYZE=yes. When a job ends, its processes analyse their trace together: rank 0 replays
// what the others read and send. It gives up after a time (TimeLimit), and leaves the trace as it was when it fails.
#include <chrono>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

#include "analysis/drivers/reading.h"
#include "analysis/patterns/analysis.h"
#include "archive/files/guarded.h"
#include "archive/files/time_limit.h"
#include "archive/trace/trace_archive.h"
#include "runtime/abi/group.h"
#include "runtime/abi/trace_backend.h"

namespace epik::in_situ {
namespace {

// A job must not wait for its analysis without end; `epk analyze` can do it later.
constexpr std::chrono::seconds kLongest(300), kGatherPatience(10), kJoinPatience(15);
// A helper that reads for long does not hear that it is dismissed. It stops some time after rank 0, which says why.
constexpr std::chrono::seconds kLongestForHelpers = kLongest + kJoinPatience;

bool IsOneHost(const std::string& folder) {
  archive::TraceArchive traces;
  std::string error;
  return traces.Open(folder, &error, /*only=*/0) && traces.definitions().profile.hosts.size() == 1;
}

bool Analyze(const std::string& folder, drivers::Helpers* helpers, bool alone, std::string* error) {
  patterns::Analysis analysis;
  try {
    const drivers::Workers workers{alone ? 0u : 1u, helpers, archive::TimeLimit::After(kLongest)};
    return patterns::Analyze(folder, workers, nullptr, &analysis, error) &&
           patterns::WriteAnalysis(folder, analysis, error);
  } catch (const std::bad_alloc&) {
    *error = "memory ended";
    return false;
  } catch (const std::runtime_error& problem) {
    *error = problem.what();
    return false;
  }
}

bool Run(const EpikTraceBackendRequest& request, std::string* error) {
  archive::Group group(request.group);
  if (request.version != kEpikTraceBackendVersion) {
    *error = "libepk_analysis.so and libepk_archive.so are of different versions";
    return false;
  }
  const std::string folder = request.folder;
  drivers::Launch launch;
  launch.rank = group.rank();
  launch.size = group.size();
  launch.key = "in situ";  // no other process knows of the folder yet
  if (!group.IsRoot()) {
    drivers::Link link = drivers::Join(launch, folder, kJoinPatience);
    // Rank 0 learns by itself that this process has given up.
    const auto limit = archive::TimeLimit::After(kLongestForHelpers);
    if (link.is_open()) archive::Quietly([&] { drivers::HelpToRead(&link, folder, limit); });
    return true;
  }
  if (launch.size == 1) return Analyze(folder, nullptr, /*alone=*/true, error);
  launch.one_host = IsOneHost(folder);
  drivers::Helpers helpers(drivers::Gather(launch, folder, kGatherPatience));
  const bool done = Analyze(folder, helpers.IsEmpty() ? nullptr : &helpers, /*alone=*/false, error);
  helpers.Dismiss(done ? 0 : 1);
  return done;
}

}  // namespace
}  // namespace epik::in_situ

extern "C" __attribute__((visibility("default"))) int epik_analyze_trace(const EpikTraceBackendRequest* request,
                                                                         char* error, uint64_t error_bytes) {
  std::string why;
  const bool good = epik::archive::Guarded(&why, [&] { return epik::in_situ::Run(*request, &why); });
  std::snprintf(error, error_bytes, "%s", why.c_str());
  return good ? 0 : 1;
}
