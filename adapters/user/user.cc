// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/user/user.h"

#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "runtime/choice/pause.h"
#include "runtime/choice/switches.h"
#include "runtime/epilog/capture.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/metrics.h"

namespace epik::user {

using event::FrameAt;
using event::Key;
using event::Location;
using event::RegionKey;
using event::Role;

namespace {

// Whether the region was defined as "name=…".
bool IsValueOf(const char* name, Key key) {
  const char* defined = episode::NameOfRegion(event::RegionOf(key));
  const size_t length = std::strlen(name);
  return defined != nullptr && std::strncmp(defined, name, length) == 0 && defined[length] == '=';
}

// A parameter keeps its value until another one of its name is set. Parameters nest directly in each other, so the
// search ends at the first frame that is not a parameter.
void ExitParameterNamed(Location* location, const char* name, const void* stack) {
  for (uint32_t i = location->top; i > location->bottom; --i) {
    const Key key = FrameAt(i)->key;
    if (!event::IsParameter(key)) return;
    if (!IsValueOf(name, key)) continue;
    episode::Exit(key, stack);
    return;
  }
}

}  // namespace

uint32_t MakeRegion(const char* name, const char* file, int line, Role role) {
  if (!episode::EnsureStarted()) return 0;
  const bool was_inside = episode::inside;
  episode::inside = true;
  const uint32_t region = episode::DefineRegion(name, file, line, role);
  episode::inside = was_inside;
  return region;
}

void Enter(uint32_t region, const void* stack) {
  if (region != 0) episode::Enter(RegionKey(region), stack);
}

void Exit(uint32_t region, const void* stack) {
  if (region != 0) return episode::Exit(RegionKey(region), stack);
  // The region was never defined, so it never began.
  if (Location* location = episode::CurrentLocation()) ++location->unmatched;
}

void EnterParameter(const char* name, const char* value, const void* stack) {
  Location* location = episode::CurrentLocation();
  if (location == nullptr) return;
  if (name == nullptr) name = "";
  ExitParameterNamed(location, name, stack);
  char text[256];
  std::snprintf(text, sizeof text, "%s=%s", name, value != nullptr ? value : "");
  Enter(MakeRegion(text, "", -1, Role::kParameter), stack);
}

// Only a trace of everything has parameters and metrics. With windows, the threshold of the location is always 0.
static bool LogsEverything(const Location* location) {
  return location->worth == 0 && event::Process()->trace_worth == 0;
}

void EnterParameter(const char* name, int64_t value, const void* stack) {
  char text[24];
  std::snprintf(text, sizeof text, "%" PRId64, value);
  EnterParameter(name, text, stack);
  const Location* location = episode::current;
  if (location == nullptr || !LogsEverything(location)) return;
  const uint64_t fields[] = {MakeRegion(name != nullptr ? name : "", "", -1, Role::kParameter),
                             static_cast<uint64_t>(value)};
  epilog::LogRecord(event::RecordKind::kParameter, fields);
}

void ExitParameter(const void* stack) {
  const Location* location = episode::current;
  if (location == nullptr) return;
  const Key key = FrameAt(location->top)->key;
  if (event::IsParameter(key)) episode::Exit(key, stack);
}

void AddToMetric(uint32_t metric, double value) {
  if (metric == 0) return;
  Location* location = episode::CurrentLocation();
  if (location == nullptr) return;
  episode::AddReal(location, metric, value);
  if (LogsEverything(location)) {
    const uint64_t fields[] = {metric, std::bit_cast<uint64_t>(value)};
    epilog::LogRecord(event::RecordKind::kMetric, fields);
  }
}

void FlushTrace() {
  if (Location* location = episode::CurrentLocation()) epilog::FlushTrace(location);
}

void SwitchTrace(bool on) {
  if (!episode::EnsureStarted()) return;
  const episode::Inside guard;
  epilog::SwitchTrace(on);
}

void SwitchGroup(const char* name, bool on) {
  if (!episode::EnsureStarted()) return;
  const episode::Inside guard;
  choice::SwitchGroup(name, on);
}

}  // namespace epik::user
