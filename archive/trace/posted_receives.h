// SPDX-License-Identifier: BSD-3-Clause
// MPI gives messages to receives in the order in which these were posted. Calls may complete them in another order. So
// a receive that ends is held while an earlier one is open that may have got a message of the same kind.
#ifndef EPIK_ARCHIVE_TRACE_POSTED_RECEIVES_H_
#define EPIK_ARCHIVE_TRACE_POSTED_RECEIVES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace epik::archive {

// Tells which messages a receive takes; -1: any.
struct Accepts {
  uint64_t communicator = 0;
  int32_t from = -1;
  int64_t tag = -1;

  bool May(const Accepts& message) const {
    return communicator == message.communicator && (from < 0 || from == message.from) &&
           (tag < 0 || tag == message.tag);
  }
};

// The posted receives of one process. `End` has the facts about a receive that has ended. `now` gets the ends whose
// turn has come.
template <typename End>
class PostedReceives {
 public:
  void Post(uint64_t request, const Accepts& accepts, std::vector<End>* now) {
    posted_.push_back({accepts, request});
    if (posted_.size() <= kMostLookedAt) return;
    // If a program keeps more receives open, or never ends some, they are matched by the order of their ends.
    posted_.front().open = false;
    Release(now);
  }
  // `request` 0: a blocking receive, which is posted when it ends.
  void Complete(uint64_t request, const Accepts& message, const End& end, std::vector<End>* now) {
    Posted* posted = request == 0 ? nullptr : Find(request);
    if (posted == nullptr) {
      if (request != 0 || !StandsBefore(posted_.size(), message)) return now->push_back(end);
      posted_.push_back({message, 0});
      posted = &posted_.back();
    }
    const bool is_narrower = posted->accepts.from < 0 || posted->accepts.tag < 0;
    posted->accepts = message;
    posted->open = false;
    posted->end = end;
    ++held_;
    // It is held, and holds up what it held up before.
    if (!is_narrower && StandsBefore(PlaceOf(posted), message)) return;
    Release(now);
  }
  // Returns the kinds of messages that the open receive of that request takes; null when no such receive is open.
  const Accepts* AcceptsOf(uint64_t request) {
    const Posted* posted = Find(request);
    return posted == nullptr ? nullptr : &posted->accepts;
  }
  void Cancel(uint64_t request, std::vector<End>* now) {
    Posted* posted = Find(request);
    if (posted == nullptr) return;
    posted->open = false;
    Release(now);
  }
  // The open receives never end.
  void Rest(std::vector<End>* now) {
    for (Posted& posted : posted_) posted.open = false;
    Release(now);
  }

 private:
  static constexpr size_t kMostLookedAt = 4096, kFew = 32;
  struct Posted {
    Accepts accepts;
    uint64_t request;
    bool open = true;
    std::optional<End> end = std::nullopt;
  };

  Posted* Find(uint64_t request) {
    const auto found = std::find_if(posted_.rbegin(), posted_.rend(),
                                    [&](const Posted& posted) { return posted.open && posted.request == request; });
    return found == posted_.rend() ? nullptr : &*found;
  }
  size_t PlaceOf(const Posted* posted) const {
    // The latest ones end first.
    size_t place = posted_.size();
    while (&posted_[--place] != posted) {
    }
    return place;
  }
  // Whether an open receive, or one that is held for an open one, holds up this message.
  bool StandsBefore(size_t place, const Accepts& message) const {
    return std::any_of(
        posted_.begin(), posted_.begin() + static_cast<std::ptrdiff_t>(place),
        [&](const Posted& posted) { return (posted.open || posted.end.has_value()) && posted.accepts.May(message); });
  }
  void Release(std::vector<End>* now) {
    for (size_t p = 0; held_ > 0 && p < posted_.size(); ++p) {
      Posted& posted = posted_[p];
      if (!posted.end.has_value() || StandsBefore(p, posted.accepts)) continue;
      now->push_back(*std::exchange(posted.end, std::nullopt));
      --held_;
    }
    const auto is_over = [](const Posted& posted) { return !posted.open && !posted.end.has_value(); };
    while (!posted_.empty() && is_over(posted_.front())) posted_.pop_front();
    // One that stays open keeps those behind it from the front.
    if (posted_.size() < 2 * left_) return;
    std::erase_if(posted_, is_over);
    left_ = std::max<size_t>(posted_.size(), kFew);
  }

  std::deque<Posted> posted_;
  size_t held_ = 0;
  size_t left_ = kFew;  // receives when those that are over were taken out last
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_POSTED_RECEIVES_H_
