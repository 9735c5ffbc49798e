// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/hot_costs.h"

#include "runtime/choice/hot_paths_hot.h"
#include "runtime/episode/calibrate.h"

namespace epik::episode {

HotCosts CalibrateHot() {
  HotSlot* slot = &hooks.hot_slots[kScratchNode];
  *slot = {};
  slot->look_from = ~uint64_t{0};
  HotCosts costs;
  {
    const Scratch scratch;
    costs.pair = TicksOfPair();
    const Node* child = NodeAt(kScratchNode);
    costs.empty = static_cast<double>(child->ticks) / static_cast<double>(child->visits);
    CalibrateBehindWork();
    slot->skip = kDropped - 1;
    costs.untimed = TicksOfPair();
  }
  *slot = {};
  return costs;
}

}  // namespace epik::episode
