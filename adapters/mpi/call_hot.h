// SPDX-License-Identifier: BSD-3-Clause
// One call of MPI: enter, the real function, its meaning, exit. One call is one event: calls that MPI makes while it
// works, and calls from the program's callbacks, are none.
#ifndef EPIK_ADAPTERS_MPI_CALL_HOT_H_
#define EPIK_ADAPTERS_MPI_CALL_HOT_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/abi/abi.h"
#include "adapters/mpi/absence.h"
#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

// The frame of the wrapper.
#define EPIK_HERE EPIK_WRAPPER_FRAME

namespace epik::mpi {

// The settings of EPK_MPI_ENABLED that make a region of a routine: its own group, or both groups in its name.
struct Group {
  uint64_t own;
  uint64_t both;
};

// A wrapped symbol.
struct Routine {
  const char* symbol;  // "mpi_send_"
  const char* name;    // "MPI_Send"
  Group group;
  uint32_t region = 0;   // 0: not measured
  int noted = 0;         // if it is not: the things that are still counted (epik_adapter_noted)
  bool fortran = false;  // one of Fortran's bindings
  Stays stays = Stays::kYes;
  void* real = nullptr;  // the function below ours; stored last
};

// The value that a call adds to a metric.
struct Sum {
  uint32_t metric = 0;
  uint64_t value = 0;
};

// Fills in the rest at the first call.
EPIK_COLD void Prepare(Routine* routine);

// The frame of this thread's outermost wrapper. If it is not older than the frame that asks, a jump has left it.
extern __thread const void* outermost;

// State of a call for the trace; usually empty. It fits into two registers.
struct Begun {
  uint64_t request = 0;  // number in the trace of the request that this call makes; 0: none
  bool missed = false;   // a send could not be logged before the call, because its arguments may be invalid
  bool sends = false;    // a send was logged before the call
};

// A call that has returned, for the code that logs it.
struct Returned {
  uint32_t region;
  uint64_t request;
  uint64_t value;
  uint64_t second_value;
  int wanted;            // as epik_adapter_enter says
  bool of_some = false;  // a collective operation: data come from some processes only
};

// Its address goes only to functions that are always inlined, so the compiler holds it in registers. Functions that are
// called get values.
class Call {
 public:
  EPIK_HOT Call(Routine& routine, const void* stack) : routine_(routine), stack_(stack) {
    if (EPIK_UNLIKELY(__atomic_load_n(&routine.real, __ATOMIC_ACQUIRE) == nullptr)) Prepare(&routine);
    if (EPIK_UNLIKELY(stack < outermost)) {
      nested_ = true;
      return;
    }
    outermost = stack;
    if (routine.region != 0) {
      wanted_ = epik_adapter_enter(routine.region, stack);
    } else {
      wanted_ = routine.noted;
    }
    if (Counts() && EPIK_UNLIKELY(routine.fortran)) epik_adapter_add(event::kFortranCallsMetric, 0);
  }
  EPIK_HOT ~Call() {
    if (nested_) return;
    outermost = nullptr;
    if (routine_.region == 0) return;
    if (Steps()) left_ = LeftCall(routine_.stays, left_);
    if (EPIK_UNLIKELY(left_ != 0)) {
      epik_adapter_exit_at(routine_.region, stack_, left_, metric_, value_, second_metric_, second_value_);
    } else if (metric_ == 0) {
      epik_adapter_exit(routine_.region, stack_);
    } else {
      epik_adapter_exit_with(routine_.region, stack_, metric_, value_, second_metric_, second_value_);
    }
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  template <class Function>
  EPIK_HOT Function* Real() const {
    return reinterpret_cast<Function*>(routine_.real);
  }
  EPIK_HOT bool IsNested() const { return nested_; }
  // Communication is logged: an event that counts.
  EPIK_HOT bool Traces() const { return EPIK_UNLIKELY((wanted_ & kEpikTraces) != 0); }
  // Something is written about each collective call: a record of the trace, or what monitors read.
  EPIK_HOT bool Notes() const { return EPIK_UNLIKELY((wanted_ & (kEpikTraces | kEpikCollects)) != 0); }
  // Others must know of messages, and of operations that end in another call (steps.h).
  EPIK_HOT bool Steps() const { return EPIK_UNLIKELY((wanted_ & kEpikSteps) != 0); }
  // Messages are counted by now: since before this call, or since the trace was switched off while it went on.
  EPIK_HOT bool CountsByNow() const { return Steps() || (Traces() && (epik_adapter_noted() & kEpikSteps) != 0); }
  // Monitors alone read what is written of this call, which did what it should.
  EPIK_HOT bool IsForMonitors(int result) const {
    constexpr int kAsked = kEpikCounts | kEpikTraces | kEpikCollects;
    return EPIK_LIKELY((wanted_ & kAsked) == (kEpikCounts | kEpikCollects) && result == MPI_SUCCESS);
  }
  // It is measured, and nothing is written about messages.
  EPIK_HOT bool OnlyCounts() const {
    return EPIK_LIKELY((wanted_ & (kEpikCounts | kEpikTraces | kEpikSteps)) == kEpikCounts);
  }
  // Something is written about messages that end in another call.
  EPIK_HOT bool Follows() const { return EPIK_UNLIKELY((wanted_ & (kEpikTraces | kEpikSteps)) != 0); }
  // Something is written about collective operations that end in another call.
  EPIK_HOT bool Announces() const { return EPIK_UNLIKELY((wanted_ & (kEpikTraces | kEpikCollects | kEpikSteps)) != 0); }
  // Nothing is measured of it (a pause), but what it begins may end where something is.
  EPIK_HOT bool IsPassedOver() const { return EPIK_UNLIKELY(!Counts()); }
  EPIK_HOT uint32_t region() const { return routine_.region; }
  EPIK_HOT int wanted() const { return wanted_; }

  EPIK_HOT bool gives() const { return value_ != 0; }
  EPIK_HOT bool gets() const { return second_value_ != 0; }
  EPIK_HOT Returned returned() const {
    return {routine_.region, begun.request, value_, second_value_, wanted_, of_some};
  }

  Begun begun;
  // The message that it sent, and the place where it counts.
  uint64_t bytes = 0;
  uint64_t place = 0;
  int32_t peer = -1;
  bool completes = false;  // it noted the end of a send; NoteCompleted follows (steps.h)
  bool of_some = false;    // a collective operation: data come from some processes only (sources.h)

  // Adds to metrics when the call path is left, where that costs least. At most once.
  EPIK_HOT void Add(Sum first, Sum second = {}) {
    metric_ = first.metric;
    value_ = first.value;
    second_metric_ = second.metric;
    second_value_ = second.value;
  }
  // The clock has been read at its end; 0: it has not.
  EPIK_HOT void Left(uint64_t ticks) { left_ = ticks; }
  // The call did what it should, and is an event. Errors are none.
  EPIK_HOT bool Counts(int result) const { return Counts() && result == MPI_SUCCESS; }
  // The same for what ends later, when this call itself is passed over (a pause).
  EPIK_HOT bool Tracks(int result) const { return !nested_ && routine_.region != 0 && result == MPI_SUCCESS; }
  // Whether it succeeded, for objects that must be known even if the call is not measured.
  EPIK_HOT bool Made(int result) const { return !nested_ && result == MPI_SUCCESS; }

 private:
  EPIK_HOT bool Counts() const { return (wanted_ & kEpikCounts) != 0; }

  Routine& routine_;
  const void* stack_;
  bool nested_ = false;
  int wanted_ = 0;
  uint64_t left_ = 0;
  // Each by itself: a whole Sum, loaded at once after its parts were stored, would have to wait for them.
  uint32_t metric_ = 0;
  uint32_t second_metric_ = 0;
  uint64_t value_ = 0;
  uint64_t second_value_ = 0;
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_CALL_HOT_H_
