// SPDX-License-Identifier: BSD-3-Clause
// Links between two processes on which messages take much longer than others of their size do elsewhere. Only such
// messages count whose receiver waited for nothing else: they are on their way from when they are sent and waited for
// until they are there.
#ifndef EPIK_ANALYSIS_PATTERNS_SLOW_LINKS_H_
#define EPIK_ANALYSIS_PATTERNS_SLOW_LINKS_H_

#include <array>
#include <compare>
#include <map>
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
  // One key stands for a link and for all sizes of messages from one power of two to the next.
  struct Key {
    bool between_hosts;
    int size;
    int32_t from, to;
    auto operator<=>(const Key&) const = default;
  };
  struct Times {
    uint64_t count = 0, bytes = 0;
    std::array<uint32_t, 256> by_length = {};  // four steps for each power of two of nanoseconds

    void Add(int64_t ns, uint64_t message_bytes);
    double Median() const;  // nanoseconds
  };

  const replay::World* world_;
  std::map<Key, Times> times_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_SLOW_LINKS_H_
