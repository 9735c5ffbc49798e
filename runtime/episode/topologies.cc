// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/topologies.h"

#include <cstring>

#include "runtime/base/spinlock.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"

namespace epik::episode {

namespace {

constexpr uint32_t kMost = 64;

struct Known {
  uint64_t id;
  uint64_t name;  // as a number
};

// The memory is fixed and constant-initialised: events come before constructors run.
struct Topologies {
  base::SpinLock lock;
  Known known[kMost] = {};
  uint32_t used = 0;
  bool is_noted = false;
};
constinit Topologies all;

enum class Verdict { kNew, kKnown, kTooMany };

// FNV-1a. A number needs no memory for names. If two names have the same one, the report keeps the older name.
uint64_t NumberOf(const char* name) {
  uint64_t number = 0xcbf29ce484222325u;
  for (; *name != '\0'; ++name) number = (number ^ static_cast<unsigned char>(*name)) * 0x100000001b3u;
  return number;
}

Verdict Judge(uint64_t id, uint64_t name) {
  const base::Locked locked(all.lock);
  for (uint32_t i = 0; i < all.used; ++i) {
    if (all.known[i].id != id) continue;
    // MPI_Comm_set_name comes after the topology was made. The reader of the arena lets the later definition win.
    const bool same = all.known[i].name == name;
    all.known[i].name = name;
    return same ? Verdict::kKnown : Verdict::kNew;
  }
  if (all.used == kMost) {
    // One note is enough. All further topologies pass as known, so nothing is written for them.
    const bool first = !all.is_noted;
    all.is_noted = true;
    return first ? Verdict::kTooMany : Verdict::kKnown;
  }
  all.known[all.used++] = {id, name};
  return Verdict::kNew;
}

bool MakesSense(const event::TopologyDimension* dimensions, uint32_t count) {
  if (count == 0 || count > event::kMostDimensions) return false;
  for (uint32_t i = 0; i < count; ++i) {
    const auto& [size, periodic, coordinate] = dimensions[i];
    if (size < 1 || coordinate < 0 || coordinate >= size) return false;
  }
  return true;
}

}  // namespace

void DefineTopology(uint64_t id, const char* name, const event::TopologyDimension* dimensions, uint32_t count,
                    const char* const* names) {
  if (!EnsureStarted() || !MakesSense(dimensions, count)) return;
  const Inside guard;
  const Verdict verdict = Judge(id, NumberOf(name));
  if (verdict == Verdict::kTooMany)
    Note("of the Cartesian topologies of a process only the first 64 are in the report");
  if (verdict != Verdict::kNew) return;
  const event::TopologyRecord record = {id, count, 0};
  Piece pieces[3 + event::kMostDimensions] = {
      {&record, sizeof record}, {dimensions, count * sizeof dimensions[0]}, {name, std::strlen(name) + 1}};
  size_t number = 3;
  for (uint32_t i = 0; names != nullptr && i < count; ++i) pieces[number++] = {names[i], std::strlen(names[i]) + 1};
  Define(event::RecordType::kTopology, pieces, number);
}

}  // namespace epik::episode
