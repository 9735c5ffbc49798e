// SPDX-License-Identifier: BSD-3-Clause
// One-sided records of MPI in the form of OTF2. In OTF2 each access has a number, which its completion repeats. MPI
// completes accesses with the calls that synchronize their window.
#ifndef EPIK_ARCHIVE_OTF2_ONE_SIDED_H_
#define EPIK_ARCHIVE_OTF2_ONE_SIDED_H_

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "archive/otf2/definitions.h"

namespace epik::archive {

// Serves one stream.
class OneSided {
 public:
  OneSided(Otf2Numbers* numbers, uint32_t process, int32_t rank, OTF2_EvtWriter* writer)
      : numbers_(*numbers), process_(process), rank_(rank), writer_(writer) {}

  // Returns false when the record is not about a window, or about an unknown one.
  bool Write(uint64_t time, const Event& event, OTF2_AttributeList* list);
  bool good() const { return good_; }

 private:
  struct Access {
    uint32_t remote;
    uint64_t number;
  };
  struct Window {
    std::vector<Access> open;               // accesses that no call has completed yet
    std::vector<uint32_t> started, posted;  // the partners of MPI_Win_start and MPI_Win_post
  };

  void Complete(uint64_t time, uint32_t window, uint32_t remote, OTF2_AttributeList* list);
  void Synchronize(uint64_t time, uint32_t window, const std::string& call, uint32_t remote, OTF2_AttributeList* list);
  void Notify(uint64_t time, uint32_t window, std::vector<uint32_t>* partners, OTF2_RmaSyncType type,
              OTF2_AttributeList* list);
  void Check(OTF2_ErrorCode code) { good_ = good_ && code == OTF2_SUCCESS; }

  Otf2Numbers& numbers_;
  uint32_t process_;
  int32_t rank_;
  OTF2_EvtWriter* writer_;
  std::map<uint32_t, Window> windows_;
  uint64_t accesses_ = 0;
  bool good_ = true;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_OTF2_ONE_SIDED_H_
