// SPDX-License-Identifier: BSD-3-Clause
// Tells the filter, the groups and the names of new regions and modules, in the order that they need.
#include "runtime/choice/choice.h"

#include <string>

#include "runtime/base/signals_blocked.h"
#include "runtime/choice/filter.h"
#include "runtime/choice/named_keys.h"
#include "runtime/choice/switches.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/options.h"
#include "runtime/episode/seams_hot.h"

namespace epik::choice {

namespace {

// EPK_GROUPS takes groups out for good where the program cannot switch them on again: then it is a filter.
void Start(const episode::Options& options) {
  std::string words;
  for (const std::string& word : options.settings.groups) words += word + "\n";
  if (!words.empty() && MaySwitchGroups()) {
    SwitchGroupsOff(words);
    words.clear();
  }
  StartFilter(options.filter, words, options.settings.patch);
  if (FilterNamesConstructs()) AskForConstructs();
}

}  // namespace

bool RegionIsOut(const episode::DefinedRegion& region) { return FilterHasOut(region); }

void NoteRegion(const episode::DefinedRegion& region, bool is_out) {
  const event::Key key = event::RegionKey(region.number);
  if (is_out) FilterKey(key);
  NoteNamedRegion(region);
  NoteSwitchRegion(region);
}

void ForgetCode(uint64_t begin, uint64_t end, uint64_t bias) {
  const base::SignalsBlocked blocked;  // a handler that jumped away would take a lock with it
  ForgetFiltered(begin, end, bias);
  ForgetSwitched(begin, end, bias);
  ForgetNamed(begin, end, bias);
}

const episode::Part choice_part = {.name = "choice", .start = Start};

}  // namespace epik::choice
