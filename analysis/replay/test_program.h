// SPDX-License-Identifier: BSD-3-Clause
// Random programs with known waits, because they are made step by step: each operation begins when its processes come
// to it, and ends when it can by the definitions.
#ifndef EPIK_ANALYSIS_REPLAY_TEST_PROGRAM_H_
#define EPIK_ANALYSIS_REPLAY_TEST_PROGRAM_H_

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analysis/replay/test_script.h"

namespace epik::replay {

class Program {
 public:
  // `interrupts`: some calls run a function while they wait.
  Program(int ranks, int steps, unsigned seed, bool interrupts = false)
      : random_(seed), interrupts_(interrupts), now_(ranks, 1), lines_(ranks), free_(ranks, 0), inner_(ranks) {
    for (int r = 0; r < ranks; ++r) Say(r, "> m");
    for (int s = 0; s < steps; ++s) Step();
    for (int r = 0; r < ranks; ++r) Say(r, "<");
  }
  int ranks() const { return static_cast<int>(now_.size()); }
  // `without`: leaves out the trace of that rank.
  template <typename Sink>
  void Write(int without, Sink* sink) const {
    for (int r = 0; r < ranks(); ++r) {
      if (r != without) sink->Add(std::to_string(r) + ": " + lines_[static_cast<size_t>(r)]);
    }
  }

  std::map<std::string, int64_t> expected;  // "pattern rank call path" -> ns
  uint64_t messages = 0, collectives = 0;

 private:
  int Pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void Say(int rank, const std::string& what) { lines_[rank] += std::to_string(now_[rank]++) + " " + what + " | "; }
  // The call waited from `from` to `to`, except in its last interruption.
  void Expect(const std::string& pattern, int rank, const std::string& call, int64_t from, int64_t to) {
    const Inner& inner = inner_[static_cast<size_t>(rank)];
    const int64_t ns = to - from - std::max<int64_t>(std::min(to, inner.to) - std::max(from, inner.from), 0);
    if (to > from && ns > 0) expected[pattern + " " + std::to_string(rank) + " m > " + call] += ns;
  }
  // The rank is in a call until then.
  void Until(int rank, int64_t ns) {
    int64_t& now = now_[rank];
    if (interrupts_ && ns - now > 8 && Pick(3) == 0) {
      now += Pick(static_cast<int>(ns - now) - 6);
      Inner& inner = inner_[static_cast<size_t>(rank)];
      inner.from = now;
      Say(rank, "> h");
      now += Pick(9);
      Say(rank, "> f");
      Say(rank, "<");
      inner.to = now;
      Say(rank, "<");
    }
    now = std::max(now, ns);
  }

  void Step() {
    for (int64_t& now : now_) now += Pick(50);
    switch (Pick(13)) {
      case 0: return Message("MPI_Bsend", false);
      case 1: return Message("MPI_Ssend", false);
      case 2: return Message("MPI_Bsend", true);
      case 3: return All("MPI_Barrier", "mpi_barrier_wait", 0);
      case 4: return All("MPI_Allreduce", "mpi_wait_nxn", 8);
      case 5: return Bcast();
      case 6: return Swapped();
      case 7: return Together("MPI_Win_fence", "window_sync MPI_Win_fence 0 -1", "mpi_rma_wait_at_fence");
      case 8: return Together("MPI_Comm_dup", "collective_call MPI_Comm_dup w", "mpi_comm_wait");
      case 9: return Epoch();
      case 10: return Lock();
      case 11: return Message("MPI_Ssend", true);
      default: return Immediate();
    }
  }

  // `request`: a request receives the message, and is waited for later.
  void Message(const std::string& send, bool request) {
    const int from = Pick(ranks());
    const int to = (from + 1 + Pick(ranks() - 1)) % ranks();
    const std::string tag = std::to_string(Pick(3)), bytes = std::to_string(8 * (1 + Pick(9)));
    ++messages;
    const std::string ends = " " + tag + " w " + bytes;
    const int64_t posted = now_[to];
    int64_t away = INT64_MAX;
    if (request) {
      Say(to, "> MPI_Irecv");
      Say(to, "receive_begin 1");
      away = now_[to];
      Say(to, "<");
      now_[to] += Pick(60);
    }
    const int64_t sends = now_[from], receives = now_[to];
    const bool waits = send == "MPI_Ssend";
    Say(from, "> " + send);
    Say(from, "send " + std::to_string(to) + ends);
    if (waits) Until(from, (request ? receives : posted) + 1);
    Say(from, "<");
    Say(to, request ? "> MPI_Wait" : "> MPI_Recv");
    Until(to, sends + 2);
    Say(to, (request ? "receive_end " : "receive ") + std::to_string(from) + ends + (request ? " 1" : ""));
    Say(to, "<");
    Expect("mpi_latesender", to, request ? "MPI_Wait" : "MPI_Recv", receives, sends);
    if (waits) Expect("mpi_latereceiver", from, send, sends, posted);
    if (waits) Expect("mpi_lateprogress", from, send, std::max(sends, away), receives);
  }

  // Two receives that are completed in the opposite order of their posts.
  void Swapped() {
    const int from = Pick(ranks());
    const int to = (from + 1 + Pick(ranks() - 1)) % ranks();
    const std::string ends = std::to_string(Pick(3)) + " w";
    messages += 2;
    for (const char* request : {" 1", " 2"}) {
      Say(to, "> MPI_Irecv");
      Say(to, "receive_posted " + std::to_string(from) + " " + ends + request);
      Say(to, "<");
    }
    int64_t last = 0;
    for (int i = 0; i < 2; ++i) {
      now_[from] += Pick(40);
      last = now_[from];
      Say(from, "> MPI_Bsend");
      Say(from, "send " + std::to_string(to) + " " + ends + " 8");
      Say(from, "<");
    }
    for (const char* request : {" 2", " 1"}) {
      const int64_t waits = now_[to];
      Say(to, "> MPI_Wait");
      Until(to, last + 2);
      Expect("mpi_latesender", to, "MPI_Wait", waits, last);
      Say(to, "receive_end " + std::to_string(from) + " " + ends + " 8" + request);
      Say(to, "<");
    }
  }

  void All(const std::string& call, const std::string& pattern, int bytes) {
    ++collectives;
    std::vector<int64_t> begins;
    for (int r = 0; r < ranks(); ++r) {
      Say(r, "> " + call);
      begins.push_back(now_[r]);
      Say(r, "collective_begin " + call + " 0");
    }
    const int64_t last = *std::max_element(begins.begin(), begins.end());
    for (int r = 0; r < ranks(); ++r) {
      Until(r, last + 1 + Pick(3));
      Expect(pattern, r, call, begins[r], last);
      EndCollective(r, call, -1, bytes, bytes, 0);
    }
  }
  void EndCollective(int rank, const std::string& call, int root, int out, int in, int request) {
    Say(rank, "collective_end " + call + " w " + std::to_string(root) + " " + std::to_string(out) + " " +
                  std::to_string(in) + " " + std::to_string(request));
    Say(rank, "<");
  }

  void Bcast() {
    ++collectives;
    const int root = Pick(ranks());
    int64_t begins = 0;
    for (int i = 0; i < ranks(); ++i) {
      const int r = (root + i) % ranks();
      Say(r, "> MPI_Bcast");
      const int64_t mine = now_[r];
      if (r == root) begins = mine;
      Say(r, "collective_begin MPI_Bcast 0");
      if (r != root) Until(r, begins + 1);
      Expect("mpi_latebroadcast", r, "MPI_Bcast", mine, begins);
      EndCollective(r, "MPI_Bcast", root, r == root ? 8 : 0, 8, 0);
    }
  }

  // Spreads the times at which ranks come to MPI, except for those before `since`.
  void Spread(int64_t since) {
    constexpr int64_t kApart = 8;
    int64_t free = since + kApart;
    for (int64_t& now : now_) {
      if (now <= since) continue;
      now = std::max(now, free);
      free = now + kApart;
    }
  }

  void Immediate() {
    ++collectives;
    const bool together = Pick(2) == 0;  // the transfer ends when all are back in MPI
    const int bytes = together ? 64 : 8;
    int64_t last = 0;
    std::vector<int64_t> away;
    for (int r = 0; r < ranks(); ++r) {
      Say(r, "> MPI_Iallreduce");
      last = std::max(last, now_[r]);
      Say(r, "collective_begin MPI_Iallreduce 9");
      away.push_back(now_[r]);
      Say(r, "<");
      now_[r] += Pick(40);
    }
    Spread(last);
    const std::vector<int64_t> back = now_;
    for (int r = 0; r < ranks(); ++r) {
      int other = r == 0 ? 1 : 0;  // the rank that is back last
      for (int q = 0; q < ranks(); ++q) {
        if (q != r && back[q] > back[other]) other = q;
      }
      Say(r, "> MPI_Wait");
      Until(r, (together ? std::max({last, back[r], back[other]}) : last) + 1);
      Expect("mpi_wait_nxn", r, "MPI_Wait", back[r], last);
      if (together) Expect("mpi_lateprogress", r, "MPI_Wait", std::max({back[r], last, away[other]}), back[other]);
      EndCollective(r, "MPI_Iallreduce", -1, bytes, bytes, 9);
    }
  }

  // Calls that are identified by the times at which they are entered.
  void Together(const std::string& call, const std::string& record, const std::string& pattern) {
    const std::vector<int64_t> begins = now_;
    const int64_t last = *std::max_element(begins.begin(), begins.end());
    for (int r = 0; r < ranks(); ++r) {
      Say(r, "> " + call);
      Until(r, last + 1 + Pick(3));
      Expect(pattern, r, call, begins[r], last);
      Say(r, record);
      Say(r, "<");
    }
  }

  void Epoch() {
    const int origin = Pick(ranks());
    const int target = (origin + 1 + Pick(ranks() - 1)) % ranks();
    const int64_t posted = now_[target];
    const auto call = [&](int rank, const std::string& name, int64_t least, int peer) {
      const int64_t enter = now_[rank];
      Say(rank, "> " + name);
      Until(rank, least);
      Say(rank, "window_sync " + name + " 0 " + std::to_string(peer));
      Say(rank, "<");
      return enter;
    };
    call(target, "MPI_Win_post", 0, origin);
    const bool starts = Pick(2) == 0;
    const int64_t started = call(origin, "MPI_Win_start", starts ? posted + 1 : 0, target);
    const bool waited = posted <= now_[origin] - 2;  // the time of its record
    if (waited) Expect("mpi_rma_sync_late_post", origin, "MPI_Win_start", started, posted);
    now_[origin] += Pick(40);
    const int64_t ended = call(origin, "MPI_Win_complete", posted + 1, -1);
    if (!waited) Expect("mpi_rma_sync_late_post", origin, "MPI_Win_complete", ended, posted);
    now_[target] += Pick(40);
    const int64_t waits = call(target, "MPI_Win_wait", ended + 1, -1);
    Expect("mpi_rma_early_wait", target, "MPI_Win_wait", waits, ended);
  }

  void Lock() {
    const int origin = Pick(ranks()), target = Pick(ranks());
    const std::string peer = std::to_string(target);
    const int64_t asks = now_[origin];
    Say(origin, "> MPI_Win_lock");
    Until(origin, free_[target] + 1);
    Expect("mpi_rma_sync_lock_competition", origin, "MPI_Win_lock", asks, free_[target]);
    Say(origin, "window_lock MPI_Win_lock 0 " + peer + " 1");
    Say(origin, "<");
    now_[origin] += Pick(60);
    free_[target] = now_[origin];
    Say(origin, "> MPI_Win_unlock");
    Say(origin, "window_sync MPI_Win_unlock 0 " + peer);
    Say(origin, "<");
  }

  struct Inner {
    int64_t from = 0, to = 0;
  };
  std::mt19937 random_;
  bool interrupts_;
  std::vector<int64_t> now_;
  std::vector<std::string> lines_;
  std::vector<int64_t> free_;  // by target: when the lock of its window was given back
  std::vector<Inner> inner_;   // by rank: the last interruption of a call
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_TEST_PROGRAM_H_
