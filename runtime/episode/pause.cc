// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/pause.h"

#include <atomic>

#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"

namespace epik::episode {

__thread unsigned pauses __attribute__((tls_model("initial-exec"))) = 0;
bool stop_when_full = false;

namespace {

__thread Location* paused __attribute__((tls_model("initial-exec"))) = nullptr;
__thread uint32_t paused_at __attribute__((tls_model("initial-exec"))) = 0;

constexpr Key kKey = event::RegionKey(event::kPausedRegion);

}  // namespace

void Pause(const void* stack) {
  if (pauses == 0) {
    const Location* before = current;
    paused_at = before != nullptr ? before->node : 0;
    Enter(kKey, stack);
    paused = current;
    EPIK_ORDER();
    current = nullptr;
  }
  ++pauses;
}

void Resume(const void* stack) {
  if (pauses == 0 || --pauses != 0) return;
  Location* location = paused;
  paused = nullptr;
  // The measurement may have ended meanwhile, and taken the location with it.
  if (location == nullptr || CurrentStage() != Stage::kOn) return;
  PutBack(location);
  if (current != nullptr) Exit(kKey, stack);
}

void StopThisThread() {
  current = nullptr;
  ++pauses;  // and no resume brings it back: there is no location to return to
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  Inside guard;
  Note("memory was full: threads that came to a new call path were measured no more from there on (EPK_OVERFLOW=stop)");
}

uint32_t NodeOfPause() { return paused != nullptr ? paused_at : 0; }

void EndPause() {
  if (pauses == 0) return;
  pauses = 1;
  Resume(__builtin_frame_address(0));
}

void ForgetPause() { paused = nullptr; }

}  // namespace epik::episode
