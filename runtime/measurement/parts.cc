// SPDX-License-Identifier: BSD-3-Clause
// The parts of the measurement, one row each.
#include "runtime/choice/budget.h"
#include "runtime/choice/choice.h"
#include "runtime/choice/depth.h"
#include "runtime/choice/filter.h"
#include "runtime/choice/gate.h"
#include "runtime/choice/hot_paths.h"
#include "runtime/choice/named_keys.h"
#include "runtime/choice/patch.h"
#include "runtime/choice/pause.h"
#include "runtime/choice/recursion.h"
#include "runtime/choice/selector.h"
#include "runtime/choice/switches.h"
#include "runtime/counters/counters.h"
#include "runtime/counters/files.h"
#include "runtime/endings/control.h"
#include "runtime/endings/finish.h"
#include "runtime/endings/last_signal.h"
#include "runtime/endings/rescue.h"
#include "runtime/epilog/births.h"
#include "runtime/epilog/capture.h"
#include "runtime/episode/calibrate.h"
#include "runtime/episode/effort.h"
#include "runtime/episode/part.h"
#include "runtime/fibers/fibers.h"
#include "runtime/monitor/collectors.h"
#include "runtime/teams/team.h"

namespace epik::episode {

namespace {

// In the order in which they start, and do everything else.
constexpr const Part* kParts[] = {
    // what the program took, before anybody else's end disturbs its caches
    &effort_part,
    // what is measured
    &selector_part,
    &named_keys_part,
    &choice_part,
    &filter_part,
    &switches_part,
    &depth_part,
    &recursion_part,
    &patch_part,
    &hot_paths_part,
    &budget_part,
    &calibration_part,  // of hooks that ask for all of this, but read no counters
    // what is measured with it
    &counters_part,
    &files_part,
    &collectors_part,  // before places are told what is logged
    &trace_part,       // whose records have counters
    &births_part,
    &fibers_part,  // before teams look at what is open
    &teams_part,
    // how it ends
    &finish_part,
    &control_part,
    &rescue_part,
    &last_signals_part,
    // when it is measured: may let the thread pause that begins
    &gate_part,
    &pause_part,
};

}  // namespace

const PartList parts = {kParts, kParts + sizeof kParts / sizeof kParts[0]};

}  // namespace epik::episode
