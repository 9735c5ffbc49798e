// SPDX-License-Identifier: BSD-3-Clause
// The functions of include/epik/epik.h.
#include "adapters/user/user.h"
#include "epik/epik.h"
#include "runtime/base/compiler.h"
#include "runtime/choice/pause.h"
#include "runtime/episode/lifecycle.h"

// The frame of the entry point itself, even if functions are inlined into it: a longjmp closes regions by the place on
// the stack where they were entered.
#define HERE __builtin_frame_address(0)

using epik::event::Role;

extern "C" {

EPIK_EXPORT epik_region_t epik_region(const char* name, const char* file, int line) {
  return epik::user::MakeRegion(name, file, line, Role::kUser);
}

EPIK_EXPORT epik_region_t epik_phase(const char* name, const char* file, int line) {
  return epik::user::MakeRegion(name, file, line, Role::kPhase);
}

EPIK_EXPORT void epik_enter(epik_region_t region) { epik::user::Enter(region, HERE); }

EPIK_EXPORT void epik_exit(epik_region_t region) { epik::user::Exit(region, HERE); }

EPIK_EXPORT void epik_parameter_int(const char* name, int64_t value) { epik::user::EnterParameter(name, value, HERE); }

EPIK_EXPORT void epik_parameter_string(const char* name, const char* value) {
  epik::user::EnterParameter(name, value, HERE);
}

EPIK_EXPORT void epik_parameter_end(void) { epik::user::ExitParameter(HERE); }

EPIK_EXPORT epik_region_t epik_metric(const char* name, const char* unit) {
  return epik::user::MakeRegion(name, unit, -1, Role::kMetric);
}

EPIK_EXPORT void epik_metric_add(epik_region_t metric, double value) { epik::user::AddToMetric(metric, value); }

EPIK_EXPORT void epik_pause(void) { epik::choice::Pause(HERE); }

EPIK_EXPORT void epik_resume(void) { epik::choice::Resume(HERE); }

EPIK_EXPORT void epik_flush_trace(void) { epik::user::FlushTrace(); }

EPIK_EXPORT void epik_trace(int on) { epik::user::SwitchTrace(on != 0); }

EPIK_EXPORT void epik_group_enable(const char* group) { epik::user::SwitchGroup(group, true); }

EPIK_EXPORT void epik_group_disable(const char* group) { epik::user::SwitchGroup(group, false); }

EPIK_EXPORT int epik_is_measuring(void) { return epik::episode::pauses == 0 && epik::episode::EnsureStarted() ? 1 : 0; }
}
