// SPDX-License-Identifier: BSD-3-Clause
// Finds loops that ask MPI again and again whether a message is there. Such loops wait, but neither MPI nor the clock
// tells that.
#ifndef EPIK_REPORT_VIEWS_POLLING_H_
#define EPIK_REPORT_VIEWS_POLLING_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "report/figures.h"

namespace epik::report {

// Whether the function asks for a message, or for the end of operations, and returns at once.
bool AsksMpi(std::string_view function);

// Whether the region is a thread of libc itself. Without hooks, all that its functions do counts there.
bool IsThread(const archive::Region& region);

// A function with such a loop.
struct PollingLoop {
  uint32_t region = archive::kNone;
  uint32_t asks = archive::kNone;  // region: the function of MPI that it calls most
  uint64_t calls = 0;              // of that function
  // The loop is somewhere in a program without hooks, whose other code nobody can tell from the time between the calls.
  bool is_all_code = false;
  double seconds = 0;       // in the calls and, unless is_all_code, between them
  std::vector<double> all;  // the same by location
  // Seconds between the calls and, if is_all_code, in all other code, by region of the loop and of functions that it
  // calls to ask; then by location.
  std::map<uint32_t, std::vector<double>> between;
};

// A profile does not say which calls found something. There are no more of these than operations that were started, and
// messages that were received, mostly in the same function. Loops that ask far more often poll, unless they have other
// work to do between two calls.
std::vector<PollingLoop> FindPolling(const Figures& figures);  // longest first

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_POLLING_H_
