// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/transfers.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "analysis/approximation/samples.h"

namespace epik::approximation {

using graph::Edge;
using graph::EdgeKind;
using graph::Graph;
using graph::Point;
using replay::Mode;

namespace {

size_t ClassOf(uint64_t bytes) { return static_cast<size_t>(std::bit_width(bytes)); }

}  // namespace

double Transfers::At(const BySize& known, uint64_t bytes, double otherwise, double more) {
  const size_t size = ClassOf(bytes);
  if (known[size] >= 0) return known[size];
  // The next smaller size that is known takes less, and the additional bytes take time.
  for (size_t smaller = size; smaller-- > 0;) {
    if (known[smaller] >= 0) return known[smaller] + more * static_cast<double>(bytes);
  }
  return otherwise * static_cast<double>(bytes);
}

bool Transfers::KnowsCopy(uint64_t bytes) const { return usual_copy_[ClassOf(bytes)] >= 0; }

// Larger ones take longer.
double Transfers::Most(uint64_t bytes) const {
  for (size_t size = ClassOf(bytes) + 1; size < kClasses; ++size) {
    if (most_[size] >= 0) return std::max(most_[size], most_[ClassOf(bytes)]);
  }
  return std::numeric_limits<double>::infinity();
}

Transfers::Transfers(const Graph& graph) : waits_from_(graph.locations(), UINT64_MAX) {
  std::array<std::vector<double>, kClasses> copies, moves;
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      const Point& point = graph.At({l, p});
      graph.ForEachEdge(point, [&](const Edge& edge) {
        if (edge.kind == EdgeKind::kReceiver && edge.bytes > 0 && point.operation.mode == Mode::kStandard) {
          waits_from_[l] = std::min(waits_from_[l], edge.bytes);
        }
      });
      const Edge* message = OnlyMessage(graph, point);
      if (message == nullptr) continue;
      const Point& send = graph.At(message->partner);
      const size_t size = ClassOf(message->bytes);
      if (point.begin > send.end && copies[size].size() < kEnough) {
        copies[size].push_back(static_cast<double>(point.end - point.begin));
      } else if (send.begin >= point.begin && point.end > send.begin && moves[size].size() < kEnough) {
        moves[size].push_back(static_cast<double>(point.end - send.begin));
      }
    }
  }
  for (size_t size = 0; size < kClasses; ++size) {
    if (!copies[size].empty()) {
      least_copy_[size] = *std::min_element(copies[size].begin(), copies[size].end());
      usual_copy_[size] = Middle(copies[size]);
    }
    if (moves[size].empty()) continue;
    usual_[size] = Middle(moves[size]);
    most_[size] = *std::max_element(moves[size].begin(), moves[size].end());
  }
}

}  // namespace epik::approximation
