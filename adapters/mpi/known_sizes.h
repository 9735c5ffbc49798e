// SPDX-License-Identifier: BSD-3-Clause
// The sizes of predefined types whose handles are addresses. Nobody frees such a type. They lie side by side, so each
// has a place of its own in a table. But a program may have copies of some of them (copy relocations), which lie
// elsewhere. A type that meets another one gets a second place, which is far from those of its neighbours. If that is
// taken, too, the type is not known.
#ifndef EPIK_ADAPTERS_MPI_KNOWN_SIZES_H_
#define EPIK_ADAPTERS_MPI_KNOWN_SIZES_H_

#include <cstdint>

#include "runtime/base/compiler.h"

namespace epik::mpi {

class KnownSizes {
 public:
  static constexpr uint64_t kPlaces = 128, kTypeBytes = 512;

  // Two threads may add the same types in the same order at once.
  void Add(const void* type, uint64_t size) {
    Place* const places[] = {First(type), Second(type)};
    for (Place* place : places) {
      const void* there = __atomic_load_n(&place->type, __ATOMIC_RELAXED);
      if (there != nullptr && there != type) continue;
      place->size = size;
      __atomic_store_n(&place->type, type, __ATOMIC_RELEASE);
      return;
    }
  }

  // False: not known.
  bool Find(const void* type, uint64_t* size) {
    const Place* place = First(type);
    if (EPIK_UNLIKELY(__atomic_load_n(&place->type, __ATOMIC_ACQUIRE) != type)) {
      place = Second(type);
      if (__atomic_load_n(&place->type, __ATOMIC_ACQUIRE) != type) return false;
    }
    if (EPIK_UNLIKELY(type == nullptr)) return false;
    *size = place->size;
    return true;
  }

 private:
  struct Place {
    const void* type;
    uint64_t size;
  };
  static uint64_t Number(const void* type) { return reinterpret_cast<uint64_t>(type) / kTypeBytes; }
  Place* First(const void* type) { return &places_[Number(type) % kPlaces]; }
  Place* Second(const void* type) { return &places_[(Number(type) + kPlaces / 2) % kPlaces]; }

  Place places_[kPlaces];
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_KNOWN_SIZES_H_
