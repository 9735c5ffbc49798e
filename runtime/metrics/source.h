// SPDX-License-Identifier: BSD-3-Clause
// Where counters come from: one class for each source, one row for each class in sources.def.
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

// A counter as it stands in reports.
struct Counter {
  std::string name;  // with its source: "rusage::ru_nvcsw"
  std::string unit;  // occ, bytes, sec, J …
  std::string text;  // what it is, in a few words
  Kind kind = Kind::kSum;
  double scale = 1;     // values of the source times this are of the unit
  std::string missing;  // why it cannot be had, and what would help; empty: it can
};

// What is given back at the end for call paths that are not current any more.
using AddTo = void (*)(uint64_t place, size_t counter, uint64_t value);

class Source {
 public:
  // All that may be asked for here, those that cannot be had with the reason.
  virtual std::vector<Counter> Offers() = 0;
  // Before the next: what does not fit at the same time may be counted in turns.
  virtual void AllowTurns() {}
  // The counters wanted, by the names they were asked for (without the source's); afterwards what they are. Whatever
  // has no reason to be missing is opened for every thread, and read in this order.
  virtual void Choose(std::vector<Counter>* wanted) = 0;
  // Bytes that a thread needs.
  virtual size_t StateBytes() const { return 0; }
  // Null, or why the calling thread cannot have them. `state` is cleared memory.
  virtual const char* OpenThread(void* state) = 0;
  virtual void Read(void* state, uint64_t* values) = 0;
  virtual void CloseThread(void*) {}
  // In a forked child: what was opened by a thread of the parent.
  virtual void ForgetThread(void*) {}
  // The measurement ends: values of other call paths than the current one, and sentences for people.
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

// Of the offers, the one that is called so; otherwise a missing one that says which comes nearest.
Counter FindOffer(const std::string& source, const std::vector<Counter>& offers, const std::string& name);

}  // namespace epik::metrics

#endif  // EPIK_RUNTIME_METRICS_SOURCE_H_
