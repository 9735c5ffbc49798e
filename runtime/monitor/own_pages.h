// SPDX-License-Identifier: BSD-3-Clause
// Holds the calls that a thread has to put on pages of the board, and the calls of which it still needs the times from
// there.
#ifndef EPIK_RUNTIME_MONITOR_OWN_PAGES_H_
#define EPIK_RUNTIME_MONITOR_OWN_PAGES_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/monitor/membership.h"
#include "runtime/monitor/pages.h"
#include "runtime/monitor/table.h"

namespace epik::monitor {

// The thread's part of a page.
struct OwnPage {
  uint64_t id;            // of the communicator
  uint32_t communicator;  // its number in this process
  uint32_t number;        // of the page, on the communicator
  uint32_t members;
  uint32_t there;       // calls of this thread
  uint32_t told;        // of these
  uint32_t seen;        // calls that were there at the last exchange
  uint32_t gives;       // of these, the calls that give data to others
  uint32_t all, given;  // the operations that it still needs, as in PagePart
  bool closed;          // no other call of this thread is expected there
  bool is_mixed;        // calls of several call paths
  uint32_t latest;      // of the call paths
  PageTimes entered, left;
  uint32_t nodes[kOperationsOfPage];
  uint8_t roles[kOperationsOfPage];
  PageNews news;
};

class OwnPages {
 public:
  // A call of the thread.
  struct Call {
    uint64_t entered = 0, left = 0;
    uint32_t node = 0;
    uint8_t role = 0;
    bool gives = false;
    bool needs_all = false, needs_given = false;
  };
  struct Rules {
    uint64_t salt;  // keeps the pages of different purposes apart
    bool by_exits;  // the first exit counts, not the first enter
    bool in_order;  // if a call still lacks a process, the calls behind it wait, too
    uint32_t most;  // pages at a time; if there are more, the oldest are dropped
  };
  // kClosed: only pages that are full or finished, or that got no call since the last exchange, because the program may
  // have freed their communicator. The others wait for the next time. kAll: all pages.
  enum class Which { kClosed, kAll };

  OwnPages(Pages* pages, const Rules& rules) : pages_(pages), rules_(rules) {}

  // Null: there is no such page. The caller asks MembersOf and calls Begin.
  OwnPage* Find(uint32_t communicator, uint32_t sequence) {
    OwnPage* newest = NewestOf(communicator);
    return newest != nullptr && newest->number == sequence / kOperationsOfPage ? newest : nullptr;
  }
  // Null: there is no memory.
  OwnPage* Begin(uint32_t communicator, uint32_t sequence, const Membership& members);
  // REQUIRES: the page is that of this call.
  EPIK_HOT void Add(OwnPage* page, uint32_t sequence, const Call& call) {
    const uint32_t i = sequence % kOperationsOfPage, bit = 1u << i;
    page->entered[i] = call.entered;
    page->left[i] = call.left;
    page->nodes[i] = call.node;
    page->is_mixed = page->is_mixed || (page->there != 0 && call.node != page->latest);
    page->latest = call.node;
    page->roles[i] = call.role;
    page->there |= bit;
    page->gives |= uint32_t{call.gives} << i;
    page->all |= uint32_t{call.needs_all} << i;
    page->given |= uint32_t{call.needs_given} << i;
    open_ += uint32_t{call.needs_all} | uint32_t{call.needs_given};
    if (i == kOperationsOfPage - 1) page->closed = has_new_ = true;
  }
  bool IsFull() const { return own_.size() >= rules_.most; }
  bool HasNew() const { return has_new_; }
  // Calls that still need something.
  uint32_t open() const { return open_; }

  // Tells the others of the calls on these pages, takes the others' times, and calls take(page) for each page with
  // news, the latest page first. Does nothing with kClosed if no page was closed since the last exchange.
  template <class Take>
  void Exchange(Which which, Take take) {
    if (which != Which::kAll) CloseIdle();
    if (which != Which::kAll && !has_new_) return;
    Fetch(which);
    for (uint32_t i = own_.size(); i-- > 0;) {
      if ((own_[i].news.found | own_[i].news.gone) != 0) take(static_cast<const OwnPage&>(own_[i]));
    }
    Clean();
  }
  // No more times will come: calls lose(page) for each page with calls that still need some. `oldest`: only for this
  // many of the oldest pages.
  template <class Lose>
  void GiveUp(uint32_t oldest, Lose lose) {
    for (uint32_t i = 0; i < own_.size() && i < oldest; ++i) {
      Drop(&own_[i]);
      if (own_[i].news.gone != 0) lose(static_cast<const OwnPage&>(own_[i]));
    }
    Clean();
  }
  void Clear() {
    own_.Clear();
    newest_.Clear();
  }

 private:
  static constexpr uint32_t kMostIndexed = 1 << 22;
  static constexpr uint32_t kMostLacking = 8;
  static constexpr uint32_t kMostTries = 4;

  // Calls on a communicator come in their order, so only the newest page can get another one.
  OwnPage* NewestOf(uint32_t communicator) {
    const uint32_t place = communicator < newest_.size() ? newest_[communicator] : 0;
    return EPIK_LIKELY(place != 0) ? &own_[place - 1] : nullptr;
  }
  void Index(uint32_t communicator, uint32_t place);
  void CloseIdle();
  void Fetch(Which which);
  void FetchOne(OwnPage* page, bool takes);
  void Drop(OwnPage* page);
  void Clean();

  Pages* pages_;
  Rules rules_;
  Table<OwnPage> own_;
  // Holds, for each communicator, the place of its newest page + 1, or 0 if the communicator has no page.
  Table<uint32_t> newest_;
  uint32_t open_ = 0;
  bool has_new_ = false;  // a page was closed since the last exchange
};

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_OWN_PAGES_H_
