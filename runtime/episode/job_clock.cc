// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/job_clock.h"

#include "runtime/archive/bytes.h"

namespace epik::episode {

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

}  // namespace epik::episode
