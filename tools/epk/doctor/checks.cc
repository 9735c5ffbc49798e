// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/doctor/check.h"

namespace epik::epk::doctor {
namespace {

constexpr Check kChecks[] = {
    {"EPIK", "epik.core", "runtime library", LookAtLibrary, "libepk.so"},
    {"EPIK", "epik.header", "user interface", LookAtHeader, "epik/epik.h"},
    {"Clock", "clock.tsc", "time stamp counter", LookAtTsc, ""},
    {"Clock", "clock.tsc_cost", "one read of it", LookAtTscCost, ""},
    {"Clock", "clock.monotonic", "clock_gettime", LookAtMonotonic, ""},
    {"Compilers", "compiler.gcc", "gcc", LookAtCompiler, "gcc"},
    {"Compilers", "compiler.g++", "g++", LookAtCompiler, "g++"},
    {"Compilers", "compiler.gfortran", "gfortran", LookAtCompiler, "gfortran"},
    {"Compilers", "compiler.clang", "clang", LookAtCompiler, "clang"},
    {"Compilers", "compiler.clang++", "clang++", LookAtCompiler, "clang++"},
    {"Compilers", "compiler.gcc_plugins", "gcc plugin headers", LookAtGccPlugins, ""},
    {"Compilers", "compiler.clang_plugins", "clang plugin headers", LookAtClangPlugins, ""},
    {"Compilers", "compiler.libdw", "elfutils (names)", LookAtSharedLibrary, "libdw.so.1"},
    {"MPI", "mpi.openmpi", "Open MPI", LookAtMpi, "openmpi"},
    {"MPI", "mpi.mpich", "MPICH", LookAtMpi, "mpich"},
    {"OpenMP", "omp.libgomp", "GCC's runtime", LookAtSharedLibrary, "libgomp.so.1"},
    {"OpenMP", "omp.libomp", "LLVM's runtime", LookAtSharedLibrary, "libomp.so.5"},
    {"Counters", "counters.papi", "PAPI", LookAtPapi, ""},
    {"Counters", "counters.hardware", "hardware events", LookAtHardwareEvents, ""},
    {"Counters", "counters.software", "software events", LookAtSoftwareEvents, ""},
    {"Counters", "counters.paranoid", "perf_event_paranoid", LookAtParanoid, ""},
    {"Storage", "storage.gdir", "archives (EPK_GDIR)", LookAtArchiveFolder, ""},
    {"Storage", "storage.ldir", "arenas (EPK_LDIR)", LookAtLocalFolder, ""},
    {"Storage", "storage.shm", "shared memory", LookAtSharedMemory, "/dev/shm"},
    {"Machine", "machine.cpu", "processor", LookAtCpu, ""},
    {"Machine", "machine.kernel", "kernel", LookAtKernel, ""},
};

}  // namespace

std::span<const Check> Checks() { return kChecks; }

const char* VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk: return "ok";
    case Verdict::kNone: return "-";
    case Verdict::kWarn: return "warn";
    case Verdict::kBad: return "bad";
  }
  return "";
}

}  // namespace epik::epk::doctor
