// SPDX-License-Identifier: BSD-3-Clause
// Many locks of a window: whom they wait for, and that replay forgets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/patterns/test_look.h"

namespace epik::patterns {
namespace {

using replay::Script;

// Ranks lock the memory of rank 0, or that of all, in the order in which they give the locks back.
class LockProgram {
 public:
  LockProgram(int ranks, int locks, unsigned shared_of_ten, unsigned seed) : random_(seed), now_(ranks, 1) {
    lines_.assign(ranks, "0 > m | ");
    for (int n = 0; n < locks; ++n) Lock(Pick(ranks), Pick(10) >= shared_of_ten, Pick(8) == 0);
  }
  void Write(Script* script) const {
    for (size_t r = 0; r < lines_.size(); ++r) {
      script->Add(std::to_string(r) + ": " + lines_[r] + std::to_string(last_ + 9) + " <");
    }
  }

  Waits expected;

 private:
  struct Given {
    unsigned rank;
    int64_t ns;  // begin of the call that gave it back
  };

  unsigned Pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  void Say(unsigned rank, int64_t ns, const std::string& what) {
    lines_[rank] += std::to_string(ns) + " " + what + " | ";
  }

  void Lock(unsigned rank, bool exclusive, bool of_all) {
    if (of_all) exclusive = false;
    const int64_t asks = now_[rank] + 1 + Pick(20);
    int64_t free = 0;
    const auto need = [&](const Given& before) {
      if (before.rank != rank) free = std::max(free, before.ns);
    };
    if (exclusive && !shared_.empty()) {
      for (const Given& before : shared_) need(before);
    } else if (has_alone_) {
      need(alone_);
    }
    const int64_t got = std::max(asks, free) + 1;
    const int64_t gives = std::max(got + 1 + Pick(9), last_ + 1);
    last_ = now_[rank] = gives + 1;
    const std::string lock = of_all ? "MPI_Win_lock_all" : "MPI_Win_lock";
    const std::string unlock = of_all ? "MPI_Win_unlock_all" : "MPI_Win_unlock", target = of_all ? " -1" : " 0";
    Say(rank, asks, "> " + lock);
    Say(rank, got, "window_lock " + lock + " 0" + target + (exclusive ? " 1" : " 0"));
    Say(rank, got, "<");
    Say(rank, gives, "> " + unlock);
    Say(rank, gives + 1, "window_sync " + unlock + " 0" + target);
    Say(rank, gives + 1, "<");
    if (free > asks) {
      expected["mpi_rma_sync_lock_competition " + std::to_string(rank) + " m > " + lock] += free - asks;
    }
    if (!exclusive) {
      shared_.push_back({rank, gives});
      return;
    }
    alone_ = {rank, gives};
    has_alone_ = true;
    shared_.clear();
  }

  std::mt19937 random_;
  std::vector<int64_t> now_;  // by rank
  std::vector<std::string> lines_;
  std::vector<Given> shared_;  // since `alone_`
  Given alone_{};
  bool has_alone_ = false;
  int64_t last_ = 0;  // when a lock was given back last
};

TEST(WindowLocks, WaitForThoseBeforeHoweverManyThereAre) {
  for (const unsigned shared_of_ten : {0u, 5u, 9u, 10u}) {
    LockProgram program(3, 6000, shared_of_ten, shared_of_ten);
    Script script(3);
    program.Write(&script);
    const Found found = Look(&script);
    EXPECT_EQ(found.waits, program.expected) << shared_of_ten;
    EXPECT_EQ(found.unmatched.Total(), 0u);
  }
}

// Each rank is ahead of the others by the locks of one turn at most, some 11 000.
TEST(WindowLocks, AreForgottenWhenNobodyCanWaitForThem) {
  for (const unsigned shared_of_ten : {9u, 10u}) {
    LockProgram program(2, 100000, shared_of_ten, 1);
    Script script(2);
    program.Write(&script);
    const Found found = Look(&script);
    EXPECT_EQ(found.waits, program.expected);
    EXPECT_LT(found.totals.most_locks, 40000u);
  }
}

}  // namespace
}  // namespace epik::patterns
