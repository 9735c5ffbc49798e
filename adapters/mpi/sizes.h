// SPDX-License-Identifier: BSD-3-Clause
// The number of bytes of a buffer, a status, a list of counts.
#ifndef EPIK_ADAPTERS_MPI_SIZES_H_
#define EPIK_ADAPTERS_MPI_SIZES_H_

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "adapters/mpi/types.h"
#include "flavour.h"

namespace epik::mpi {

// REQUIRES: arguments that a call has accepted and not ignored. With a count of 0, the type is ignored.
template <class Count>
uint64_t BytesOf(Count count, MPI_Datatype datatype) {
  return count == 0 ? 0 : static_cast<uint64_t>(count) * SizeOf(datatype);
}

inline uint64_t BytesOf(const MPI_Status& status) { return StatusBytes(status); }

// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE of every binding.
inline bool IsIgnored(const void* status) {
  return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE ||
         (status != nullptr &&
          (status == constants.fortran_status_ignore || status == constants.fortran_statuses_ignore));
}

// The status of a call, even if the program ignores it. Fortran's statuses have the same bytes, at addresses without
// C's alignment.
template <class Status>
class StatusOf {
 public:
  explicit StatusOf(Status* given) : given_(IsIgnored(given) ? reinterpret_cast<Status*>(&own_) : given) {}
  Status* pointer() { return given_; }
  // C's status is not copied: loading the whole right after MPI stored its pieces would stall.
  decltype(auto) status() const {
    if constexpr (std::is_same_v<Status, MPI_Status>) {
      return static_cast<const MPI_Status&>(*given_);
    } else {
      MPI_Status copy;
      std::memcpy(static_cast<void*>(&copy), given_, sizeof copy);
      return copy;
    }
  }

 private:
  MPI_Status own_;
  Status* given_;
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_SIZES_H_
