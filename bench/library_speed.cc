// SPDX-License-Identifier: BSD-3-Clause
// Measures how fast the library for people's own analyses reads a trace, and how long decoding the same events takes:
//
//   library_speed TRACE_SCALE RANKS MILLION_EVENTS
//
// TRACE_SCALE is bench/trace_scale, which makes the trace.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "archive/trace/location_reader.h"
#include "archive/trace/trace_archive.h"
#include "include/epik/trace.hpp"

namespace {

namespace fs = std::filesystem;

double CpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct Rate {
  uint64_t events = 0;
  double seconds = 0;
  double ns() const { return seconds / static_cast<double>(events) * 1e9; }
};

template <typename Read>
Rate Measure(const Read& read) {
  Rate best;
  for (int round = 0; round < 3; ++round) {
    const double before = CpuSeconds();
    const uint64_t events = read();
    const double seconds = CpuSeconds() - before;
    if (round == 0 || seconds < best.seconds) best = {events, seconds};
  }
  return best;
}

uint64_t Decode(const epik::archive::TraceArchive& traces) {
  uint64_t events = 0;
  for (const auto& stream : traces.streams()) {
    epik::archive::LocationReader reader(&traces.processes()[stream.process]->file, stream.number);
    for (epik::archive::Event event; reader.Next(&event);) ++events;
  }
  return events;
}

// Counts the range's events; the compiler must not leave the loop out.
uint64_t Count(epik::trace::EventRange range) {
  uint64_t events = 0, depths = 0;
  for (const epik::trace::Event& event : range) {
    ++events;
    depths += event.depth;
  }
  return depths > 0 ? events : 0;
}

int Run(const std::string& trace_scale, const std::string& ranks, const std::string& millions) {
  std::string folder = (fs::temp_directory_path() / "epik_speed.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  const std::string path = folder + "/epik_speed";
  const int status =
      std::system(("'" + trace_scale + "' '" + path + "' " + ranks + " " + millions + " > /dev/null").c_str());
  epik::archive::TraceArchive traces;
  std::string error;
  if (status != 0 || !traces.Open(path, &error)) {
    std::fprintf(stderr, "library_speed: %s\n", status != 0 ? "trace_scale failed" : error.c_str());
    fs::remove_all(folder);
    return 1;
  }
  const Rate decoded = Measure([&] { return Decode(traces); });
  epik::trace::Trace trace(path);
  const Rate each = Measure([&] {
    uint64_t events = 0;
    for (uint32_t l = 0; l < traces.streams().size(); ++l) events += Count(trace.EventsFrom(l));
    return events;
  });
  const Rate merged = Measure([&] { return Count(trace.Events()); });
  fs::remove_all(folder);
  std::printf("ns=%.2f merged_ns=%.2f read_ns=%.2f ratio=%.2f\n", each.ns(), merged.ns(), decoded.ns(),
              each.ns() / decoded.ns());
  return decoded.events == each.events && each.events == merged.events ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) return Run(argv[1], argv[2], argv[3]);
  std::fprintf(stderr, "usage: library_speed TRACE_SCALE RANKS MILLION_EVENTS\n");
  return 2;
}
