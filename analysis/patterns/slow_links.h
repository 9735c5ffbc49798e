// SPDX-License-Identifier: BSD-3-Clause
// Links between two processes on which messages take much longer than others of their size do elsewhere. They are on
// their way from when they are sent and waited for until they are there.
//
// MPI_Waitall waits for several messages, and nobody knows when each of them came. But the last one was on its way at
// least since all of them had been sent and waited for. So calls are compared that wait for messages of the same
// processes; and where such calls take long, those links are to blame that are not known to be fast from other calls.
#ifndef EPIK_ANALYSIS_PATTERNS_SLOW_LINKS_H_
#define EPIK_ANALYSIS_PATTERNS_SLOW_LINKS_H_

#include <array>
#include <compare>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/findings/findings.h"
#include "analysis/replay/observer.h"

namespace epik::patterns {

class SlowLinks : public replay::Observer {
 public:
  explicit SlowLinks(const replay::World* world) : world_(world) {}
  unsigned wants() const override { return kMessages; }
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override;

  // The costliest first.
  std::vector<findings::Link> Find() const;

 private:
  // Sizes are compared by powers of two.
  struct Kind {
    bool between_hosts;
    int size, messages;
    auto operator<=>(const Kind&) const = default;
  };
  struct Source {
    int32_t from;
    int size;
    auto operator<=>(const Source&) const = default;
  };
  // Tells what messages a call waited for.
  struct Key {
    Kind kind;
    int32_t to;
    std::vector<Source> sources;
    auto operator<=>(const Key&) const = default;
  };
  struct Times {
    uint64_t count = 0, bytes = 0;
    std::array<uint32_t, 256> by_length = {};  // four steps for each power of two of nanoseconds

    void Add(int64_t ns, uint64_t message_bytes);
    double Median() const;  // nanoseconds
  };
  struct Waits {
    Times whole;                 // since all had been sent and waited for
    std::vector<Times> at_most;  // of each source: since its message had been
  };
  struct Sent {
    Source source;
    int64_t begun;
    uint64_t bytes;
    bool between_hosts;
  };
  using Fastest = std::map<std::tuple<int32_t, int32_t, int>, double>;  // by from, to and size: at most so long, ns

  void Take(int32_t to, int64_t at, std::span<const Sent> messages);
  Fastest FindFastest() const;
  double Usual(std::map<Key, Waits>::const_iterator first, std::map<Key, Waits>::const_iterator last) const;

  const replay::World* world_;
  std::map<Key, Waits> waits_;
  size_t times_ = 0;        // in waits_
  std::vector<Sent> sent_;  // scratch
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_SLOW_LINKS_H_
