// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/mpi_library.h"

namespace epik {
namespace {

bool StartsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

}  // namespace

// libmpi.so.40 is Open MPI from version 3 to 5. MPICH, the vendors' MPIs made from it and their common binary interface
// are called libmpi.so.12; Debian calls MPICH libmpich.
Mpi MpiOfLibrary(std::string_view name) {
  if (StartsWith(name, "libmpich.so") || StartsWith(name, "libmpi_cray.so")) return Mpi::kMpich;
  if (name == "libmpi.so.12" || StartsWith(name, "libmpi.so.12.")) return Mpi::kMpich;
  return StartsWith(name, "libmpi.so") ? Mpi::kOpenMpi : Mpi::kNone;
}

}  // namespace epik
