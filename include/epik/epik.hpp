// SPDX-License-Identifier: BSD-3-Clause
// C++ on top of epik.h: regions that end with their scope, also when an exception leaves it.
#ifndef EPIK_INCLUDE_EPIK_HPP_
#define EPIK_INCLUDE_EPIK_HPP_

#include "epik/epik.h"

namespace epik {

// static epik_region_t id; epik::Region region(id, "name", __FILE__, __LINE__);
class Region {
 public:
  Region(epik_region_t& id, const char* name, const char* file, int line) : id_(0) {
    if (!epik_enter) return;
    if (id == 0) id = epik_region(name, file, line);
    id_ = id;
    epik_enter(id_);
  }
  ~Region() {
    if (id_ != 0) epik_exit(id_);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  epik_region_t id_;
};

// Nothing is measured on this thread while one lives.
class Pause {
 public:
  Pause() {
    if (epik_pause) epik_pause();
  }
  ~Pause() {
    if (epik_resume) epik_resume();
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
};

}  // namespace epik

#define EPIK_JOIN2_(a, b) a##b
#define EPIK_JOIN_(a, b) EPIK_JOIN2_(a, b)
#ifdef EPIK
#define EPIK_TRACER(name)                                          \
  static epik_region_t EPIK_JOIN_(epik_tracer_id_, __LINE__) = 0;  \
  ::epik::Region EPIK_JOIN_(epik_tracer_, __LINE__)(EPIK_JOIN_(epik_tracer_id_, __LINE__), (name), __FILE__, __LINE__)
#else
#define EPIK_TRACER(name) ((void)0)
#endif

#endif  // EPIK_INCLUDE_EPIK_HPP_
