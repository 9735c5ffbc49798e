// SPDX-License-Identifier: BSD-3-Clause
// Finds call paths by caller and region in a list that grows. A program can have millions of them while its memory is
// bounded (EPK_MEMORY), so the table holds their numbers only: 5 to 11 bytes a call path.
#ifndef EPIK_ARCHIVE_PARTS_PATH_NUMBERS_H_
#define EPIK_ARCHIVE_PARTS_PATH_NUMBERS_H_

#include <cstdint>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::archive {

class PathNumbers {
 public:
  // `paths` are known already. Later calls get the same list, and only this object changes it.
  explicit PathNumbers(const std::vector<CallPath>& paths = {});

  // Returns the number of the call path in `paths`. A new call path is added at the end.
  uint32_t Of(const CallPath& path, std::vector<CallPath>* paths);

 private:
  // The slot of the path, or the free slot for it.
  size_t SlotOf(const CallPath& path, const std::vector<CallPath>& paths) const;
  void MakeSlots(size_t slots, const std::vector<CallPath>& paths);

  std::vector<uint32_t> slots_;  // open addressing; kNone: free
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_PATH_NUMBERS_H_
