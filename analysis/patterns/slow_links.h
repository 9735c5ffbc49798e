// SPDX-License-Identifier: BSD-3-Clause
// Links between two processes on which messages take much longer than others of their size do elsewhere. They are on
// their way from when they are sent and waited for until they are there.
//
// MPI_Waitall waits for several messages, and nobody knows when each of them came. But the last one was on its way at
// least since all of them had been sent and waited for. So calls are compared that wait for messages of the same
// processes; and where such calls take long, those links are to blame that are not known to be fast from other calls.
//
// Two times are kept where only bounds are known. A message that a test found came after the last test in vain, and
// before that one. A call that also completes the sending of a large message may have waited for its receiver. A link
// is slow when the lower bound is large beside the upper bounds of the others.
#ifndef EPIK_ANALYSIS_PATTERNS_SLOW_LINKS_H_
#define EPIK_ANALYSIS_PATTERNS_SLOW_LINKS_H_

#include <array>
#include <compare>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/findings/findings.h"
#include "analysis/replay/flat_map.h"
#include "analysis/replay/observer.h"
#include "analysis/replay/world.h"

namespace epik::patterns {

class SlowLinks : public replay::Observer {
 public:
  explicit SlowLinks(const replay::World* world) : world_(world) {}
  unsigned wants() const override { return kMessages | kPolled | kSent; }
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override;
  void Polled(const replay::Call& call, std::span<const replay::Arrival> messages) override;
  void Sent(const replay::Call& call, std::span<const replay::Message* const> messages) override;

  // The costliest first.
  std::vector<findings::Link> Find() const;

 private:
  // Sizes are compared by powers of two.
  struct Kind {
    bool between_hosts;
    int size, messages;
    auto operator<=>(const Kind&) const = default;
  };
  struct Link {
    int32_t from, to;
    int size;
    auto operator<=>(const Link&) const = default;
    friend uint64_t HashOf(const Link& link) {
      const uint64_t ends = uint64_t{static_cast<uint32_t>(link.from)} << 32 | static_cast<uint32_t>(link.to);
      return replay::Mix(ends * 0xff51afd7ed558ccdull + static_cast<uint32_t>(link.size));
    }
  };
  // Tells what messages a call waited for.
  struct Key {
    Kind kind;
    int32_t at;
    std::vector<Link> links;
    auto operator<=>(const Key&) const = default;
  };
  struct Times {
    uint64_t count = 0;
    std::array<uint32_t, 256> by_length = {};  // four steps for each power of two of nanoseconds

    void Add(int64_t ns) { AddStep(StepOf(ns)); }
    void AddStep(size_t step) {
      ++by_length[step];
      ++count;
    }
    double Median() const;  // nanoseconds
  };
  static size_t StepOf(int64_t ns);  // of Times
  struct Waits {
    Times at_least, at_most;                // since all messages had been sent and were waited for
    std::vector<Times> of_each;             // by link, of those that arrived: at most this long since it was sent
    std::vector<uint64_t> bytes, messages;  // by link
  };
  struct OnTheWay {
    Link link;
    int64_t begun;
    uint64_t bytes;
    bool between_hosts;
    bool arrived;  // here. Else it was sent from here
  };
  // Until when all were on their way, at least and at most.
  struct Until {
    int64_t at_least, at_most;
  };
  // A call that also sent large messages, until it is known of these who received them when.
  struct Open {
    std::vector<OnTheWay> messages;
    int64_t at;
  };
  using Blamed = std::vector<std::pair<int32_t, int32_t>>;  // from, to
  using Fastest = std::map<Link, double>;                   // at most so long, ns

  bool Collect(const replay::Call& call, std::span<const replay::Arrival> arrivals, int64_t* at);
  const replay::Process& ProcessAt(uint32_t location) const;
  void Take(int32_t at, Until until, std::span<const OnTheWay> messages);
  void TakeOne(Until until, const OnTheWay& message);
  Waits* WaitsFor(Key key);
  Blamed BlamedFor(const Key& key, const Fastest& fastest, double least) const;
  Fastest FindFastest() const;
  double Usual(std::map<Key, Waits>::const_iterator first, std::map<Key, Waits>::const_iterator last) const;

  const replay::World* world_;
  std::map<Key, Waits> waits_;
  replay::FlatMap<Link> one_of_;                       // of messages that a call waited for alone -> ones_
  std::vector<Waits*> ones_;                           // in waits_; null: no room
  size_t times_ = 0;                                   // in waits_
  std::vector<OnTheWay> on_the_way_;                   // scratch
  std::map<std::pair<uint32_t, int64_t>, Open> open_;  // by location and enter of the call
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_SLOW_LINKS_H_
