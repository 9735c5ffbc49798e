// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/wrong_order.h"

#include <algorithm>

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

void WrongOrderPattern::Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) {
  if (call.location >= late_.size()) late_.resize(call.location + 1);
  std::deque<Instance>& late = late_[call.location];
  for (const replay::Arrival& arrival : arrivals) {
    if (arrival.message == nullptr || late.empty()) continue;
    const int64_t sent = arrival.ready;
    const uint32_t sender = arrival.message->send.location;
    std::erase_if(late, [&](const Instance& instance) {
      if (instance.sent <= sent) return false;
      const bool same = instance.sender == sender;
      if (sources_ == Sources::kAny || same == (sources_ == Sources::kSame)) {
        Add(call.location, instance.path, instance.from, instance.ns);
        const Count count = instance.empty ? Count::kWrongOrderEmpty : Count::kWrongOrder;
        if (sources_ == Sources::kAny) AddCount(count, call.location, instance.path);
      }
      return true;
    });
  }
  // The wait of this call itself, as one instance: that of the message that came last.
  Instance made{INT64_MIN, 0, call.path, call.enter, 0, false};
  replay::ForEachStretch(call, arrivals, [&](const replay::Arrival& arrival, int64_t from, int64_t to) {
    if (arrival.message == nullptr) return;
    made.ns += to - from;
    made.sent = arrival.ready;
    made.sender = arrival.message->send.location;
    made.empty = arrival.message->bytes == 0;
  });
  if (made.ns == 0) return;
  late.push_back(made);
  if (late.size() > kRemembered) late.pop_front();
}

std::unique_ptr<Pattern> MakeWrongOrder(uint32_t number, Severities* severities) {
  return std::make_unique<WrongOrderPattern>(kWrongOrderInfo, number, severities, Sources::kAny);
}

}  // namespace epik::patterns
