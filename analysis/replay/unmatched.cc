// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/replay/unmatched.h"

namespace epik::replay {

namespace {

struct ReasonText {
  const char* name;
  const char* text;
};
constexpr ReasonText kReasonTexts[kReasons] = {
    {"rank_not_traced", "the other rank is not in the trace"},
    {"unknown_peer", "the other process is not known"},
    {"no_partner", "the other side is not in the trace"},
    {"out_of_step", "the trace lacks calls between them"},
    {"no_begin", "the trace does not have their begin"},
    {"no_end", "the trace does not have their end"},
    {"call_not_logged", "the trace has no calls around them, so how long they waited is not known"},
    {"unknown_members", "the members of their communicator are not known"},
    {"cancelled", "they were cancelled"},
};
constexpr const char* kKindNames[kKindsOfUnmatched] = {"send",         "receive",     "collective", "request",
                                                       "team barrier", "acquisition", "epoch"};

}  // namespace

const char* NameOf(Kind kind) { return kKindNames[static_cast<size_t>(kind)]; }
const char* NameOf(Reason reason) { return kReasonTexts[static_cast<size_t>(reason)].name; }
const char* Explain(Reason reason) { return kReasonTexts[static_cast<size_t>(reason)].text; }

}  // namespace epik::replay
