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
#include "runtime/choice/probe.h"
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

namespace epik::measurement {

namespace {

// The parts start, and do everything else, in this order.
constexpr const episode::Part* kParts[] = {
    // the program's own effort, before the end of other parts disturbs its caches
    &episode::effort_part,
    // selects the regions that are measured
    &choice::selector_part,
    &choice::named_keys_part,
    &choice::choice_part,
    &choice::filter_part,
    &choice::switches_part,
    &choice::depth_part,
    &choice::recursion_part,
    &choice::patch_part,
    &choice::hot_paths_part,
    &choice::probe_part,
    &choice::budget_part,
    &episode::calibration_part,  // calibrates hooks that ask for all of this, but read no counters
    // counters that are measured with them
    &counters::counters_part,
    &counters::files_part,
    &monitor::collectors_part,  // before locations are told what to log
    &epilog::trace_part,        // whose records have counters
    &fibers::fibers_part,       // before teams look at open frames
    &teams::teams_part,
    &epilog::births_part,  // a thread ends after its last part of a region
    // how it ends
    &endings::finish_part,
    &endings::control_part,
    &endings::rescue_part,
    &endings::last_signals_part,
    // when to measure: a thread that begins may have to pause
    &choice::gate_part,
    &choice::pause_part,
};

}  // namespace

const episode::PartList parts = {kParts, kParts + sizeof kParts / sizeof kParts[0]};

}  // namespace epik::measurement
