// SPDX-License-Identifier: BSD-3-Clause
// Checks whether counters can be read.
#include <dlfcn.h>
#include <link.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "tools/epk/doctor/check.h"
#include "tools/epk/doctor/probe.h"

namespace epik::epk::doctor {
namespace {

constexpr char kParanoid[] = "/proc/sys/kernel/perf_event_paranoid";

// 0, or the error with which the kernel refuses to count that event for this thread in user space.
int PerfError(uint32_t type, uint64_t config) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = type;
  event.config = config;
  event.disabled = 1;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  const long fd = syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno;
  close(static_cast<int>(fd));
  return 0;
}

}  // namespace

Finding JudgeParanoid(const std::string& value, bool root) {
  if (value.empty()) return {Verdict::kNone, "this kernel has no perf events", ""};
  const int level = std::atoi(value.c_str());
  Finding finding{Verdict::kOk, value, "", {{"level", static_cast<double>(level)}}};
  if (level <= 2) {
    finding.value += ": users may count their own programs";
  } else if (root) {
    finding.value += ": only root may count";
  } else {
    finding.verdict = Verdict::kWarn;
    finding.value += ": users may not count";
    finding.remedy = "sudo sysctl kernel.perf_event_paranoid=2";
  }
  return finding;
}

Finding JudgePerfOpen(int error, bool hardware) {
  switch (error) {
    case 0: return {Verdict::kOk, hardware ? "instructions can be counted" : "task clock can be counted", ""};
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return {Verdict::kNone, hardware ? "no PMU in this (virtual) machine: time only" : "not in this kernel", ""};
    case EPERM:
    case EACCES:
      return {Verdict::kWarn, "not permitted",
              "see perf_event_paranoid; in a container, allow perf_event_open (seccomp, CAP_PERFMON)"};
    case ENOSYS: return {Verdict::kNone, "this kernel, or container, has no perf events", ""};
    default:
      return {Verdict::kWarn, std::strerror(error), "EPK_METRICS stays empty until this works; time needs none of it"};
  }
}

Finding LookAtParanoid(const char*) { return JudgeParanoid(FirstLine(kParanoid), geteuid() == 0); }

Finding LookAtHardwareEvents(const char*) {
  return JudgePerfOpen(PerfError(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS), true);
}

Finding LookAtSoftwareEvents(const char*) {
  return JudgePerfOpen(PerfError(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK), false);
}

Finding LookAtPapi(const char*) {
  const std::string path = FindSharedLibrary("libpapi.so");
  if (path.empty()) return {Verdict::kNone, "not found", "apt-get install libpapi-dev, for hardware counters"};
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {Verdict::kWarn, path + " cannot be loaded", std::string(dlerror())};
  dlclose(library);
  // libpapi.so is a link to libpapi.so.7.0.0.0: the version without starting PAPI, which would look at all hardware.
  std::error_code error;
  const std::string file = std::filesystem::canonical(path, error).filename();
  const size_t version = file.find(".so.");
  return {Verdict::kOk, (version == std::string::npos ? "" : file.substr(version + 4) + "  ") + path, ""};
}

}  // namespace epik::epk::doctor
