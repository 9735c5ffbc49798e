// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/absence.h"

#include <cstring>

#include "adapters/abi/abi.h"
#include "runtime/event/collectives.h"

namespace epik::mpi {

__thread bool communicates = false;

namespace {

// If several threads call MPI, nobody knows when the process is out of it.
constexpr uint64_t kSeveral = ~uint64_t{0};
struct Process {
  uint64_t owner;  // the thread that calls MPI: an address in it
  uint64_t left;   // ticks
  bool probed;     // since then
};
constinit Process process = {};

uint64_t Me() { return reinterpret_cast<uint64_t>(&communicates); }

// The first thread that calls MPI owns it.
EPIK_COLD void Own() {
  uint64_t nobody = 0;
  const bool is_first =
      __atomic_compare_exchange_n(&process.owner, &nobody, Me(), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (!is_first) __atomic_store_n(&process.owner, kSeveral, __ATOMIC_RELAXED);
}

}  // namespace

Stays StaysIn(const char* name) {
  const char* const word = std::strchr(name, '_');
  if (word == nullptr) return Stays::kYes;
  const bool begins = (word[1] == 'I' && word[2] >= 'a') || std::strncmp(word, "_Start", 6) == 0 ||
                      std::strncmp(word, "_Pready", 7) == 0;
  if (begins) return Stays::kNo;
  return std::strcmp(word, "_Probe") == 0 || std::strcmp(word, "_Mprobe") == 0 ? Stays::kProbes : Stays::kYes;
}

uint64_t LeftCall(Stays stays, uint64_t left) {
  if (!communicates) return left;
  communicates = false;
  if (stays == Stays::kNo) return left;
  if (left == 0) left = epik_adapter_now();
  if (EPIK_UNLIKELY(__atomic_load_n(&process.owner, __ATOMIC_RELAXED) != Me())) Own();
  __atomic_store_n(&process.probed, stays == Stays::kProbes, __ATOMIC_RELAXED);
  if (stays == Stays::kYes) __atomic_store_n(&process.left, left, __ATOMIC_RELAXED);
  return left;
}

uint32_t AbsenceBefore(uint64_t entered) {
  const uint64_t left = __atomic_load_n(&process.left, __ATOMIC_RELAXED);
  const bool is_mine = __atomic_load_n(&process.owner, __ATOMIC_RELAXED) == Me();
  if (!is_mine || left == 0 || left > entered) return 0;
  return event::AbsenceOf(entered - left, __atomic_load_n(&process.probed, __ATOMIC_RELAXED));
}

}  // namespace epik::mpi
