// SPDX-License-Identifier: BSD-3-Clause
#include "archive/otf2/comm_calls.h"

#include <algorithm>

#include "archive/otf2/words.h"

namespace epik::archive {

void CommCalls::Entered(uint64_t time, const std::string& region) {
  last_ = time;
  if (depth_ != 0) {  // a call from a callback that copies or deletes attributes
    ++depth_;
  } else if (OfCommunicator(region) != CommCall::kNone) {
    depth_ = 1;
    entered_ = time;
  }
}

void CommCalls::Leaves(uint64_t time) {
  last_ = time;
  if (depth_ == 0 || --depth_ != 0) return;
  if (begun_) End(time);
}

// If the trace lacks the call, both ends are at the record.
void CommCalls::Begin(uint64_t time, OTF2_AttributeList* list) {
  if (begun_) return;
  begun_ = true;
  Check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, list, depth_ == 0 ? time : std::max(entered_, last_)));
}

void CommCalls::End(uint64_t time) {
  begun_ = false;
  Check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, time, operation_, over_, OTF2_UNDEFINED_UINT32, 0, 0));
}

void CommCalls::Created(uint64_t time, const uint64_t* field, OTF2_AttributeList* list) {
  const uint32_t made = numbers_.Communicator(process_, field[0]);
  const uint32_t from = numbers_.Communicator(process_, field[1]);
  const bool at_once = field[2] == 0;  // otherwise its request is the operation, which ends next
  if (at_once) {
    Begin(time, list);
    operation_ = OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    over_ = made;
  }
  if (numbers_.NoteLife(made, from)) Check(OTF2_EvtWriter_CommCreate(writer_, at_once ? nullptr : list, time, made));
  last_ = time;
}

void CommCalls::Called(uint64_t time, const std::string& operation, uint64_t communicator, OTF2_AttributeList* list) {
  const CommCall what = OfCommunicator(operation);
  if (what == CommCall::kNone) return;
  Begin(time, list);
  over_ = numbers_.Communicator(process_, communicator);
  operation_ = what == CommCall::kFrees ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE : OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  if (what == CommCall::kFrees && numbers_.NoteLife(over_)) {
    Check(OTF2_EvtWriter_CommDestroy(writer_, nullptr, time, over_));
  }
  last_ = time;
  if (depth_ == 0) End(time);
}

}  // namespace epik::archive
