// SPDX-License-Identifier: BSD-3-Clause
// C++ on top of epik.h: regions that end with their scope, also when an exception leaves it.
#ifndef EPIK_INCLUDE_EPIK_HPP_
#define EPIK_INCLUDE_EPIK_HPP_

#include "epik/epik.h"

#if defined(__GNUC__)
// Gets no hooks, because constructors of EPIK are not functions of the program.
#define EPIK_INLINE_ __attribute__((always_inline, no_instrument_function)) inline
#else
#define EPIK_INLINE_ inline
#endif

namespace epik {

// static epik_region_t id; epik::Region region(id, "name", __FILE__, __LINE__);
class Region {
 public:
  // Inlined even without optimization: after a longjmp, the stack frame that entered the region decides whether it
  // ends.
  EPIK_INLINE_ Region(epik_region_t& id, const char* name, const char* file, int line) : id_(0) {
    if (!epik_enter) return;
    if (EPIK_ID_(id) == 0) EPIK_SET_ID_(id, epik_region(name, file, line));
    id_ = EPIK_ID_(id);
    epik_enter(id_);
  }
  EPIK_INLINE_ ~Region() {
    if (id_ != 0) epik_exit(id_);
  }

 private:
  Region(const Region&);  // without a body, because this header supports C++98
  Region& operator=(const Region&);

  epik_region_t id_;
};

// While an object of this class lives, its thread is not measured.
class Pause {
 public:
  EPIK_INLINE_ Pause() {
    if (epik_pause) epik_pause();
  }
  EPIK_INLINE_ ~Pause() {
    if (epik_resume) epik_resume();
  }

 private:
  Pause(const Pause&);
  Pause& operator=(const Pause&);
};

}  // namespace epik

#define EPIK_JOIN2_(a, b) a##b
#define EPIK_JOIN_(a, b) EPIK_JOIN2_(a, b)
#ifdef EPIK
#define EPIK_TRACER(name)                                         \
  static epik_region_t EPIK_JOIN_(epik_tracer_id_, __LINE__) = 0; \
  ::epik::Region EPIK_JOIN_(epik_tracer_, __LINE__)(EPIK_JOIN_(epik_tracer_id_, __LINE__), (name), __FILE__, __LINE__)
#else
#define EPIK_TRACER(name) ((void)0)
#endif

#endif  // EPIK_INCLUDE_EPIK_HPP_
