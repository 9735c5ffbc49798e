// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/spanning_tree.h"

#include <algorithm>
#include <cstdlib>

namespace epik::mpi {

namespace {

constexpr int32_t kNone = -1;

// The parent of place p in a binomial tree.
int32_t BinomialParent(int32_t p) { return p == 0 ? kNone : p - (p & -p); }

}  // namespace

SpanningTree::~SpanningTree() { std::free(memory_); }

bool SpanningTree::Make(const EpikCollTree& shape, const int32_t* members, int32_t size) {
  const auto n = static_cast<size_t>(size);
  memory_ = static_cast<int32_t*>(std::calloc(6 * n, sizeof(int32_t)));
  if (memory_ == nullptr) return false;
  size_ = size;
  parent_ = memory_;
  first_ = parent_ + n;
  sibling_ = first_ + n;
  place_ = sibling_ + n;
  end_ = place_ + n;
  order_ = end_ + n;
  if (!FillParents(shape, members)) return false;
  Link();
  return true;
}

bool SpanningTree::FillParents(const EpikCollTree& shape, const int32_t* members) {
  switch (shape.kind) {
    case EpikTreeKind::kKary: FillKary(shape.arity); return true;
    case EpikTreeKind::kHost: return FillHosts(shape, members);
    case EpikTreeKind::kMapped: return FillMapped(shape, members);
    case EpikTreeKind::kBinomial:
      for (int32_t r = 0; r < size_; ++r) parent_[r] = BinomialParent(r);
      return true;
    default:
      for (int32_t r = 0; r < size_; ++r) parent_[r] = r == 0 ? kNone : 0;
      return true;
  }
}

// Each process has a range of ranks and is the first of it. It splits the others among up to `arity` children.
void SpanningTree::FillKary(uint32_t arity) {
  int32_t* last = end_;  // of the range
  parent_[0] = kNone;
  last[0] = size_;
  for (int32_t r = 0; r < size_; ++r) {
    const int64_t others = last[r] - r - 1;
    const int64_t pieces = std::min<int64_t>(arity, others);
    for (int64_t p = 0; p < pieces; ++p) {
      const auto first = static_cast<int32_t>(r + 1 + others * p / pieces);
      parent_[first] = r;
      last[first] = static_cast<int32_t>(r + 1 + others * (p + 1) / pieces);
    }
  }
}

// A binomial tree of the first processes of the hosts, and below each of them a binomial tree on its host.
bool SpanningTree::FillHosts(const EpikCollTree& shape, const int32_t* members) {
  const auto host_of = [&](int32_t rank) {
    const int32_t world = members[rank];
    return world >= 0 && static_cast<uint32_t>(world) < shape.ranks ? shape.hosts[world] : 0;
  };
  int32_t* by_host = order_;
  for (int32_t r = 0; r < size_; ++r) by_host[r] = r;
  std::sort(by_host, by_host + size_, [&](int32_t a, int32_t b) {
    const uint64_t one = host_of(a), other = host_of(b);
    return one != other ? one < other : a < b;
  });
  int32_t* leaders = place_;
  int32_t hosts = 0;
  for (int32_t begin = 0, i = 0; i < size_; ++i) {
    if (i == 0 || host_of(by_host[i]) != host_of(by_host[begin])) {
      begin = i;
      leaders[hosts++] = by_host[i];
    } else {
      parent_[by_host[i]] = by_host[begin + BinomialParent(i - begin)];
    }
  }
  std::sort(leaders, leaders + hosts);
  for (int32_t h = 0; h < hosts; ++h) parent_[leaders[h]] = h == 0 ? kNone : leaders[BinomialParent(h)];
  return true;
}

// The parent of a process is the nearest process above it that is also a member. Processes without such a parent hang
// below the first of them.
bool SpanningTree::FillMapped(const EpikCollTree& shape, const int32_t* members) {
  const auto ranks = static_cast<int32_t>(shape.ranks);
  auto* rank_of = static_cast<int32_t*>(std::malloc(shape.ranks * sizeof(int32_t)));
  if (rank_of == nullptr) return false;
  std::fill(rank_of, rank_of + ranks, kNone);
  const auto is_known = [&](int32_t rank) { return members[rank] >= 0 && members[rank] < ranks; };
  for (int32_t r = 0; r < size_; ++r) {
    if (is_known(r)) rank_of[members[r]] = r;
  }
  int32_t root = kNone;
  for (int32_t r = 0; r < size_; ++r) {
    int32_t above = is_known(r) ? shape.parents[members[r]] : kNone;
    while (above >= 0 && rank_of[above] < 0) above = shape.parents[above];
    parent_[r] = above >= 0 ? rank_of[above] : root;
    if (above < 0 && root < 0) root = r;
  }
  std::free(rank_of);
  return true;
}

// Fills in the rest from the parents.
void SpanningTree::Link() {
  std::fill(first_, first_ + size_, kNone);
  std::fill(sibling_, sibling_ + size_, kNone);
  int32_t root = 0;
  for (int32_t r = size_; r-- > 0;) {
    if (parent_[r] < 0) {
      root = r;
      continue;
    }
    sibling_[r] = first_[parent_[r]];
    first_[parent_[r]] = r;
  }
  int32_t place = 0;
  for (int32_t at = root;;) {
    place_[at] = place;
    order_[place] = at;
    ordered_ = ordered_ && at == place;
    ++place;
    if (first_[at] >= 0) {
      at = first_[at];
      continue;
    }
    for (; at >= 0 && sibling_[at] < 0; at = parent_[at]) end_[at] = place;
    if (at < 0) return;
    end_[at] = place;
    at = sibling_[at];
  }
}

int32_t SpanningTree::Towards(int32_t rank, int32_t target) const {
  if (rank == target) return kNone;
  const int32_t place = place_[target];
  if (place < place_[rank] || place >= end_[rank]) return parent_[rank];
  int32_t child = first_[rank];
  while (place >= end_[child]) child = sibling_[child];
  return child;
}

SpanningTree::Side SpanningTree::SideOf(int32_t from, int32_t to) const {
  if (parent_[from] == to) return {place_[from], SizeOf(from)};
  return {end_[to] % size_, size_ - SizeOf(to)};
}

}  // namespace epik::mpi
