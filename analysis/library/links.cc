// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/library/links.h"

#include <algorithm>
#include <tuple>

namespace epik::library {

namespace {

bool IsSend(uint16_t kind) { return kind == EPIK_TRACE_SEND || kind == EPIK_TRACE_SEND_BEGIN; }

// A tree with the latest times of pairs, so that late times are found without looking at all of them.
std::vector<int64_t> Latest(const std::vector<int64_t>& times) {
  std::vector<int64_t> tree(2 * times.size(), INT64_MIN);
  std::copy(times.begin(), times.end(), tree.begin() + static_cast<ptrdiff_t>(times.size()));
  for (size_t i = times.size(); i-- > 1;) tree[i] = std::max(tree[2 * i], tree[2 * i + 1]);
  return tree;
}

// Calls use(i) for each i in [from, to) whose time is later than `ns`.
template <typename Use>
void ForLater(const std::vector<int64_t>& tree, size_t from, size_t to, int64_t ns, const Use& use) {
  const size_t size = tree.size() / 2;
  const auto descend = [&](const auto& self, size_t node) -> void {
    if (tree[node] <= ns) return;
    if (node >= size) return use(node - size);
    self(self, 2 * node);
    self(self, 2 * node + 1);
  };
  for (size_t l = from + size, r = to + size; l < r; l /= 2, r /= 2) {
    if (l % 2 == 1) descend(descend, l++);
    if (r % 2 == 1) descend(descend, --r);
  }
}

}  // namespace

Links::Links(size_t locations, std::vector<Member> members) : members_(std::move(members)), locations_(locations) {
  std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) {
    return std::tie(a.group, a.location, a.place) < std::tie(b.group, b.location, b.place);
  });
  for (uint32_t i = 0; i < members_.size(); ++i) locations_[members_[i].location].members.push_back(i);
  for (uint32_t i = 0; i + 1 < members_.size(); ++i) {
    if (members_[i].link == EPIK_TRACE_LINK_MESSAGE && members_[i + 1].group == members_[i].group) AddEnds(i++);
  }
  for (AtLocation& at : locations_) {
    std::sort(at.members.begin(), at.members.end(), [&](uint32_t a, uint32_t b) {
      return std::tie(members_[a].place, members_[a].link, a) < std::tie(members_[b].place, members_[b].link, b);
    });
    for (Ends* ends : {&at.sent, &at.received}) {
      std::sort(ends->ends.begin(), ends->ends.end(), [](const End& a, const End& b) { return a.place < b.place; });
      std::vector<int64_t> times;
      for (const End& end : ends->ends) times.push_back(ends == &at.sent ? end.other_ns : -end.other_ns);
      ends->tree = Latest(times);
    }
  }
}

// A message, made of the members `first` and `first` + 1.
void Links::AddEnds(uint32_t first) {
  for (uint32_t i = 0; i < 2; ++i) {
    const Member& member = members_[first + i];
    AtLocation& at = locations_[member.location];
    (IsSend(member.kind) ? at.sent : at.received).ends.push_back({member.place, members_[first + 1 - i].ns, first});
  }
}

std::vector<epik_trace_ref> Links::Of(epik_trace_link link, uint32_t location, uint64_t place) const {
  const std::vector<uint32_t>& here = locations_[location].members;
  auto at = std::partition_point(here.begin(), here.end(), [&](uint32_t m) {
    return std::tuple(members_[m].place, members_[m].link) < std::tuple(place, static_cast<uint16_t>(link));
  });
  std::vector<epik_trace_ref> others;
  if (at == here.end() || members_[*at].place != place || members_[*at].link != link) return others;
  const uint32_t group = members_[*at].group;
  uint32_t first = *at;
  while (first > 0 && members_[first - 1].group == group) --first;
  for (uint32_t i = first; i < members_.size() && members_[i].group == group; ++i) {
    const Member& member = members_[i];
    if (i != *at) others.push_back({member.place, member.location, member.kind});
  }
  return others;
}

epik_trace_message Links::MessageOf(uint32_t first) const {
  const Member *send = &members_[first], *receive = &members_[first + 1];
  if (!IsSend(send->kind)) std::swap(send, receive);
  return {{send->place, send->location, send->kind},
          {receive->place, receive->location, receive->kind},
          send->ns,
          receive->ns};
}

std::vector<epik_trace_message> Links::OpenMessages(uint32_t location, uint64_t place, int64_t ns) const {
  const AtLocation& at = locations_[location];
  std::vector<epik_trace_message> open;
  const auto behind = [&](const Ends& ends) {
    return static_cast<size_t>(std::upper_bound(ends.ends.begin(), ends.ends.end(), place,
                                                [](uint64_t p, const End& end) { return p < end.place; }) -
                               ends.ends.begin());
  };
  ForLater(at.sent.tree, 0, behind(at.sent), ns, [&](size_t i) { open.push_back(MessageOf(at.sent.ends[i].member)); });
  // Sent at `ns` or earlier: the negative time is later than -ns - 1.
  ForLater(at.received.tree, behind(at.received), at.received.ends.size(), -ns - 1, [&](size_t i) {
    const epik_trace_message message = MessageOf(at.received.ends[i].member);
    if (message.send.location != location || message.send.place > place) open.push_back(message);
  });
  std::sort(open.begin(), open.end(), [](const epik_trace_message& a, const epik_trace_message& b) {
    return std::tie(a.send_ns, a.send.location, a.send.place) < std::tie(b.send_ns, b.send.location, b.send.place);
  });
  return open;
}

}  // namespace epik::library
