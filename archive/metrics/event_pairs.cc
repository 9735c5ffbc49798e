// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/event_pairs.h"

#include <algorithm>

#include "archive/profile/region_class.h"

namespace epik::archive {
namespace {

// Words are separated by bars.
struct MpiRow {
  double pairs;
  std::string_view words;
};

// A function that a wrapper enters and exits, and does nothing else.
constexpr double kPlainMpi = 0.85;

// Wrappers of messages find out where they go and how long they are, and keep requests until these complete.
constexpr MpiRow kMpi[] = {
    {1.5, "|Send|Bsend|Rsend|Ssend|Isend|Ibsend|Irsend|Issend|Send_init|Bsend_init|Rsend_init|Ssend_init|Start|"},
    {1.05, "|Recv|Mrecv|Test|Testany|Testsome|Testall|"},
    {1.9, "|Irecv|Imrecv|Recv_init|Sendrecv|Sendrecv_replace|Isendrecv|Isendrecv_replace|Startall|"},
    {1.4, "|Wait|Waitany|Waitsome|Allreduce|Iallreduce|Scan|Iscan|Exscan|Iexscan|"},
    {2, "|Waitall|"},
};

// Functions that are not above, by their role.
constexpr MpiRow kMpiRoles[] = {
    {1.85, "|one2all|all2one|"},
    {2.2, "|all2all|"},
    {1.15, "|rma|atomic|"},
};

struct OpenMpRow {
  double gomp, omp;
  std::string_view words;
};

constexpr OpenMpRow kCritical = {0.88, 0.8, "|critical|critical block|ordered|ordered block|"};
constexpr OpenMpRow kOtherOpenMp = {0.8, 0.9, "||"};

constexpr OpenMpRow kOpenMp[] = {
    {1.8, 1.9, "|parallel|teams|"},
    {0.85, 1.95, "|barrier|implicit barrier|reduction|"},
    {0.8, 2.4, "|for dynamic|for guided|for runtime|for ordered|for doacross|"},
    {0.75, 1.5, "|sections|"},
    {0.8, 1.6, "|for static|"},
    {0.85, 1.25, "|taskwait|"},
    {0.6, 0.7, "|taskgroup|"},
    {1.4, 1.15, "|task|task create|taskloop|"},
    kCritical,
};

bool Has(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    if (at != 0 && words[at - 1] == '|' && words[at + word.size()] == '|') return true;
  }
  return false;
}

}  // namespace

double PairsOfMpi(std::string_view function) {
  const std::string_view role = epitome::MpiRole(function);
  if (function.starts_with("MPI_")) function.remove_prefix(4);
  if (function.ends_with("_c")) function.remove_suffix(2);
  for (const MpiRow& row : kMpi) {
    if (Has(row.words, function)) return row.pairs;
  }
  for (const MpiRow& row : kMpiRoles) {
    if (Has(row.words, role)) return row.pairs;
  }
  return kPlainMpi;
}

OpenMpRuntime RuntimeBy(std::string_view module, OpenMpRuntime before) {
  module.remove_prefix(module.rfind('/') + 1);  // npos + 1 is 0
  if (module.starts_with("libgomp")) return OpenMpRuntime::kGomp;
  return module.starts_with("libomp") || module.starts_with("libiomp") ? OpenMpRuntime::kOmp : before;
}

double PairsOfOpenMp(std::string_view region, OpenMpRuntime runtime) {
  const std::string_view word = region.substr(0, std::min(region.find('('), region.find(" @")));
  const OpenMpRow* found = &kOtherOpenMp;
  for (const OpenMpRow& row : kOpenMp) {
    if (Has(row.words, word)) found = &row;
  }
  return runtime == OpenMpRuntime::kGomp ? found->gomp : found->omp;
}

double PairsOfCalibratedMpi() { return PairsOfMpi("MPI_Send"); }
double PairsOfCalibratedOpenMp() { return 2 * kCritical.gomp; }

}  // namespace epik::archive
