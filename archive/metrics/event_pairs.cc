// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/event_pairs.h"

#include <algorithm>

#include "archive/profile/region_class.h"

namespace epik::archive {
namespace {

// The price on each kind of processor.
struct Pairs {
  double hides_most, hides_little;

  double On(Processor processor) const { return processor == Processor::kHidesMost ? hides_most : hides_little; }
};

// Words are separated by bars.
struct MpiRow {
  Pairs pairs;
  std::string_view words;
};

// A function whose wrapper only enters and exits it.
constexpr Pairs kPlainMpi = {0.85, 1.2};

// Wrappers of messages find out the receiver and the length, and keep requests until these complete.
constexpr MpiRow kMpi[] = {
    {{1.3, 1.85},
     "|Send|Bsend|Rsend|Ssend|Isend|Ibsend|Irsend|Issend|Send_init|Bsend_init|Rsend_init|Ssend_init|Start|"},
    {{1.05, 1.25}, "|Recv|Mrecv|"},
    {{1.05, 1.5}, "|Test|Testany|Testsome|Testall|"},
    {{1.6, 2.2}, "|Irecv|Imrecv|Recv_init|Startall|"},
    {{1.85, 2.2}, "|Sendrecv|Sendrecv_replace|Isendrecv|Isendrecv_replace|"},
    {{1.3, 1.85}, "|Wait|Waitany|Waitsome|"},
    {{1.9, 2.05}, "|Waitall|"},
    {{1.4, 1.7}, "|Allreduce|Iallreduce|Scan|Iscan|Exscan|Iexscan|"},
};

// Functions that have no row above, by their role.
constexpr MpiRow kMpiRoles[] = {
    {{1.85, 1.85}, "|one2all|all2one|"},
    {{2.2, 2.3}, "|all2all|"},
    {{1.05, 1.4}, "|rma|atomic|"},
};

struct OpenMpRow {
  Pairs gomp, omp;
  std::string_view words;
};

constexpr OpenMpRow kCritical = {{0.88, 1.23}, {0.8, 1.25}, "|critical|critical block|ordered|ordered block|"};
constexpr OpenMpRow kOtherOpenMp = {{0.8, 1.4}, {0.9, 1.7}, "||"};

constexpr OpenMpRow kOpenMp[] = {
    {{1.8, 1.6}, {1.9, 1.3}, "|parallel|teams|"},
    {{0.85, 0.8}, {1.95, 2.15}, "|barrier|implicit barrier|reduction|"},
    {{0.8, 1.6}, {2.4, 2.25}, "|for dynamic|for guided|for runtime|for ordered|for doacross|"},
    {{0.75, 1.45}, {1.5, 2}, "|sections|"},
    {{0.8, 1.5}, {1.6, 2.05}, "|for static|"},
    {{0.8, 1.3}, {0.9, 1.3}, "|single|"},
    {{0.85, 1.05}, {1.25, 1.75}, "|taskwait|"},
    {{0.6, 1.5}, {0.7, 0.75}, "|taskgroup|"},
    {{1.4, 1.45}, {1.15, 1.55}, "|task|task create|taskloop|"},
    kCritical,
};

bool Has(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    if (at != 0 && words[at - 1] == '|' && words[at + word.size()] == '|') return true;
  }
  return false;
}

}  // namespace

Processor ProcessorBy(std::string_view model) {
  return model.find("Intel") == model.npos ? Processor::kHidesMost : Processor::kHidesLittle;
}

double PairsOfMpi(std::string_view function, Processor processor) {
  const std::string_view role = MpiRole(function);
  if (function.starts_with("MPI")) function.remove_prefix(function.find('_') + 1);  // MPI_, MPIX_
  if (function.ends_with("_c")) function.remove_suffix(2);
  for (const MpiRow& row : kMpi) {
    if (Has(row.words, function)) return row.pairs.On(processor);
  }
  for (const MpiRow& row : kMpiRoles) {
    if (Has(row.words, role)) return row.pairs.On(processor);
  }
  return kPlainMpi.On(processor);
}

OpenMpRuntime RuntimeBy(std::string_view module, OpenMpRuntime before) {
  module.remove_prefix(module.rfind('/') + 1);  // npos + 1 is 0
  if (module.starts_with("libgomp")) return OpenMpRuntime::kGomp;
  return module.starts_with("libomp") || module.starts_with("libiomp") ? OpenMpRuntime::kOmp : before;
}

double PairsOfOpenMp(std::string_view region, OpenMpRuntime runtime, Processor processor) {
  const std::string_view word = region.substr(0, std::min(region.find('('), region.find(" @")));
  const OpenMpRow* found = &kOtherOpenMp;
  for (const OpenMpRow& row : kOpenMp) {
    if (Has(row.words, word)) found = &row;
  }
  return (runtime == OpenMpRuntime::kGomp ? found->gomp : found->omp).On(processor);
}

double PairsOfCalibratedMpi(Processor processor) { return PairsOfMpi("MPI_Send", processor); }
double PairsOfCalibratedOpenMp(Processor processor) { return 2 * kCritical.gomp.On(processor); }

}  // namespace epik::archive
