// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/auditor.h"

#include <link.h>

#include <cstdlib>

namespace epik::base {
namespace {

// The program itself is the first object.
int LookAtProgram(dl_phdr_info* program, size_t, void* has_auditor) {
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = program->dlpi_phdr[i];
    if (header.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(program->dlpi_addr + header.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_AUDIT || entry->d_tag == DT_DEPAUDIT) *static_cast<bool*>(has_auditor) = true;
    }
  }
  constexpr int kStop = 1;
  return kStop;
}

}  // namespace

bool LoaderHasAuditor() {
  bool has_auditor = getenv("LD_AUDIT") != nullptr;
  dl_iterate_phdr(LookAtProgram, &has_auditor);
  return has_auditor;
}

}  // namespace epik::base
