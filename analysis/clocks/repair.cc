// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/clocks/repair.h"

#include <algorithm>
#include <deque>

namespace epik::clocks {

namespace {

constexpr int64_t kStretch = 10;  // a jump is spread over this many times its length

}  // namespace

void Repair::Follows(Kind kind, std::span<const Moment> before, std::span<const Moment> after) {
  const auto number = static_cast<uint32_t>(ties_.size());
  Tie tie{HostOf(before.front().location), HostOf(after.front().location), static_cast<uint32_t>(before.size()), kind};
  for (const Moment& moment : before) moments_[moment.location].push_back({moment.ns, moment.ns, number, false});
  for (const Moment& moment : after) moments_[moment.location].push_back({moment.ns, moment.ns, number, true});
  ties_.push_back(tie);
  if (kind != Kind::kMessage) return;
  const int64_t took = after.front().ns - before.front().ns;
  const auto [least, is_first] = least_.try_emplace({tie.from_host, tie.to_host}, took);
  if (!is_first) least->second = std::min(least->second, took);
}

// An error of one clock makes one direction shorter by the same time by which it makes the other direction longer.
int64_t Repair::Latency(uint32_t from_host, uint32_t to_host) const {
  const auto there = least_.find({from_host, to_host}), back = least_.find({to_host, from_host});
  if (there == least_.end() || back == least_.end()) return 0;
  return std::max<int64_t>(0, (there->second + back->second) / 2);
}

struct Repair::Run {
  size_t next = 0;
  int64_t measured = 0, corrected = 0;  // times of the last event
};

// Goes through all locations in the order of their dependences, as replay does. Times within one nanosecond may make a
// circle. It is cut at the location that is furthest behind.
void Repair::Forward(archive::TimedSteps* steps) {
  std::vector<Run> runs(moments_.size());
  std::map<uint32_t, std::vector<uint32_t>> waiting;  // tie -> locations
  std::deque<uint32_t> ready;
  for (uint32_t l = 0; l < runs.size(); ++l) ready.push_back(l);
  const auto wake = [&](uint32_t tie) {
    const auto locations = waiting.find(tie);
    if (locations == waiting.end()) return;
    ready.insert(ready.end(), locations->second.begin(), locations->second.end());
    waiting.erase(locations);
  };
  while (true) {
    if (ready.empty()) {
      const Event* behind = nullptr;
      for (uint32_t l = 0; l < runs.size(); ++l) {
        steps->Step();
        if (runs[l].next == moments_[l].size()) continue;
        const Event& event = moments_[l][runs[l].next];
        if (behind == nullptr || event.measured < behind->measured) behind = &event;
      }
      if (behind == nullptr) return;
      ties_[behind->tie].broken = true;
      wake(behind->tie);
    }
    const uint32_t l = ready.front();
    ready.pop_front();
    Run& run = runs[l];
    for (; run.next < moments_[l].size(); ++run.next) {
      steps->Step();
      Event& event = moments_[l][run.next];
      Tie& tie = ties_[event.tie];
      if (event.after && tie.missing > 0 && !tie.broken) {
        waiting[event.tie].push_back(l);
        break;
      }
      if (run.corrected > run.measured) {
        event.corrected = std::max(event.measured, run.corrected + Passes(event.measured - run.measured));
      }
      if (event.after) {
        if (tie.latest > INT64_MIN) event.corrected = std::max(event.corrected, tie.latest + LatencyOf(tie));
        tie.earliest = std::min(tie.earliest, event.corrected);
      } else {
        tie.latest = std::max(tie.latest, event.corrected);
        if (--tie.missing == 0) wake(event.tie);
      }
      run.measured = event.measured;
      run.corrected = event.corrected;
    }
  }
}

// Stretches the time before each jump of a location, and makes its knots.
void Repair::Amortise(std::vector<Event>* events, std::vector<Knot>* knots, archive::TimedSteps* steps) const {
  Knot last{INT64_MIN, INT64_MIN};  // the event before
  const auto ahead = [](const Knot& knot) { return knot.corrected - knot.measured; };
  for (size_t e = 0, since = 0; e < events->size(); ++e) {
    steps->Step();
    const Event& event = (*events)[e];
    const bool was_ahead = e > 0 && ahead(last) > 0;
    // The time that the event has if there is no jump.
    const int64_t due =
        was_ahead ? std::max(event.measured, last.corrected + Passes(event.measured - last.measured)) : event.measured;
    if (was_ahead && due == event.measured) {
      const int64_t right = last.measured + kLoses * ahead(last);
      if (right <= event.measured) knots->push_back({right, right});
    }
    const Knot now{event.measured, event.corrected};
    const int64_t jump = event.corrected - due;
    if (jump > 0 && (knots->empty() || knots->back().measured < event.measured)) {
      // The stretch of the jump before ends there, so this one begins no earlier.
      int64_t begin = event.measured - kStretch * jump;
      if (since > 0) begin = std::max(begin, (*events)[since - 1].measured);
      int64_t most = jump;
      // The places of knots and of events that others depend on, from the last one to the first.
      std::vector<Knot> stretched;
      for (size_t b = e; b-- > since && (*events)[b].measured > begin;) {
        steps->Step();
        const Event& before = (*events)[b];
        const auto share =
            static_cast<int64_t>(static_cast<__int128>(jump) * (before.measured - begin) / (event.measured - begin));
        most = std::min(most, share);
        const Tie& tie = ties_[before.tie];
        if (!before.after && tie.earliest != INT64_MAX) {
          most = std::clamp<int64_t>(tie.earliest - LatencyOf(tie) - before.corrected, 0, most);
        }
        stretched.push_back({before.measured, before.corrected + most});
      }
      while (!knots->empty() && knots->back().measured > begin) knots->pop_back();
      const int64_t begins = !knots->empty() ? knots->back().corrected + Passes(begin - knots->back().measured) : begin;
      if (knots->empty() || knots->back().measured < begin) knots->push_back({begin, std::max(begin, begins)});
      for (size_t b = stretched.size(); b-- > 0;) {
        if (stretched[b].measured > knots->back().measured) {
          knots->push_back({stretched[b].measured, std::max(stretched[b].corrected, knots->back().corrected)});
        }
      }
      since = e + 1;
    }
    if (event.corrected > event.measured) {
      if (!knots->empty() && knots->back().measured == event.measured) {
        knots->back().corrected = std::max(knots->back().corrected, event.corrected);
      } else {
        knots->push_back(now);
      }
    }
    last = now;
  }
}

Corrections Repair::Find(const archive::TimeLimit& limit) {
  archive::TimedSteps steps(limit);
  for (std::vector<Event>& events : moments_) {
    // At the same time, events that others depend on come first.
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return a.measured != b.measured ? a.measured < b.measured : a.after < b.after;
    });
  }
  Forward(&steps);
  std::vector<std::vector<Knot>> knots(moments_.size());
  for (size_t l = 0; l < knots.size(); ++l) {
    Amortise(&moments_[l], &knots[l], &steps);
    moments_[l] = {};
  }
  ties_ = {};
  return Corrections(std::move(knots));
}

}  // namespace epik::clocks
