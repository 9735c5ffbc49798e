// SPDX-License-Identifier: BSD-3-Clause
// Groups of functions and regions that the program switches off and on while it runs (epik_group_disable), and single
// constructs of OpenMP that a filter excludes.
//
// The state at the enter of a call decides until its exit. For a function in several groups, the group that was
// switched last decides. The exclusions of EPK_GROUPS are one more group, off from the beginning.
#ifndef EPIK_RUNTIME_CHOICE_SWITCHES_H_
#define EPIK_RUNTIME_CHOICE_SWITCHES_H_

#include <string>

#include "runtime/episode/definitions.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::choice {

// Switches the group for all threads, from their next calls on. REQUIRES: inside.
void SwitchGroup(const char* name, bool on);

// EPK_GROUPS, a word a line, in a program that may switch groups. REQUIRES: inside.
void SwitchGroupsOff(const std::string& groups);

// Whether some loaded program or library names the functions that switch groups.
bool MaySwitchGroups();

// Whether functions and constructs have to be looked at when they come first.
bool MaySwitchNew();

// A region that has just been defined.
void NoteSwitchRegion(const episode::DefinedRegion& region);

// Looks at the function or construct of a new call path before it is entered. REQUIRES: inside.
void SwitchNew(event::Key key);

// A filter names single constructs of OpenMP: look at each when it comes for the first time. REQUIRES: inside.
void AskForConstructs();
// Whether a filter names the tasks of this construct. REQUIRES: inside.
bool IsTaskOut(event::Key key);
// False for constructs that other threads hang below, and for those that belong elsewhere.
bool CanBeOff(event::Construct construct);

// The module whose code was between these addresses is gone.
void ForgetSwitched(uint64_t begin, uint64_t end, uint64_t bias);

extern const episode::Part switches_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_SWITCHES_H_
