// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/wrong_order.h"

#include <algorithm>

#include "analysis/patterns/patterns.h"
#include "analysis/replay/stretches.h"

namespace epik::patterns {

const PatternInfo kWrongOrderInfo = {
    "mpi_latesender_wo",
    "mpi_latesender",
    "Messages in Wrong Order",
    "The part of Late Sender in which another message, received later, had been sent earlier. The last 100 waits "
    "of each thread are examined.",
    "The process waited for one message while another one was on its way, or had arrived.",
    "Receive messages as they come: use MPI_ANY_SOURCE or MPI_Waitany, or post all receives at once."};

namespace {

uint32_t NumberOf(const PatternInfo& info) {
  const std::vector<const PatternInfo*>& all = AllPatterns();
  return static_cast<uint32_t>(std::find(all.begin(), all.end(), &info) - all.begin());
}

}  // namespace

WrongOrderPattern::WrongOrderPattern(uint32_t number, Severities* severities)
    : Pattern(kWrongOrderInfo, number, severities),
      different_(kWrongOrderDifferentInfo, NumberOf(kWrongOrderDifferentInfo), severities),
      same_(kWrongOrderSameInfo, NumberOf(kWrongOrderSameInfo), severities) {}

// Takes out the remembered waits for messages that were sent after this one, and counts them. In most programs there
// are none.
void WrongOrderPattern::FindLaterOnes(uint32_t location, const replay::Arrival& arrival) {
  Late& late = late_[location];
  const int64_t sent = arrival.ready;
  if (late.latest <= sent) return;
  late.latest = sent;
  const uint32_t sender = arrival.message->send.location;
  std::erase_if(late.instances, [&](const Instance& instance) {
    if (instance.sent <= sent) return false;
    Add(location, instance.path, instance.from, instance.ns);
    PartOfWrongOrder& part = instance.sender == sender ? same_ : different_;
    part.Add(location, instance.path, instance.from, instance.ns);
    AddCount(instance.empty ? Count::kWrongOrderEmpty : Count::kWrongOrder, location, instance.path);
    return true;
  });
}

void WrongOrderPattern::Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) {
  if (call.location >= late_.size()) late_.resize(call.location + 1);
  for (const replay::Arrival& arrival : arrivals) {
    if (arrival.message != nullptr) FindLaterOnes(call.location, arrival);
  }
  // The wait of this call itself as one instance: the wait for the message that came last.
  Instance made{INT64_MIN, 0, call.path, call.enter, 0, false};
  replay::ForEachStretch(call, arrivals, [&](const replay::Arrival& arrival, int64_t from, int64_t to) {
    if (arrival.message == nullptr) return;
    made.ns += OwnTime(call.location, call.enter, from, to);
    made.sent = arrival.ready;
    made.sender = arrival.message->send.location;
    made.empty = arrival.message->bytes == 0;
  });
  if (made.ns == 0) return;
  Late& late = late_[call.location];
  late.instances.push_back(made);
  late.latest = std::max(late.latest, made.sent);
  if (late.instances.size() > kRemembered) late.instances.pop_front();
}

std::unique_ptr<Pattern> MakeWrongOrder(uint32_t number, Severities* severities) {
  return std::make_unique<WrongOrderPattern>(number, severities);
}

}  // namespace epik::patterns
