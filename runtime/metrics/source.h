// SPDX-License-Identifier: BSD-3-Clause
// Sources of counters: one class for each source, one row for each class in sources.def.
//
// Everything but Read is called rarely, with signals blocked and the thread marked as inside the runtime. Read is
// called at every event of a thread by that thread, in a signal handler too: no allocation, no lock, no cancellation
// point.
#ifndef EPIK_RUNTIME_METRICS_SOURCE_H_
#define EPIK_RUNTIME_METRICS_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/event/layout.h"

namespace epik::metrics {

using Kind = event::CounterKind;

// A counter as reports show it.
struct Counter {
  std::string name;  // with its source: "rusage::ru_nvcsw"
  std::string unit;  // occ, bytes, sec, J …
  std::string text;  // description in a few words
  Kind kind = Kind::kSum;
  double scale = 1;     // value of the source × scale is in the unit
  std::string missing;  // why it cannot be read, and what would help; empty: it can be read
};

// Adds a value at the end to a call path that is not current any more.
using AddTo = void (*)(uint64_t place, size_t counter, uint64_t value);

class Source {
 public:
  // All counters of this source; those that cannot be read have the reason.
  virtual std::vector<Counter> Offers() = 0;
  // Called before Choose: counters that do not fit at the same time may be counted in turns.
  virtual void AllowTurns() {}
  // `wanted` has the requested names, without the source's name, and afterwards the counters' descriptions. Every
  // counter without a reason in `missing` is opened for every thread and read in this order.
  virtual void Choose(std::vector<Counter>* wanted) = 0;
  // Bytes of state that a thread needs.
  virtual size_t StateBytes() const { return 0; }
  // Null, or the reason why the calling thread cannot read the counters. `state` is cleared memory.
  virtual const char* OpenThread(void* state) = 0;
  virtual void Read(void* state, uint64_t* values) = 0;
  virtual void CloseThread(void*) {}
  // In a forked child: drops the state that a thread of the parent opened.
  virtual void ForgetThread(void*) {}
  // The measurement ends: adds values to call paths that are not current, and sentences for people.
  virtual void Finish(AddTo, std::vector<std::string>*) {}

 protected:
  ~Source() = default;  // they are never destroyed
};

struct Registered {
  const char* name;
  const char* text;
  Source* (*make)();
};
// As in sources.def; ends with a null name.
extern const Registered kSources[];

// Two names of a counter are the same if they differ in case and in - and _ alone.
bool SameName(const std::string& a, const std::string& b);

// The offer with this name; else a missing counter whose reason suggests the nearest name.
Counter FindOffer(const std::string& source, const std::vector<Counter>& offers, const std::string& name);

}  // namespace epik::metrics

#endif  // EPIK_RUNTIME_METRICS_SOURCE_H_
