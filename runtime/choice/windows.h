// SPDX-License-Identifier: BSD-3-Clause
// EPK_TRACE=window:f:10-20: logs a thread only in its 10th to 20th visit of f. Visits within others of the same region
// do not count.
//
// Whether a call path lies within f is a property of its node, looked up once; the decision at the end of each call
// counts how often f was left. So the enter hook knows nothing of windows either.
//
// A thread that works below a visit of f of another thread (a part of a parallel region, a thread that was created
// there) is in a window when that visit is.
#ifndef EPIK_RUNTIME_CHOICE_WINDOWS_H_
#define EPIK_RUNTIME_CHOICE_WINDOWS_H_

#include <vector>

#include "config/trace_selection.h"
#include "runtime/event/layout.h"

namespace epik::choice {

// REQUIRES: inside.
void StartWindows(const std::vector<config::TraceSelection::Window>& windows);
void ForgetWindows();  // in a forked child

bool HasWindows();

// Whether the location is within a window at this node.
bool InWindow(const event::Location* location, uint32_t node);
// The same for a call of the node that ends now. Counts the call.
bool LeaveInWindow(event::Location* location, uint32_t node);

// The location begins another life, of a thread whose creator was in these states.
void OpenWindows(event::Location* location);
// Nothing more is logged: notes whether the calls that are open are in a window. They get into the trace later.
void CloseWindows(event::Location* location);
void InheritAtBirth(uint64_t states);
uint64_t WindowsAround(const event::Location* location);  // of its current call path
// The location begins a part of the region that `leader` has open at `node`.
void InheritWindows(event::Location* location, const event::Location* leader, uint32_t node);

// Says into the archive which windows no function or region fits. REQUIRES: inside.
void NoteWindows();

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_WINDOWS_H_
