// SPDX-License-Identifier: BSD-3-Clause
// Which messages were under way longest, and what were both ends doing?
//
//   g++ -std=c++20 messages.cc -o messages $(pkg-config --cflags --libs epik-trace)
//   ./messages epik_solver_4x1_trace
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "epik/trace.hpp"

using epik::trace::Event;
using epik::trace::Link;
using epik::trace::Trace;

namespace {

struct Pair {
  unsigned long messages = 0, bytes = 0;
  double seconds = 0;
};
struct Way {
  double seconds;
  Event send, receive;
};

bool Sends(const Event& event) { return event.kind == EPIK_TRACE_SEND || event.kind == EPIK_TRACE_SEND_BEGIN; }

int Show(const char* path) {
  const Trace trace(path);
  std::map<std::pair<int, int>, Pair> pairs;
  std::vector<Way> ways;
  for (const Event& event : trace.Events()) {
    if (!Sends(event)) continue;
    const auto receive = trace.Partner(event, Link::kMessage);
    if (!receive) continue;
    const double seconds = static_cast<double>(receive->ns - event.ns) * 1e-9;
    Pair& pair = pairs[{trace.Location(event.location).rank, trace.Location(receive->location).rank}];
    ++pair.messages;
    pair.bytes += event.Field("bytes");
    pair.seconds += seconds;
    ways.push_back({seconds, event, *receive});
  }
  std::printf("from  to  messages      bytes  mean us\n");
  for (const auto& [ranks, pair] : pairs) {
    std::printf("%4d %3d %9lu %10lu %8.1f\n", ranks.first, ranks.second, pair.messages, pair.bytes,
                pair.seconds * 1e6 / static_cast<double>(pair.messages));
  }
  std::sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.seconds > b.seconds; });
  ways.resize(std::min<std::size_t>(ways.size(), 3));
  std::printf("\nlongest:\n");
  for (const Way& way : ways) {
    std::printf("%8.1f us at %.6f s: %s -> %s\n", way.seconds * 1e6, static_cast<double>(way.send.ns) * 1e-9,
                trace.PathName(way.send.call_path).c_str(), trace.PathName(way.receive.call_path).c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: messages ARCHIVE\n");
    return 2;
  }
  try {
    return Show(argv[1]);
  } catch (const epik::trace::Error& problem) {
    std::fprintf(stderr, "messages: %s\n", problem.what());
    return 1;
  }
}
