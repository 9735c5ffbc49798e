// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/job/job_clock.h"

#include <algorithm>

#include "runtime/abi/bytes.h"

namespace epik::job {

using archive::BytesIn;
using archive::BytesOut;
using archive::Group;
using event::ClockOffset;

namespace {

constexpr int kExchanges = 12;

template <class T>
void SendOne(Group* group, int to, T value) {
  BytesOut bytes;
  bytes.Put(value);
  group->Send(to, bytes.Take());
}

template <class T>
T ReceiveOne(Group* group, int from) {
  const std::string text = group->Receive(from);
  return BytesIn(text).Get<T>();
}

// The child asks, the parent says what time it is.
ClockOffset AskParent(Group* group, uint64_t (*now)()) {
  const int parent = group->Parent();
  ClockOffset best{};
  uint64_t shortest = ~uint64_t{0};
  for (int i = 0; i < kExchanges; ++i) {
    const uint64_t asked = now();
    SendOne(group, parent, asked);
    const auto told = ReceiveOne<uint64_t>(group, parent);
    const uint64_t heard = now();
    if (heard - asked >= shortest) continue;
    shortest = heard - asked;
    const uint64_t middle = asked + shortest / 2;
    best = {static_cast<int64_t>(middle), static_cast<int64_t>(told - middle), static_cast<int64_t>(shortest / 2)};
  }
  return best;
}

void AnswerChild(Group* group, int child, uint64_t (*now)()) {
  for (int i = 0; i < kExchanges; ++i) {
    ReceiveOne<uint64_t>(group, child);
    SendOne(group, child, now());
  }
}

}  // namespace

bool ClockSchedule::Decide(Group* group, uint64_t now_ns) {
  struct Decision {
    uint64_t barriers;
    bool now;
  };
  Decision decision{};
  if (group->IsRoot()) {
    decision.now = now_ns - measured_ns_ >= interval_ns_;
    const uint64_t wait = decision.now ? interval_ns_ : interval_ns_ - (now_ns - measured_ns_);
    // Half the number of barriers that would come until then at the pace since the last decision, because they may
    // become less frequent; and at most twice as many as the last time.
    const uint64_t pace = std::max<uint64_t>((now_ns - decided_ns_) / step_, 1);
    decision.barriers = std::clamp<uint64_t>(wait / pace / 2, 1, 2 * step_);
  }
  BytesOut bytes;
  bytes.Put(decision);
  decision = BytesIn(group->Broadcast(bytes.Take())).Get<Decision>();
  // No decision came: the processes have lost touch, so no clock is measured any more.
  if (group->failed() || decision.barriers == 0) {
    left_ = ~uint64_t{0};
    return false;
  }
  step_ = left_ = decision.barriers;
  decided_ns_ = now_ns;
  if (decision.now) measured_ns_ = now_ns;
  return decision.now;
}

ClockOffset SynchronizeClock(Group* group, uint64_t clock, uint64_t (*now)()) {
  ClockOffset mine{static_cast<int64_t>(now()), 0, 0};
  if (!group->IsRoot()) {
    SendOne(group, group->Parent(), clock);
    const auto parents_clock = ReceiveOne<uint64_t>(group, group->Parent());
    if (clock != parents_clock) mine = AskParent(group, now);
    const auto parents = ReceiveOne<ClockOffset>(group, group->Parent());
    mine.offset_ns += parents.offset_ns;
    mine.error_ns += parents.error_ns;
  }
  const std::vector<int> children = group->Children();
  for (size_t i = children.size(); i-- > 0;) {
    const auto childs_clock = ReceiveOne<uint64_t>(group, children[i]);
    SendOne(group, children[i], clock);
    if (clock != childs_clock) AnswerChild(group, children[i], now);
    SendOne(group, children[i], mine);
  }
  return mine;
}

}  // namespace epik::job
