// SPDX-License-Identifier: BSD-3-Clause
// Gives the time of functions that a trace lacks to the stays of the call around them in which they can have run.
#ifndef EPIK_ANALYSIS_APPROXIMATION_PLACING_H_
#define EPIK_ANALYSIS_APPROXIMATION_PLACING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/approximation/stays.h"

namespace epik::approximation {

// Where the functions ran of which the trace leaves that open: in the likely stays, or in those that make the time of
// functions with a lock as long, or as short, as possible.
enum class Whereabouts : uint8_t { kLikely, kWithLocks, kWithoutLocks };
inline constexpr size_t kWhereabouts = 3;

struct PlacedCallee {
  uint32_t path = 0;
  double ns = 0, visits = 0;   // that the trace lacks
  int64_t shortest = 0;        // visit; 0: not known
  uint64_t after = kAnywhere;  // all its visits are in stays of this kind
  bool is_scattered = false;   // it ran in some stays of a kind and not in others: the trace does not tell in which
  // Shares of its time, by the kinds of the caller, for each of the Whereabouts. Those with and without locks are empty
  // if that is known.
  std::array<std::vector<double>, kWhereabouts> shares;
  static constexpr uint64_t kAnywhere = UINT64_MAX - 1;
};

// A call path of a location, with callees that the trace lacks.
struct PlacedCaller {
  StayKinds kinds{{}};
  std::vector<PlacedCallee> callees;  // those that take most of the time, the longest first

  // Keeps the callees that matter, and makes the kinds by their visits. The stays come next.
  void Prepare(std::vector<PlacedCallee> all);
  // Fills the shares. First come the callees that fit into few stays.
  void FillShares();
  // Adds the part of `value` that is in each kind. Callees without shares are everywhere.
  void AddTo(uint32_t callee, double value, Whereabouts whereabouts, std::vector<double>* by_kind) const;
  bool IsScattered(uint32_t callee) const;
  // Whether all stays are alike.
  bool IsEven() const;
  // Whether it is known of all callees whether they ran with a lock.
  bool KnowsLocks() const;

 private:
  double FillElsewhere(PlacedCallee* callee, std::vector<double>* left) const;
  void Fill(PlacedCallee* callee, std::vector<double>* left) const;
  std::vector<double> Pressed(const PlacedCallee& callee, bool with_lock) const;
  const std::vector<double>* SharesOf(uint32_t callee, Whereabouts whereabouts) const;
};

// Finds callees whose visits all follow the same call. `callers`: the same call path at several locations.
void FindWhole(const std::vector<PlacedCaller*>& callers);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_PLACING_H_
