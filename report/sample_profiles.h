// SPDX-License-Identifier: BSD-3-Clause
// Profiles made by hand for the tests of the writers.
#ifndef EPIK_REPORT_SAMPLE_PROFILES_H_
#define EPIK_REPORT_SAMPLE_PROFILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/views/communication.h"

namespace epik::report {

struct Sample {
  archive::Profile profile;
  archive::Manifest manifest;
};

Sample Hybrid();          // 2 ranks x 2 threads, MPI and OpenMP, bytes and messages, a counter
Sample Stencil();         // 4 ranks x 2 threads, uneven, with the roles and metrics of a real run, in the metric tree
Sample Recursion();       // fib, and a parser that recurses through three regions
Sample Unfinished();      // killed, recovered, open frames, losses, notes
Sample DeepChain();       // 40 callers that only pass control on
Sample Wide();            // 300 children, all but three small
Sample Templates();       // names of hundreds of characters
Sample NoTime();          // visits, but 0 seconds
Sample NoLocations();     // definitions only
Sample Hostile();         // NaN, infinities, quotes, line ends, escape sequences, broken UTF-8
Sample Deep(int levels);  // plain recursion, to find code that recurses with it

std::vector<Sample> AllSamples();

// Each rank sends to its two neighbours in a ring; higher ranks send more.
std::vector<Traffic> StencilTraffic(uint32_t ranks);

}  // namespace epik::report

#endif  // EPIK_REPORT_SAMPLE_PROFILES_H_
