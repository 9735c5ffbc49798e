// SPDX-License-Identifier: BSD-3-Clause
// One call of MPI: enter, the real one, what it meant, exit. What MPI calls while it works, and what callbacks of the
// program's call from within, is no event: one call is one event.
#ifndef EPIK_ADAPTERS_MPI_CALL_HOT_H_
#define EPIK_ADAPTERS_MPI_CALL_HOT_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/abi/abi.h"
#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

// The frame of the wrapper.
#define EPIK_HERE __builtin_frame_address(0)

namespace epik::mpi {

// Which settings of EPK_MPI_ENABLED make a region of a routine: its own group, or both that its name is made of.
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
  bool fortran = false;  // bound to that language
  void* real = nullptr;  // stored last: what is beneath us
};

// What a call adds to a metric.
struct Sum {
  uint32_t metric = 0;
  uint64_t value = 0;
};

// Fills in the rest at the first call.
EPIK_COLD void Prepare(Routine* routine);

// The outermost wrapper of this thread. An older frame than the one that asks, or it was left by a jump.
extern __thread const void* outermost;

// What is logged of a call: nothing, usually. Two registers.
struct Begun {
  uint64_t request = 0;  // that this call makes, by its number in the trace; 0: none
  bool missed = false;   // a send could not be logged before the call: nobody knew whether its arguments are valid
};

// A call that has come back, for what logs it.
struct Returned {
  uint32_t region;
  uint64_t request;
  uint64_t value;
  uint64_t second_value;
  int wanted;  // as epik_adapter_enter says
};

// Its address goes nowhere but to functions that are always inlined, so that it is held in registers: functions that
// are called get what they need as values.
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
    }
    if (Counts() && EPIK_UNLIKELY(routine.fortran)) epik_adapter_add(event::kFortranCallsMetric, 0);
  }
  EPIK_HOT ~Call() {
    if (nested_) return;
    outermost = nullptr;
    if (routine_.region == 0) return;
    if (metric_ == 0) {
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
  EPIK_HOT uint32_t region() const { return routine_.region; }

  EPIK_HOT Returned returned() const { return {routine_.region, begun.request, value_, second_value_, wanted_}; }

  Begun begun;
  // What it sent, and where that counts.
  uint64_t bytes = 0;
  uint64_t place = 0;
  int32_t peer = 0;

  // Added to the call path when it is left, where it costs least. At most once.
  EPIK_HOT void Add(Sum first, Sum second = {}) {
    metric_ = first.metric;
    value_ = first.value;
    second_metric_ = second.metric;
    second_value_ = second.value;
  }
  // The call did what it should, and is an event. Errors are none.
  EPIK_HOT bool Counts(int result) const { return Counts() && result == MPI_SUCCESS; }
  // The same for what ends later, when this call itself is passed over (a pause).
  EPIK_HOT bool Tracks(int result) const { return !nested_ && routine_.region != 0 && result == MPI_SUCCESS; }
  // The same for what must be known whether or not it is measured.
  EPIK_HOT bool Made(int result) const { return !nested_ && result == MPI_SUCCESS; }

 private:
  EPIK_HOT bool Counts() const { return (wanted_ & kEpikCounts) != 0; }

  Routine& routine_;
  const void* stack_;
  bool nested_ = false;
  int wanted_ = 0;
  // Each by itself: a whole Sum, loaded at once after its parts were stored, would have to wait for them.
  uint32_t metric_ = 0;
  uint32_t second_metric_ = 0;
  uint64_t value_ = 0;
  uint64_t second_value_ = 0;
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_CALL_HOT_H_
