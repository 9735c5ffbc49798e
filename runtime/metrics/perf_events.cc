// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/metrics/perf_events.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "runtime/base/system_call.h"

namespace epik::metrics {
namespace {

constexpr uint64_t Cache(uint64_t cache, uint64_t operation, uint64_t result) {
  return cache | operation << 8 | result << 16;
}
constexpr uint64_t kRead = PERF_COUNT_HW_CACHE_OP_READ;
constexpr uint64_t kAccess = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
constexpr uint64_t kMiss = PERF_COUNT_HW_CACHE_RESULT_MISS;

// The beginning of a file of the kernel; empty when the file does not exist.
std::string Head(const char* path) {
  char text[8192];
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t n = read(fd, text, sizeof text);
  close(fd);
  return {text, n > 0 ? static_cast<size_t>(n) : 0};
}

// Gives the descriptor a high number: a program may rely on the numbers of its own descriptors, or close all that it
// knows.
int MoveUp(int fd) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return fd;
  const auto from = static_cast<int>(std::min<rlim_t>(limit.rlim_cur / 4 * 3, 768));
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, from);
  if (moved < 0) return fd;
  close(fd);
  return moved;
}

}  // namespace

// The names are those of perf(1) and PAPI.
const PerfEvent kPerfEvents[] = {
    {"PAGE-FAULTS", "page faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false, 1, "occ"},
    {"MINOR-FAULTS", "page faults without a disk", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, false, 1, "occ"},
    {"MAJOR-FAULTS", "page faults that waited for a disk", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false, 1,
     "occ"},
    {"CONTEXT-SWITCHES", "times the thread left its processor", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
     true, 1, "occ"},
    {"CPU-MIGRATIONS", "times it came back to another one", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true, 1,
     "occ"},
    {"TASK-CLOCK", "time on a processor", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false, 1e-9, "sec"},
    {"CPU-CLOCK", "time on a processor, by its clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false, 1e-9, "sec"},
    {"ALIGNMENT-FAULTS", "accesses the kernel had to put together", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS,
     false, 1, "occ"},
    {"EMULATION-FAULTS", "instructions the kernel had to emulate", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS,
     false, 1, "occ"},
    {"CYCLES", "processor cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, 1, "occ"},
    {"INSTRUCTIONS", "instructions completed", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false, 1, "occ"},
    {"REF-CYCLES", "cycles at the nominal frequency", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, false, 1,
     "occ"},
    {"BUS-CYCLES", "cycles of the bus", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, false, 1, "occ"},
    {"STALLED-CYCLES-FRONTEND", "cycles without instructions to start", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, false, 1, "occ"},
    {"STALLED-CYCLES-BACKEND", "cycles that waited for units or data", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_BACKEND, false, 1, "occ"},
    {"BRANCHES", "branches completed", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false, 1, "occ"},
    {"BRANCH-MISSES", "branches predicted wrongly", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false, 1, "occ"},
    {"CACHE-REFERENCES", "accesses of the last cache", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false, 1,
     "occ"},
    {"CACHE-MISSES", "accesses that it did not have", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false, 1, "occ"},
    {"L1-DCACHE-LOADS", "loads", PERF_TYPE_HW_CACHE, Cache(PERF_COUNT_HW_CACHE_L1D, kRead, kAccess), false, 1, "occ"},
    {"L1-DCACHE-LOAD-MISSES", "loads the first cache did not have", PERF_TYPE_HW_CACHE,
     Cache(PERF_COUNT_HW_CACHE_L1D, kRead, kMiss), false, 1, "occ"},
    {"LLC-LOADS", "loads that came to the last cache", PERF_TYPE_HW_CACHE,
     Cache(PERF_COUNT_HW_CACHE_LL, kRead, kAccess), false, 1, "occ"},
    {"LLC-LOAD-MISSES", "loads it did not have", PERF_TYPE_HW_CACHE, Cache(PERF_COUNT_HW_CACHE_LL, kRead, kMiss), false,
     1, "occ"},
    {"DTLB-LOAD-MISSES", "loads whose page was not at hand", PERF_TYPE_HW_CACHE,
     Cache(PERF_COUNT_HW_CACHE_DTLB, kRead, kMiss), false, 1, "occ"},
    {"ITLB-LOAD-MISSES", "instructions whose page was not at hand", PERF_TYPE_HW_CACHE,
     Cache(PERF_COUNT_HW_CACHE_ITLB, kRead, kMiss), false, 1, "occ"},
};
const uint32_t kPerfEventCount = std::size(kPerfEvents);

bool PerfEvent::IsHardware() const { return type != PERF_TYPE_SOFTWARE; }

PerfMachine LookAtPerfMachine() {
  PerfMachine machine;
  const std::string level = Head("/proc/sys/kernel/perf_event_paranoid");
  if (!level.empty()) machine.paranoid = std::atoi(level.c_str());
  for (const char* pmu : {"cpu", "cpu_core", "armv8_pmuv3_0", "armv8_pmuv3"}) {
    if (access((std::string("/sys/bus/event_source/devices/") + pmu).c_str(), F_OK) == 0) machine.has_pmu = true;
  }
  machine.is_virtual = Head("/proc/cpuinfo").find(" hypervisor") != std::string::npos;
  return machine;
}

std::string WhyNoPerf(const PerfEvent& event, int error, const PerfMachine& machine) {
  switch (error) {
    case EPERM:
    case EACCES: {
      if (machine.paranoid > 1 && machine.paranoid <= 4) {
        return "perf_event_paranoid=" + std::to_string(machine.paranoid) + ": set it to 1 or grant CAP_PERFMON";
      }
      return "not permitted: in a container, allow perf_event_open (seccomp) or grant CAP_PERFMON";
    }
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
    case EINVAL:
      if (!event.IsHardware()) return "this kernel has no such counter";
      if (!machine.has_pmu)
        return machine.is_virtual ? "no PMU in this virtual machine" : "the kernel sees no PMU here";
      return "this processor has no such counter";
    case ENOSYS: return "this kernel, or container, has no perf events";
    case EMFILE: return "no descriptor is left: raise ulimit -n";
    default: return std::strerror(error);
  }
}

int OpenPerfEvent(uint32_t type, uint64_t config, bool with_kernel, int group) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = type;
  event.config = config;
  event.exclude_kernel = with_kernel ? 0 : 1;
  event.exclude_hv = 1;
  event.disabled = group < 0 ? 1 : 0;
  event.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const long fd = base::SystemCall(SYS_perf_event_open, &event, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
  return fd < 0 ? -errno : MoveUp(static_cast<int>(fd));
}

uint64_t ForWholeTime(uint64_t value, uint64_t enabled, uint64_t running) {
  if (running == 0 || running >= enabled) return value;
  return static_cast<uint64_t>(static_cast<double>(value) *
                               (static_cast<double>(enabled) / static_cast<double>(running)));
}

}  // namespace epik::metrics
