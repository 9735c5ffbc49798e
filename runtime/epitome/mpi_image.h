// SPDX-License-Identifier: BSD-3-Clause
// The communicators and windows that an arena has defined. Offline only.
#ifndef EPIK_RUNTIME_EPITOME_MPI_IMAGE_H_
#define EPIK_RUNTIME_EPITOME_MPI_IMAGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/event/layout.h"

namespace epik::epitome {

struct CommunicatorImage {
  uint64_t id = 0;           // the same in all of its processes
  std::vector<int32_t> own;  // ranks in MPI_COMM_WORLD; -1: of another job
  std::vector<int32_t> remote;
  std::string name;
};

struct WindowImage {
  uint64_t id = 0;
  uint32_t communicator = 0;  // number in this process
  std::string name;
};

// By their numbers in this process.
struct MpiImage {
  std::map<uint32_t, CommunicatorImage> communicators;
  std::map<uint32_t, WindowImage> windows;
};

// False: the record makes no sense. REQUIRES: `ranks`, those of MPI_COMM_WORLD: no list is longer.
bool ReadMpiRecord(event::RecordType type, const std::string& payload, uint32_t ranks, MpiImage* image);

}  // namespace epik::epitome

#endif  // EPIK_RUNTIME_EPITOME_MPI_IMAGE_H_
