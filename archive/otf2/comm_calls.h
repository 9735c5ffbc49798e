// SPDX-License-Identifier: BSD-3-Clause
// Calls that make and free communicators, in the form of OTF2: a collective operation from the enter of the call to its
// end, with the event of the communicator in between. The trace has only records of the communicator, and says only
// after the enter that the call did something. So the operation's begin is written with the first record in the call.
#ifndef EPIK_ARCHIVE_OTF2_COMM_CALLS_H_
#define EPIK_ARCHIVE_OTF2_COMM_CALLS_H_

#include <otf2/otf2.h>

#include <cstdint>
#include <string>

#include "archive/otf2/definitions.h"

namespace epik::archive {

// Serves one stream. Times are those of the archive, and they ascend.
class CommCalls {
 public:
  CommCalls(Otf2Numbers* numbers, uint32_t process, OTF2_EvtWriter* writer)
      : numbers_(*numbers), process_(process), writer_(writer) {}

  void Entered(uint64_t time, const std::string& region);  // call it after the event
  void Leaves(uint64_t time);                              // call it before the event
  // For the records CommCreated and CollectiveCall.
  void Created(uint64_t time, const uint64_t* field, OTF2_AttributeList* list);
  void Called(uint64_t time, const std::string& operation, uint64_t communicator, OTF2_AttributeList* list);
  void Wrote(uint64_t time) { last_ = time; }  // the writer wrote another event
  bool good() const { return good_; }

 private:
  void Begin(uint64_t time, OTF2_AttributeList* list);
  void End(uint64_t time);
  void Check(OTF2_ErrorCode code) { good_ = good_ && code == OTF2_SUCCESS; }

  Otf2Numbers& numbers_;
  uint32_t process_;
  OTF2_EvtWriter* writer_;
  uint64_t last_ = 0;
  uint32_t depth_ = 0;    // of the current call within the one that makes or frees; 1: that call; 0: none is open
  uint64_t entered_ = 0;  // enter of that call
  bool begun_ = false;    // the operation's begin is written
  uint32_t over_ = 0;     // the communicator of the operation
  OTF2_CollectiveOp operation_ = OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  bool good_ = true;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_OTF2_COMM_CALLS_H_
