// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/abi/coll_tree.h"

#include "adapters/abi/noted_call.h"
#include "runtime/base/compiler.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/options.h"
#include "runtime/job/coll_tree.h"
#include "runtime/monitor/collectors.h"

extern "C" {

EPIK_EXPORT int epik_adapter_wants_tree(void) {
  return epik::episode::EnsureStarted() && epik::episode::adapter_options.coll_tree != nullptr ? 1 : 0;
}

EPIK_EXPORT const EpikCollTree* epik_adapter_coll_tree(void) { return &epik::job::TreeOfJob(); }

EPIK_EXPORT const EpikCollTree* epik_adapter_newest_tree(uint32_t* version) {
  const epik::episode::Inside guard;
  return &epik::job::NewestTree(version);
}

EPIK_EXPORT void epik_adapter_take_tree(uint32_t version, const int32_t* parents) {
  const epik::episode::Inside guard;
  epik::job::TakeTree(version, parents);
}

EPIK_EXPORT void epik_adapter_moment(uint32_t moment, const void* stack) {
  static_assert(kEpikMomentUp == static_cast<uint32_t>(epik::config::MonitorSchedule::kUp) &&
                kEpikMomentDown == static_cast<uint32_t>(epik::config::MonitorSchedule::kDown));
  epik::monitor::DoWhatIsDue(moment, stack);
}

EPIK_EXPORT void epik_adapter_links(uint32_t number, uint32_t sequence, const EpikLink* links, uint32_t count) {
  epik::event::Location* location = epik::episode::current;
  if (epik::adapters::NotedFrame(location) == nullptr) return;
  for (uint32_t i = 0; i < count; ++i) {
    epik::event::CollectiveEvent event = {};
    event.entered = links[i].is_up ? links[i].sent : links[i].received;
    event.left = links[i].is_up ? links[i].received : links[i].sent;
    event.communicator = number;
    event.sequence = sequence;
    event.about = epik::event::AboutLink(links[i].peer, links[i].is_up);
    epik::monitor::NoteLink(location, event);
  }
}

}  // extern "C"
