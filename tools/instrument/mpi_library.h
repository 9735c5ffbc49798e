// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the MPI that a library belongs to, by its file name.
#ifndef EPIK_TOOLS_INSTRUMENT_MPI_LIBRARY_H_
#define EPIK_TOOLS_INSTRUMENT_MPI_LIBRARY_H_

#include <string_view>

namespace epik {

enum class Mpi { kNone, kOpenMpi, kMpich };

// `name`: a file name with its version (libmpi.so.40), as in the list of libraries that a program needs.
Mpi MpiOfLibrary(std::string_view name);

}  // namespace epik

#endif  // EPIK_TOOLS_INSTRUMENT_MPI_LIBRARY_H_
