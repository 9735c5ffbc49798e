// SPDX-License-Identifier: BSD-3-Clause
// An MPI of a few processes for unit tests, in which this process has a rank, and a core that notes the adapter's
// reports. MPICH's handles are numbers, so any number works.
#ifndef EPIK_ADAPTERS_MPI_FAKE_MPI_H_
#define EPIK_ADAPTERS_MPI_FAKE_MPI_H_

#include <mpi.h>

#include <map>
#include <string>
#include <vector>

namespace epik::mpi {

using Ranks = std::vector<int>;  // of the world

class FakeMpi {
 public:
  // Replaces what `pmpi` calls. This process has this rank.
  static void Start(int rank, int size);

  // Makes a handle of these processes (and, between groups, of those of the other side).
  static void Make(MPI_Comm handle, Ranks own, Ranks remote = {});
  static void MakeWindow(MPI_Win handle, Ranks ranks);
  static void MakeType(MPI_Datatype handle, int size);
  static void FreeType(MPI_Datatype handle);
  // How often MPI was asked for the size of a type that it does not know.
  static int complaints;

  // The reports to the core: "SendBegin 2 7 0 40 1", "communicator 2 own 0 2 4", "window 1 0".
  static std::vector<std::string> Told();
  // The identity of the communicator or window with this number.
  static std::map<uint32_t, uint64_t> identities;
  // The times of records; 0: of the latest enter. The clock goes on by 1 at each.
  static uint64_t now;
  static std::vector<uint64_t> times;
  // The answer of epik_adapter_noted.
  static int noted;
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_FAKE_MPI_H_
