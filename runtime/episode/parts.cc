// SPDX-License-Identifier: BSD-3-Clause
// The parts of the measurement, one row each.
#include "runtime/episode/budget.h"
#include "runtime/episode/calibrate.h"
#include "runtime/episode/choice.h"
#include "runtime/episode/control.h"
#include "runtime/episode/counters.h"
#include "runtime/episode/depth.h"
#include "runtime/episode/filter.h"
#include "runtime/episode/finish.h"
#include "runtime/episode/gate.h"
#include "runtime/episode/hot_paths.h"
#include "runtime/episode/last_signal.h"
#include "runtime/episode/named_keys.h"
#include "runtime/episode/part.h"
#include "runtime/episode/patch.h"
#include "runtime/episode/pause.h"
#include "runtime/episode/rescue.h"
#include "runtime/episode/switches.h"
#include "runtime/episode/team.h"
#include "runtime/episode/trace.h"

namespace epik::episode {

namespace {

// In the order in which they start, and do everything else.
constexpr const Part* kParts[] = {
    // what is measured
    &named_keys_part,
    &choice_part,
    &filter_part,
    &switches_part,
    &depth_part,
    &patch_part,
    &hot_paths_part,
    &budget_part,
    &calibration_part,  // of hooks that ask for all of this, but read no counters
    // what is measured with it
    &counters_part,
    &trace_part,  // whose records have counters
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
