// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/hot_costs.h"

#include "runtime/choice/hot_paths_hot.h"
#include "runtime/episode/calibrate.h"

namespace epik::choice {

HotCosts CalibrateHot() {
  HotSlot* slot = &hooks.hot_slots[episode::kScratchNode];
  *slot = {};
  slot->look_from = ~uint64_t{0};
  HotCosts costs;
  {
    const episode::Scratch scratch;
    costs.pair = episode::TicksOfPair();
    const event::Node* child = NodeAt(episode::kScratchNode);
    costs.empty = static_cast<double>(child->ticks) / static_cast<double>(child->visits);
    episode::CalibrateBehindWork();
    slot->skip = kDropped - 1;
    costs.untimed = episode::TicksOfPair();
  }
  *slot = {};
  return costs;
}

}  // namespace epik::choice
