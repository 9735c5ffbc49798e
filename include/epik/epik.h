/* SPDX-License-Identifier: BSD-3-Clause
 *
 * EPIK's user interface for C and C++ (Fortran: epik.f90 and epik.inc).
 *
 * Compile with -DEPIK (or `epk instrument --user`) to switch it on; otherwise every macro expands to nothing. The
 * functions are weak: a program that uses them runs without measurement where no EPIK library is loaded. Any thread may
 * call any function.
 *
 *   EPIK_USER_REG(loop, "time loop");        names a region (where variables are declared)
 *   EPIK_USER_START(loop);  EPIK_USER_END(loop);
 *   EPIK_FUNC_START();  EPIK_FUNC_END();     the enclosing function as a region
 *   EPIK_PHASE_START(step, n);  EPIK_PHASE_END(step);   one sub-tree of the profile for each value of n
 *   EPIK_PAUSE_START();  EPIK_PAUSE_END();   does not measure this thread in between; its time is "paused"
 *   EPIK_PARAMETER("size", n);               a call path of its own for each value, until the next value or
 *                                            the end of the region around it
 *   EPIK_METRIC("residual", "1", r);         adds a value of the program's own to the call path
 *   EPIK_TRACER("name");                     C++: a region from here to the end of the scope
 *   EPIK_FLUSH_TRACE();                      writes this thread's trace buffer now, when a trace is being taken
 *   EPIK_TRACE_OFF();  EPIK_TRACE_ON();      logs nothing in between, in all threads
 *   EPIK_GROUP_DISABLE("solver::*");  EPIK_GROUP_ENABLE("solver::*");   does not measure a group, as in EPK_GROUPS,
 *                                            in between, in all threads; its time belongs to its callers
 */
#ifndef EPIK_INCLUDE_EPIK_H_
#define EPIK_INCLUDE_EPIK_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define EPIK_WEAK_ __attribute__((weak))
#define EPIK_UNUSED_ __attribute__((unused))
/* Several threads may use a region for the first time at once; all of them write the same number. */
#define EPIK_ID_(id) __atomic_load_n(&(id), __ATOMIC_RELAXED)
#define EPIK_SET_ID_(id, value) __atomic_store_n(&(id), (value), __ATOMIC_RELAXED)
#else
#define EPIK_WEAK_
#define EPIK_UNUSED_
#define EPIK_ID_(id) (id)
#define EPIK_SET_ID_(id, value) ((id) = (value))
#endif

typedef uint32_t epik_region_t;

/* Returns the number of a region, given at the first call for this (name, file, line); 0 when nothing is measured. */
epik_region_t epik_region(const char* name, const char* file, int line) EPIK_WEAK_;
/* The same for a phase: a region whose visits differ by a parameter that follows epik_enter. */
epik_region_t epik_phase(const char* name, const char* file, int line) EPIK_WEAK_;

void epik_enter(epik_region_t region) EPIK_WEAK_;
void epik_exit(epik_region_t region) EPIK_WEAK_;

/* Enters the call path "name=value" below the current region. It ends with epik_parameter_end, with another value of
 * the same name, or with the region around it. */
void epik_parameter_int(const char* name, int64_t value) EPIK_WEAK_;
void epik_parameter_string(const char* name, const char* value) EPIK_WEAK_;
void epik_parameter_end(void) EPIK_WEAK_;

/* epik_metric returns the number of a metric, or 0; epik_metric_add adds a value to the current call path. Reports show
 * the sum. */
epik_region_t epik_metric(const char* name, const char* unit) EPIK_WEAK_;
void epik_metric_add(epik_region_t metric, double value) EPIK_WEAK_;

void epik_pause(void) EPIK_WEAK_;
void epik_resume(void) EPIK_WEAK_;

/* Returns 1 while this thread is measured, and 0 while it is paused or nothing is measured. */
int epik_is_measuring(void) EPIK_WEAK_;

void epik_flush_trace(void) EPIK_WEAK_;
/* Switches the trace of all threads: 1 logs what EPK_TRACE selects, 0 logs nothing. At first it is on. */
void epik_trace(int on) EPIK_WEAK_;

/* Switch a group of functions and regions on and off, for all threads. A group has the form of EPK_GROUPS: compiler,
 * user, mpi, openmp, pthread, file=, dir=, object= or region=PATTERN. The switch concerns calls that are entered from
 * then on; calls that are off count for their callers. Calls that are open stay as they are. For a function in several
 * groups, the group that was switched last decides. main is always measured. */
void epik_group_enable(const char* group) EPIK_WEAK_;
void epik_group_disable(const char* group) EPIK_WEAK_;

#ifdef __cplusplus
}
#endif

#ifdef EPIK

#define EPIK_USER_REG(id, name)             \
  static epik_region_t id EPIK_UNUSED_ = 0; \
  static const char* const epik_name_##id EPIK_UNUSED_ = (name)
#define EPIK_ENTER_(id, name, make)                                              \
  do {                                                                           \
    if (epik_enter) {                                                            \
      if (EPIK_ID_(id) == 0) EPIK_SET_ID_(id, make((name), __FILE__, __LINE__)); \
      epik_enter(EPIK_ID_(id));                                                  \
    }                                                                            \
  } while (0)
#define EPIK_EXIT_(id)                      \
  do {                                      \
    if (epik_exit) epik_exit(EPIK_ID_(id)); \
  } while (0)

#define EPIK_USER_START(id) EPIK_ENTER_(id, epik_name_##id, epik_region)
#define EPIK_USER_END(id) EPIK_EXIT_(id)

#define EPIK_FUNC_START()                    \
  static epik_region_t epik_function_id = 0; \
  EPIK_ENTER_(epik_function_id, __func__, epik_region)
#define EPIK_FUNC_END() EPIK_EXIT_(epik_function_id)

#define EPIK_PHASE_START(id, value)                                               \
  do {                                                                            \
    EPIK_ENTER_(id, epik_name_##id, epik_phase);                                  \
    if (epik_parameter_int) epik_parameter_int(epik_name_##id, (int64_t)(value)); \
  } while (0)
#define EPIK_PHASE_END(id) EPIK_EXIT_(id)

#define EPIK_PARAMETER(name, value)                                       \
  do {                                                                    \
    if (epik_parameter_int) epik_parameter_int((name), (int64_t)(value)); \
  } while (0)

#define EPIK_METRIC(name, unit, value)                                                              \
  do {                                                                                              \
    static epik_region_t epik_metric_id = 0;                                                        \
    if (epik_metric_add) {                                                                          \
      if (EPIK_ID_(epik_metric_id) == 0) EPIK_SET_ID_(epik_metric_id, epik_metric((name), (unit))); \
      epik_metric_add(EPIK_ID_(epik_metric_id), (double)(value));                                   \
    }                                                                                               \
  } while (0)

#define EPIK_PAUSE_START()        \
  do {                            \
    if (epik_pause) epik_pause(); \
  } while (0)
#define EPIK_PAUSE_END()            \
  do {                              \
    if (epik_resume) epik_resume(); \
  } while (0)
#define EPIK_FLUSH_TRACE()                    \
  do {                                        \
    if (epik_flush_trace) epik_flush_trace(); \
  } while (0)
#define EPIK_TRACE_ON()            \
  do {                             \
    if (epik_trace) epik_trace(1); \
  } while (0)
#define EPIK_TRACE_OFF()           \
  do {                             \
    if (epik_trace) epik_trace(0); \
  } while (0)

#define EPIK_GROUP_ENABLE(group)                       \
  do {                                                 \
    if (epik_group_enable) epik_group_enable((group)); \
  } while (0)
#define EPIK_GROUP_DISABLE(group)                        \
  do {                                                   \
    if (epik_group_disable) epik_group_disable((group)); \
  } while (0)

#else /* !EPIK */

#define EPIK_USER_REG(id, name) struct epik_unused_##id
#define EPIK_USER_START(id) ((void)0)
#define EPIK_USER_END(id) ((void)0)
#define EPIK_FUNC_START() ((void)0)
#define EPIK_FUNC_END() ((void)0)
#define EPIK_PHASE_START(id, value) ((void)0)
#define EPIK_PHASE_END(id) ((void)0)
#define EPIK_PARAMETER(name, value) ((void)0)
#define EPIK_METRIC(name, unit, value) ((void)0)
#define EPIK_PAUSE_START() ((void)0)
#define EPIK_PAUSE_END() ((void)0)
#define EPIK_FLUSH_TRACE() ((void)0)
#define EPIK_TRACE_ON() ((void)0)
#define EPIK_TRACE_OFF() ((void)0)
#define EPIK_GROUP_ENABLE(group) ((void)0)
#define EPIK_GROUP_DISABLE(group) ((void)0)

#endif /* EPIK */

#ifdef __cplusplus
#include "epik/epik.hpp"
#endif

#endif /* EPIK_INCLUDE_EPIK_H_ */
