// SPDX-License-Identifier: BSD-3-Clause
// The requests of one Wait or Test. They are looked up before the call, because afterwards their handles are gone and
// may be those of other requests of another thread. If no other thread calls MPI, those that completed are looked up
// after the call: a program may ask about thousands again and again.
#ifndef EPIK_ADAPTERS_MPI_COMPLETING_H_
#define EPIK_ADAPTERS_MPI_COMPLETING_H_

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "adapters/mpi/absence.h"
#include "adapters/mpi/log.h"
#include "adapters/mpi/outcome.h"
#include "adapters/mpi/record_time.h"
#include "adapters/mpi/requests.h"
#include "adapters/mpi/sizes.h"
#include "adapters/mpi/steps.h"
#include "flavour.h"
#include "runtime/base/compiler.h"

namespace epik::mpi {

// The messages that a call has received, which count together at its end: there may be hundreds.
class ReceivedBytes {
 public:
  void Add(uint64_t bytes) {
    ++values_.count;
    values_.sum += bytes;
    if (bytes < values_.min) values_.min = bytes;
    if (bytes > values_.max) values_.max = bytes;
  }
  void Count() const {
    if (values_.count != 0) epik_adapter_add_values(event::kBytesReceivedMetric, &values_);
  }

 private:
  EpikValues values_ = {0, 0, UINT64_MAX, 0};
};

// Logs the result of a request, and counts it.
void Ended(const Request& request, const MPI_Status& status, Outcome outcome, ReceivedBytes* received);
// The same for a request that is over then.
void CountCompletion(const Request& request, const MPI_Status& status, Outcome outcome, ReceivedBytes* received);
// The same for one that the table has forgotten already.
void CountTaken(const Request& request, const MPI_Status& status, Outcome outcome, ReceivedBytes* received);
// The result of a receive that is only counted.
EPIK_HOT void CountReceived(const MPI_Status& status, Outcome outcome, ReceivedBytes* received) {
  if (outcome == Outcome::kGood && !WasCancelled(status)) received->Add(StatusBytes(status));
}

constexpr MPI_Status EmptyStatus() {
  MPI_Status status = {};
  status.MPI_SOURCE = MPI_PROC_NULL;
  return status;
}
inline constexpr MPI_Status kEmptyStatus = EmptyStatus();

// The requests of a call that complete. If all do, each is looked up and forgotten at once.
enum class Which : bool { kSome, kAll };

// Handle and Status are MPI_Request and MPI_Status, or both MPI_Fint.
template <class Handle, class Status>
class Completing {
 public:
  Completing(int count, Handle* handles, Status* statuses, Which which = Which::kSome)
      : count_(count), takes_(which == Which::kAll), handles_(handles), statuses_(statuses) {
    if (count <= 0 || handles == nullptr) return;
    if (count > kFew && !takes_ && UsesOneTable()) {
      KeepKeys();
      return;
    }
    memory_ = count <= kFew ? few_ : std::malloc(sizeof(Known) * static_cast<size_t>(count));
    auto* known = static_cast<Known*>(memory_);
    for (int i = 0; known != nullptr && i < count; ++i) {
      const uint64_t key = RequestKey(handles[i]);
      known[i].found = takes_ ? TakeActive(key, &known[i].request) : LookUp(key, &known[i].request);
      if (known[i].found != Found::kNone) known_ = known;
    }
    if (known_ != nullptr && IsIgnored(statuses)) UseOwnStatuses();
  }
  ~Completing() {
    if (EPIK_UNLIKELY(count_ > kFew)) Free();
  }
  Completing(const Completing&) = delete;
  Completing& operator=(const Completing&) = delete;

  // Passed instead of the program's statuses.
  Status* statuses() { return statuses_; }

  // All requests completed, according to `result`.
  void All(int result) {
    if (!HasSome()) return;
    const OneTime one;
    for (int i = 0; i < count_; ++i) {
      if (IsTakenReceive(i) && result == MPI_SUCCESS) {
        CountReceived(StatusAt(i), Outcome::kGood, &received_);
      } else {
        Count(i, StatusAt(i), result);
      }
    }
    received_.Count();
  }

  // One request completed; `index` is its place as the program gets it, counted from `first`.
  void One(int index, int first, int result) {
    if (!HasSome() || index == MPI_UNDEFINED) return;
    Count(index - first, StatusAt(0), result);
    received_.Count();
  }

  // Whether one of those that completed is followed (steps.h).
  bool HasSteps() const { return steps_; }

  // None of the tested requests completed.
  void Tested() {
    if (!HasSome() || !WantsTests()) return;
    for (int i = 0; i < count_; ++i) {
      const Known& known = At(i);
      if (known.found == Found::kWhole) LogTest(known.request);
    }
  }

  // Several requests completed. A call that MPI refuses leaves the count and the places as they were.
  void Some(int outcount, const int* indices, int first, int result) {
    if (!HasSome() || outcount == MPI_UNDEFINED) return;
    if (result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) return;
    const OneTime one;
    for (int i = 0; i < outcount; ++i) Count(indices[i] - first, StatusAt(i), result);
    received_.Count();
  }

 private:
  static constexpr int kFew = 8;
  struct Known {
    Found found;  // beside the first facts of the request: the others are hardly ever written
    Request request;
    bool IsPersistent() const { return found == Found::kWhole && mpi::IsPersistent(request.kind); }
  };

  void KeepKeys() {
    memory_ = std::malloc(sizeof *keys_ * static_cast<size_t>(count_));
    keys_ = static_cast<uint64_t*>(memory_);
    for (int i = 0; keys_ != nullptr && i < count_; ++i) keys_[i] = RequestKey(handles_[i]);
    if (keys_ != nullptr && IsIgnored(statuses_)) UseOwnStatuses();
  }

  bool HasSome() const { return known_ != nullptr || keys_ != nullptr; }
  // With keys alone, until the next one is asked for.
  const Known& At(int index) {
    if (keys_ == nullptr) return known_[index];
    auto* known = reinterpret_cast<Known*>(few_);
    known->found = LookUp(keys_[index], &known->request);
    return *known;
  }

  // A receive that is only counted, and that the table has forgotten already.
  bool IsTakenReceive(int index) const { return takes_ && known_ != nullptr && known_[index].found == Found::kCounted; }

  void UseOwnStatuses() {
    own_ = count_ <= kFew ? few_statuses_ : std::malloc(sizeof(MPI_Status) * static_cast<size_t>(count_));
    has_statuses_ = own_ != nullptr;
    if (has_statuses_) statuses_ = static_cast<Status*>(own_);
  }

  void Free() {
    std::free(memory_);
    std::free(own_);
  }

  // Without memory for statuses, the status is empty. C's status is not copied: loading the whole right after MPI
  // stored its pieces would stall.
  decltype(auto) StatusAt(int index) const {
    if constexpr (std::is_same_v<Status, MPI_Status>) {
      return static_cast<const MPI_Status&>(EPIK_LIKELY(has_statuses_) ? statuses_[index] : kEmptyStatus);
    } else {
      MPI_Status status = kEmptyStatus;
      const char* bytes = reinterpret_cast<const char*>(statuses_) + sizeof status * static_cast<size_t>(index);
      if (has_statuses_) std::memcpy(static_cast<void*>(&status), bytes, sizeof status);
      return status;
    }
  }

  void Count(int index, const MPI_Status& status, int result) {
    if (index < 0 || index >= count_) return;
    const Known& known = At(index);
    if (known.found == Found::kNone) return;
    const Request& request = known.request;
    const bool was_taken = takes_ && !known.IsPersistent();
    const bool is_single = result != MPI_ERR_IN_STATUS;
    if (!is_single && status.MPI_ERROR == MPI_ERR_PENDING) {
      if (was_taken) PutBack(request, known.found);
      return;
    }
    const Outcome outcome = OutcomeOf(is_single ? result : status.MPI_ERROR);
    if (known.found == Found::kCounted) {
      if (!was_taken) Complete(request);
      return CountReceived(status, outcome, &received_);
    }
    communicates = true;
    steps_ = steps_ || request.followed.on;
    was_taken ? CountTaken(request, status, outcome, &received_)
              : CountCompletion(request, status, outcome, &received_);
  }

  int count_;
  bool takes_;
  bool steps_ = false;
  bool has_statuses_ = true;
  ReceivedBytes received_;
  const Handle* handles_;
  Status* statuses_;
  Known* known_ = nullptr;    // by place; null: no known request
  uint64_t* keys_ = nullptr;  // by place, instead of them
  void* memory_ = nullptr;
  void* own_ = nullptr;  // statuses
  // Raw memory: in the usual case, a send that completes, nothing initializes it.
  alignas(Known) char few_[kFew * sizeof(Known)];
  alignas(MPI_Status) char few_statuses_[kFew * sizeof(MPI_Status)];
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_COMPLETING_H_
