// SPDX-License-Identifier: BSD-3-Clause
// The checks of `epk doctor`. A new check is one row in checks.cc and one function here or in a file beside it.
#ifndef EPIK_TOOLS_EPK_DOCTOR_CHECK_H_
#define EPIK_TOOLS_EPK_DOCTOR_CHECK_H_

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace epik::epk::doctor {

enum class Verdict {
  kOk,
  kNone,  // not installed, which matters only to users who want it
  kWarn,  // works, but not as well as it could
  kBad,   // EPIK cannot measure this way
};

struct Finding {
  Verdict verdict = Verdict::kOk;
  std::string value;
  std::string remedy;                                        // the remedy; empty when none is needed
  std::vector<std::pair<std::string, double>> numbers = {};  // for --json: name with unit, value
};

struct Check {
  const char* group;
  const char* id;
  const char* name;
  Finding (*look)(const char* argument);
  const char* argument;
};

// All of them, most important first.
std::span<const Check> Checks();

// "ok", "-", "warn", "bad".
const char* VerdictName(Verdict verdict);

// --- looking: each asks this machine -------------------------------------------------------------------------------
Finding LookAtLibrary(const char* file);  // EPIK's own, beside epk
Finding LookAtHeader(const char* file);   // EPIK's own
Finding LookAtTsc(const char*);           // is it there, does it tick evenly, how fast
Finding LookAtTscCost(const char*);       // a read, and the smallest step between two
Finding LookAtMonotonic(const char*);     // the same for the fallback
Finding LookAtCompiler(const char* command);
Finding LookAtGccPlugins(const char*);
Finding LookAtClangPlugins(const char*);
Finding LookAtMpi(const char* flavour);         // "openmpi", "mpich"
Finding LookAtSharedLibrary(const char* name);  // found by the loader, not loaded: a runtime may start threads
Finding LookAtPapi(const char*);
Finding LookAtParanoid(const char*);
Finding LookAtHardwareEvents(const char*);
Finding LookAtSoftwareEvents(const char*);
Finding LookAtArchiveFolder(const char*);      // EPK_GDIR
Finding LookAtLocalFolder(const char*);        // EPK_LDIR
Finding LookAtSharedMemory(const char* path);  // /dev/shm
Finding LookAtCpu(const char*);
Finding LookAtKernel(const char*);

// --- judging: what was seen, as a function of it -------------------------------------------------------------------
Finding JudgeTsc(bool present, bool invariant, const std::string& clocksource, double hertz);
Finding JudgeParanoid(const std::string& value, bool root);
Finding JudgePerfOpen(int error, bool hardware);

struct Folder {
  std::string path;
  std::string file_system;
  bool network = false;
  bool exists = true, writable = true, maps_shared = true;
  double free_bytes = 0;
};
Folder InspectFolder(const std::string& path);
// `mapped`: the arenas live there.
Finding JudgeFolder(const Folder& folder, bool mapped);

}  // namespace epik::epk::doctor

#endif  // EPIK_TOOLS_EPK_DOCTOR_CHECK_H_
