// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/link_delay.h"

#include <time.h>

#include <cstdio>
#include <cstdlib>

#include "adapters/mpi/pmpi.h"
#include "flavour.h"

namespace epik::mpi {

namespace {

constexpr int kStampTag = 9;
constexpr int64_t kSecond = 1'000'000'000;

int32_t clusters = 0;  // 0: there is no delay
int32_t mine = 0;
int64_t delay_ns = 0;

int64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

bool IsFar(const LinkEnd& end) { return clusters != 0 && end.world % clusters != mine; }

}  // namespace

void KnowLinkDelay() {
  const char* text = std::getenv("EPK_INTERNAL_LINK_DELAY");
  long delay_us = 0;
  clusters = 0;
  if (text == nullptr || std::sscanf(text, "%d:%ldus", &clusters, &delay_us) != 2 || clusters <= 0) {
    clusters = 0;
    return;
  }
  int rank = 0;
  pmpi.Comm_rank(World(), &rank);
  mine = rank % clusters;
  delay_ns = delay_us * 1000;
}

void StampLink(const LinkEnd& to) {
  if (!IsFar(to)) return;
  const int64_t now = NowNs();
  pmpi.Send(&now, sizeof now, Byte(), to.rank, kStampTag, to.comm);
}

void AwaitLink(const LinkEnd& from) {
  if (!IsFar(from)) return;
  int64_t sent = 0;
  MPI_Status status;
  pmpi.Recv(&sent, sizeof sent, Byte(), from.rank, kStampTag, from.comm, &status);
  // Sleeps, because the machine may have fewer processors than processes.
  const int64_t until = sent + delay_ns;
  const timespec moment = {until / kSecond, until % kSecond};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nullptr);
}

}  // namespace epik::mpi
