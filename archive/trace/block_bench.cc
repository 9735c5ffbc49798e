// SPDX-License-Identifier: BSD-3-Clause
// Measures how a trace is encoded and read, and its size: CPU time and bytes for each event.
//   bazel run //archive/trace:block_bench [-- EVENTS]
#include <sys/mman.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "archive/trace/block_decoder.h"
#include "archive/trace/sample_words.h"
#include "runtime/epilog/block_encoder.h"

namespace {

using namespace epik::archive;
using namespace epik::epilog;
using epik::event::kTimeShift;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Result {
  double seconds = 0;
  uint64_t bytes = 0;
  uint64_t events = 0;
  std::string file;
};

Result Encode(const std::vector<uint64_t>& words, int level, void* scratch) {
  static uint32_t nodes[1 << 16];
  BlockEncoder encoder(scratch);
  Stream stream{};
  stream.open = {nodes, 0, 1 << 16, nullptr};
  Result result;
  result.file.reserve(words.size() * 4);
  const double begin = CpuSeconds();
  for (size_t done = 0; done < words.size();) {
    encoder.Begin(&stream);
    done += encoder.Take(words.data() + done, static_cast<uint32_t>(words.size() - done));
    const EncodedBlock block = encoder.Finish(level);
    result.file.append(static_cast<const char*>(block.bytes), block.size);
    result.events += block.events;
  }
  result.seconds = CpuSeconds() - begin;
  result.bytes = result.file.size();
  return result;
}

double Decode(const std::string& file, uint64_t expected) {
  BlockDecoder decoder;
  Event event;
  uint64_t events = 0;
  uint64_t sum = 0;
  const double begin = CpuSeconds();
  for (size_t at = 0; at < file.size();) {
    BlockHeader header;
    std::string error;
    if (CheckBlockHeader(file.data() + at, &header) != nullptr) std::abort();
    if (!decoder.Open(header, file.data() + at + sizeof header, &error)) std::abort();
    while (decoder.Next(&event)) {
      ++events;
      sum += event.node ^ event.time;
    }
    if (!decoder.error().empty()) std::abort();
    at += (sizeof header + header.payload_bytes + kBlockAlign - 1) & ~size_t{kBlockAlign - 1};
  }
  const double seconds = CpuSeconds() - begin;
  if (events != expected || sum == 0) std::abort();
  return seconds;
}

// The bits of information in a step of time, when it is known whether it ends in an enter or an exit.
double StepEntropy(const std::vector<uint64_t>& words) {
  std::map<uint64_t, uint64_t> counts[2];
  uint64_t totals[2] = {0, 0};
  uint64_t last = words[2] >> kTimeShift;
  for (size_t i = 3; i < words.size(); ++i) {
    const unsigned which = epik::event::CodeOf(words[i]) == 0;
    ++counts[which][(words[i] >> kTimeShift) - last];
    ++totals[which];
    last = words[i] >> kTimeShift;
  }
  double bits = 0;
  for (unsigned which = 0; which < 2; ++which) {
    for (const auto& [step, count] : counts[which]) {
      bits -= static_cast<double>(count) * std::log2(static_cast<double>(count) / static_cast<double>(totals[which]));
    }
  }
  return bits / static_cast<double>(totals[0] + totals[1]);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4000000;
  void* scratch =
      mmap(nullptr, BlockEncoder::ScratchBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (scratch == MAP_FAILED) return 1;
  std::printf("scratch %zu KiB\n", BlockEncoder::ScratchBytes() >> 10);
  const struct {
    const char* name;
    void (*log)(WordLog*);
  } kLoads[] = {{"leaf", LogLeaf}, {"fib", LogFib}, {"wide", LogWide}, {"paths", LogPaths}};
  std::printf("%-6s %6s %10s %10s %12s %12s\n", "", "level", "ns/event", "B/event", "read M/s", "step entropy");
  for (const auto& load : kLoads) {
    WordLog log(events);
    load.log(&log);
    const double entropy = StepEntropy(log.words());
    for (const int level : {0, 1, 3, 6, 9}) {
      Result best;
      for (int i = 0; i < 3; ++i) {
        Result result = Encode(log.words(), level, scratch);
        if (i == 0 || result.seconds < best.seconds) best = std::move(result);
      }
      const auto n = static_cast<double>(best.events);
      double read = Decode(best.file, best.events);
      for (int i = 0; i < 2; ++i) read = std::min(read, Decode(best.file, best.events));
      std::printf("%-6s %6d %10.2f %10.3f %12.1f %7.2f bits\n", load.name, level, best.seconds / n * 1e9,
                  static_cast<double>(best.bytes) / n, n / read * 1e-6, entropy);
    }
  }
  return 0;
}
