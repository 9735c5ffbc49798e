// SPDX-License-Identifier: BSD-3-Clause
// The bodies of include/epik/epik.h.
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "epik/epik.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location_hot.h"

namespace {

using epik::episode::Enter;
using epik::episode::Exit;
using epik::event::RegionKey;
using epik::event::Role;

// The location that is waiting for epik_resume, and how often it was paused.
__thread epik::event::Location* paused __attribute__((tls_model("initial-exec"))) = nullptr;
__thread unsigned pauses __attribute__((tls_model("initial-exec"))) = 0;

epik_region_t MakeRegion(const char* name, const char* file, int line, Role role) {
  if (!epik::episode::EnsureStarted()) return 0;
  epik::episode::Inside guard;
  return epik::episode::DefineRegion(name, file, line, role);
}

void EnterParameter(const char* name, const char* value) {
  if (epik::episode::current == nullptr) return;
  char text[256];
  std::snprintf(text, sizeof text, "%s=%s", name != nullptr ? name : "", value != nullptr ? value : "");
  const epik_region_t region = MakeRegion(text, "", -1, Role::kParameter);
  if (region != 0) Enter(RegionKey(region), __builtin_frame_address(0));
}

double DoubleOf(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

uint64_t BitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

extern "C" {

EPIK_EXPORT epik_region_t epik_region(const char* name, const char* file, int line) {
  return MakeRegion(name, file, line, Role::kUser);
}

EPIK_EXPORT epik_region_t epik_phase(const char* name, const char* file, int line) {
  return MakeRegion(name, file, line, Role::kPhase);
}

EPIK_EXPORT void epik_enter(epik_region_t region) {
  if (region != 0) Enter(RegionKey(region), __builtin_frame_address(0));
}

EPIK_EXPORT void epik_exit(epik_region_t region) {
  if (region != 0) Exit(RegionKey(region), __builtin_frame_address(0));
}

EPIK_EXPORT void epik_parameter_int(const char* name, int64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%" PRId64, value);
  EnterParameter(name, text);
}

EPIK_EXPORT void epik_parameter_string(const char* name, const char* value) { EnterParameter(name, value); }

EPIK_EXPORT void epik_parameter_end(void) {
  const epik::event::Location* location = epik::episode::current;
  if (location == nullptr) return;
  const epik::event::Key key = epik::event::FrameAt(location->top)->key;
  if (epik::event::IsParameter(key)) Exit(key, __builtin_frame_address(0));
}

EPIK_EXPORT epik_region_t epik_metric(const char* name, const char* unit) {
  return MakeRegion(name, unit, -1, Role::kMetric);
}

EPIK_EXPORT void epik_metric_add(epik_region_t metric, double value) {
  epik::event::Location* location = epik::episode::current;
  if (location == nullptr || metric == 0) return;
  const epik::event::Key key = RegionKey(metric);
  uint32_t child = epik::event::NodeAt(location->node)->last_child;
  if (epik::event::NodeAt(child)->key != key) {
    child = epik::epitome::FindChild(epik::event::NodeAt(location->node), key);
    if (child == 0) child = epik::episode::MakeChild(location, location->node, key);
  }
  epik::event::Node* node = epik::event::NodeAt(child);
  if (node->key != key) return;  // no room for it
  if (node->visits == 0 || value < DoubleOf(node->min)) node->min = BitsOf(value);
  if (node->visits == 0 || value > DoubleOf(node->max)) node->max = BitsOf(value);
  node->squares += value;
  ++node->visits;
}

EPIK_EXPORT void epik_pause(void) {
  if (pauses++ != 0) return;
  Enter(RegionKey(epik::event::kPausedRegion), __builtin_frame_address(0));
  paused = epik::episode::current;
  epik::episode::current = nullptr;
  epik::episode::inside = true;
}

EPIK_EXPORT void epik_resume(void) {
  if (pauses == 0 || --pauses != 0) return;
  epik::episode::inside = false;
  if (paused == nullptr) return;
  epik::episode::current = paused;
  paused = nullptr;
  Exit(RegionKey(epik::event::kPausedRegion), __builtin_frame_address(0));
}

// Traces have no buffers of their own until one is taken: there is nothing to write then.
EPIK_EXPORT void epik_flush_trace(void) {}

EPIK_EXPORT int epik_is_measuring(void) { return epik::episode::current != nullptr ? 1 : 0; }
}
