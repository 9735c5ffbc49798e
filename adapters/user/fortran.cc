// SPDX-License-Identifier: BSD-3-Clause
// The functions of include/epik/epik.inc and of the procedures in epik.f90 that take text. Fortran compilers call them
// by these names and pass the lengths of texts behind the other arguments.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "adapters/user/user.h"
#include "epik/epik.h"
#include "runtime/base/compiler.h"
#include "runtime/choice/pause.h"

#define HERE __builtin_frame_address(0)

namespace {

using epik::event::Role;

// Makes a C string of a Fortran text, without the blanks at its end.
class Text {
 public:
  Text(const char* fortran, size_t length) {
    while (length > 0 && (fortran[length - 1] == ' ' || fortran[length - 1] == '\0')) --length;
    if (length > sizeof text_ - 1) length = sizeof text_ - 1;
    std::memcpy(text_, fortran, length);
    text_[length] = '\0';
  }
  const char* c_str() const { return text_; }

 private:
  char text_[256];
};

// A region of epik.inc is a text. Its first four characters are blank until the region has a number; then the first is
// a mark and the other three hold the number. Several threads may write it at once: all write the same bytes, the mark
// last.
constexpr size_t kHead = 4;
constexpr char kNumbered = 1;

uint32_t RegionOf(char* handle, size_t length, Role role) {
  if (__atomic_load_n(handle, __ATOMIC_ACQUIRE) == kNumbered) {
    uint32_t region = 0;
    for (size_t i = 1; i < kHead; ++i) {
      const auto byte = static_cast<unsigned char>(__atomic_load_n(handle + i, __ATOMIC_RELAXED));
      region |= uint32_t{byte} << (8 * (i - 1));
    }
    return region;
  }
  if (length <= kHead) return 0;
  const uint32_t region = epik::user::MakeRegion(Text(handle + kHead, length - kHead).c_str(), "", -1, role);
  if (region == 0 || region >> 24 != 0) return region;
  for (size_t i = 1; i < kHead; ++i) {
    __atomic_store_n(handle + i, static_cast<char>(region >> (8 * (i - 1))), __ATOMIC_RELAXED);
  }
  __atomic_store_n(handle, kNumbered, __ATOMIC_RELEASE);
  return region;
}

}  // namespace

extern "C" {

// epik.inc

EPIK_EXPORT void epik_f_start_(char* handle, size_t length) {
  epik::user::Enter(RegionOf(handle, length, Role::kUser), HERE);
}

EPIK_EXPORT void epik_f_end_(const char* handle, size_t length) {
  const bool numbered = length > kHead && __atomic_load_n(handle, __ATOMIC_ACQUIRE) == kNumbered;
  epik::user::Exit(numbered ? RegionOf(const_cast<char*>(handle), length, Role::kUser) : 0, HERE);
}

EPIK_EXPORT void epik_f_phase_(char* handle, const int64_t* value, size_t length) {
  epik::user::Enter(RegionOf(handle, length, Role::kPhase), HERE);
  if (length > kHead) {
    // The name stands behind the number for as long as the program runs.
    epik::user::EnterParameter(Text(handle + kHead, length - kHead).c_str(), *value, HERE);
  }
}

EPIK_EXPORT void epik_f_metric_(const char* name, const char* unit, const double* value, size_t name_length,
                                size_t unit_length) {
  const uint32_t metric =
      epik::user::MakeRegion(Text(name, name_length).c_str(), Text(unit, unit_length).c_str(), -1, Role::kMetric);
  epik::user::AddToMetric(metric, *value);
}

EPIK_EXPORT void epik_pause_() { epik::choice::Pause(HERE); }

EPIK_EXPORT void epik_resume_() { epik::choice::Resume(HERE); }

EPIK_EXPORT void epik_flush_trace_() { epik_flush_trace(); }

EPIK_EXPORT void epik_f_trace_on_() { epik_trace(1); }

EPIK_EXPORT void epik_f_trace_off_() { epik_trace(0); }

// epik.inc and epik.f90

EPIK_EXPORT void epik_group_enable_(const char* group, size_t length) {
  epik::user::SwitchGroup(Text(group, length).c_str(), true);
}

EPIK_EXPORT void epik_group_disable_(const char* group, size_t length) {
  epik::user::SwitchGroup(Text(group, length).c_str(), false);
}

// epik.f90

EPIK_EXPORT int32_t epik_region_(const char* name, size_t length) {
  return static_cast<int32_t>(epik::user::MakeRegion(Text(name, length).c_str(), "", -1, Role::kUser));
}

EPIK_EXPORT int32_t epik_phase_(const char* name, size_t length) {
  return static_cast<int32_t>(epik::user::MakeRegion(Text(name, length).c_str(), "", -1, Role::kPhase));
}

EPIK_EXPORT int32_t epik_metric_(const char* name, const char* unit, size_t name_length, size_t unit_length) {
  return static_cast<int32_t>(
      epik::user::MakeRegion(Text(name, name_length).c_str(), Text(unit, unit_length).c_str(), -1, Role::kMetric));
}

EPIK_EXPORT void epik_parameter_int_(const char* name, const int64_t* value, size_t length) {
  epik::user::EnterParameter(Text(name, length).c_str(), *value, HERE);
}

EPIK_EXPORT void epik_parameter_string_(const char* name, const char* value, size_t name_length, size_t value_length) {
  epik::user::EnterParameter(Text(name, name_length).c_str(), Text(value, value_length).c_str(), HERE);
}
}
