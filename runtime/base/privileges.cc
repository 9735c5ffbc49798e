// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/privileges.h"

#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace epik::base {

bool IsPrivileged() {
  // The kernel's own word comes first: a program that gave its rights up again was still started with them.
  if (getauxval(AT_SECURE) != 0) return true;
  if (getuid() != geteuid() || getgid() != getegid()) return true;
  constexpr int kDumpable = 1;
  const int dumpable = prctl(PR_GET_DUMPABLE);
  return dumpable >= 0 && dumpable != kDumpable;
}

}  // namespace epik::base
