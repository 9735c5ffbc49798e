// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/one_clock.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/abi/bytes.h"

namespace epik::archive {

using base::ClockPair;

namespace {

constexpr double kMostError = 1e6;    // ns, for one clock reading that was interrupted, …
constexpr double kMostDrift = 0.001;  // … and as a share of the time between two readings

// The two readings that lie furthest apart, among all processes that read this timer.
struct Scale {
  char boot_id[sizeof(event::ProcessHeader::boot_id)];
  base::Timer timer;
  ClockPair first, last;

  double NsOf(uint64_t ticks) const {
    const double slope = static_cast<double>(last.ns - first.ns) / static_cast<double>(last.ticks - first.ticks);
    return static_cast<double>(first.ns) + static_cast<double>(static_cast<int64_t>(ticks - first.ticks)) * slope;
  }
};

bool IsSane(const Scale& scale) { return scale.last.ticks > scale.first.ticks && scale.last.ns > scale.first.ns; }

bool IsSameTimer(const Scale& a, const Scale& b) {
  return a.timer == b.timer && std::memcmp(a.boot_id, b.boot_id, sizeof a.boot_id) == 0;
}

// Whether a reading lies on the line. A damaged arena must not bend the clock of all others.
bool Fits(const Scale& scale, const ClockPair& pair) {
  const auto far = std::abs(static_cast<double>(static_cast<int64_t>(pair.ns - scale.first.ns)));
  return std::abs(scale.NsOf(pair.ticks) - static_cast<double>(pair.ns)) <= kMostError + kMostDrift * far;
}
bool Fits(const Scale& scale, const Scale& other) { return Fits(scale, other.first) && Fits(scale, other.last); }

Scale ScaleOf(const ProcessImage& image) {
  const event::ProcessHeader& header = image.header;
  Scale scale = {};
  std::memcpy(scale.boot_id, header.boot_id, sizeof scale.boot_id);
  scale.timer = header.timer;
  scale.first = header.first_pair;
  scale.last = header.pair[header.pair_index & 1];
  return scale;
}

// All scales. There are few: one for each machine.
class Scales {
 public:
  void Add(const Scale& scale) {
    if (!IsSane(scale) || scale.boot_id[0] == '\0') return;
    Scale* known = Find(scale);
    if (known == nullptr) return all_.push_back(scale);
    if (scale.first.ticks < known->first.ticks) known->first = scale.first;
    if (scale.last.ticks > known->last.ticks) known->last = scale.last;
  }
  void AddAll(const std::string& bytes) {
    for (const Scale& scale : BytesIn(bytes).GetAll<Scale>()) Add(scale);
  }
  // Returns null when it fits none of them.
  Scale* Find(const Scale& scale) {
    for (Scale& known : all_) {
      if (IsSameTimer(known, scale) && Fits(known, scale)) return &known;
    }
    return nullptr;
  }
  std::string Pack() const {
    BytesOut bytes;
    bytes.PutAll(all_);
    return bytes.Take();
  }

 private:
  std::vector<Scale> all_;
};

void Apply(const Scale& scale, event::ProcessHeader* header) {
  ClockPair& last = header->pair[header->pair_index & 1];
  header->first_pair = scale.first;
  if (header->end_ticks != 0) {
    last = scale.last;
  } else {
    // This time is the last sign of life of a process that was killed, so it must stay.
    last.ns = static_cast<uint64_t>(scale.NsOf(last.ticks) + 0.5);
  }
}

}  // namespace

void ShareClocks(Group* group, std::vector<ProcessImage>* images) {
  Scales scales;
  for (const ProcessImage& image : *images) scales.Add(ScaleOf(image));
  for (const int child : group->Children()) scales.AddAll(group->Receive(child));
  if (!group->IsRoot()) group->Send(group->Parent(), scales.Pack());
  const std::string bytes = group->Broadcast(group->IsRoot() ? scales.Pack() : "");
  Scales agreed;
  agreed.AddAll(bytes);
  for (ProcessImage& image : *images) {
    const Scale mine = ScaleOf(image);
    if (!IsSane(mine)) continue;
    if (const Scale* scale = agreed.Find(mine)) Apply(*scale, &image.header);
  }
}

}  // namespace epik::archive
