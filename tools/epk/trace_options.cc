// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/trace_options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "archive/directory/archive.h"
#include "tools/epk/archives_here.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"

namespace epik::epk {
namespace {

bool ParseNumber(const std::string& text, uint64_t* number) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos || text.size() > 18) return false;
  *number = std::strtoull(text.c_str(), nullptr, 10);
  return true;
}

bool ParseTime(const std::string& text, int64_t* ns) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double scale = unit.empty() || unit == "s" ? 1e9
                       : unit == "ms"              ? 1e6
                       : unit == "us"              ? 1e3
                       : unit == "ns"              ? 1
                                                   : 0;
  if (end == text.c_str() || scale == 0 || !std::isfinite(value) || std::abs(value * scale) > 9e18) return false;
  *ns = std::llround(value * scale);
  return true;
}

bool Has(const std::vector<std::pair<uint64_t, uint64_t>>& ranges, uint64_t number) {
  for (const auto& [from, to] : ranges) {
    if (number >= from && number <= to) return true;
  }
  return ranges.empty();
}

// "ranks 0 to 3, threads 0 to 1".
std::string Extent(const archive::TraceArchive& archive) {
  int32_t rank = 0;
  uint64_t thread = 0;
  for (const archive::TraceArchive::Stream& stream : archive.streams()) {
    rank = std::max(rank, archive.processes()[stream.process]->map.rank);
    thread = std::max<uint64_t>(thread, stream.number);
  }
  const auto range = [](const char* what, uint64_t last) {
    return last == 0 ? what + std::string(" 0 alone") : what + std::string("s 0 to ") + std::to_string(last);
  };
  return range("rank", static_cast<uint64_t>(rank)) + ", " + range("thread", thread);
}

}  // namespace

void AddTraceOptions(cli::App& app, TraceOptions* options) {
  app.AddOption("archive", options->archive, "An epik_* directory with a trace (default: the newest here)");
  app.AddOption("--rank", options->ranks, "Only these processes: 0,2-5").TypeName("LIST");
  app.AddOption("--thread", options->threads, "Only these threads of each process: 0,2-5").TypeName("LIST");
  app.AddOption("--time", options->time, "Only this time since the job began: 1.5-2, 300ms-, -20us")
      .TypeName("FROM-TO");
}

bool ParseNumbers(const std::string& text, std::vector<std::pair<uint64_t, uint64_t>>* ranges) {
  ranges->clear();
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const size_t dash = part.find('-');
    uint64_t from = 0;
    uint64_t to = 0;
    if (!ParseNumber(part.substr(0, dash), &from)) return false;
    if (dash == std::string::npos) {
      to = from;
    } else if (!ParseNumber(part.substr(dash + 1), &to) || to < from) {
      return false;
    }
    ranges->emplace_back(from, to);
    at = end + 1;
  }
  return true;
}

bool ParseWindow(const std::string& text, TimeWindow* window) {
  // Not the dash of an exponent.
  size_t dash = text.find('-');
  while (dash != std::string::npos && dash > 0 && (text[dash - 1] == 'e' || text[dash - 1] == 'E')) {
    dash = text.find('-', dash + 1);
  }
  if (dash == std::string::npos) return false;
  const std::string from = text.substr(0, dash);
  const std::string to = text.substr(dash + 1);
  if (!from.empty() && !ParseTime(from, &window->from)) return false;
  if (!to.empty() && !ParseTime(to, &window->to)) return false;
  return !from.empty() || !to.empty();
}

std::string NamedOrNewestTrace(const std::string& named, const char* command) {
  if (!named.empty()) return named;
  const std::string newest = NewestArchive([](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::path(path) / archive::kMapsName, ignored);
  });
  if (newest.empty()) {
    throw Fault("no archive named, and no epik_* directory with a trace here: epk run -t comm makes one");
  }
  TellUser(command, "reading " + newest + ", the newest here");
  return newest;
}

void OpenTrace(const char* command, const TraceOptions& options, archive::TraceArchive* archive,
               std::vector<uint32_t>* streams, TimeWindow* window) {
  std::vector<std::pair<uint64_t, uint64_t>> ranks;
  std::vector<std::pair<uint64_t, uint64_t>> threads;
  if (!options.ranks.empty() && !ParseNumbers(options.ranks, &ranks)) {
    throw UsageError("--rank " + options.ranks + ": expected numbers like 0,2-5");
  }
  if (!options.threads.empty() && !ParseNumbers(options.threads, &threads)) {
    throw UsageError("--thread " + options.threads + ": expected numbers like 0,2-5");
  }
  if (!options.time.empty() && !ParseWindow(options.time, window)) {
    throw UsageError("--time " + options.time + ": expected FROM-TO in seconds, or with s, ms, us or ns");
  }
  if (window->from > window->to) throw UsageError("--time " + options.time + ": TO is not after FROM");
  const std::string path = NamedOrNewestTrace(options.archive, command);
  std::string error;
  std::error_code ignored;
  if (std::filesystem::exists(path + "/otf2/traces.otf2", ignored)) {
    throw Fault(path + ": its trace is otf2/traces.otf2 (EPK_TRACE_FORMAT=otf2), for otf2-print and other tools");
  }
  const std::filesystem::path folder(path);
  if (std::filesystem::is_directory(folder, ignored) &&
      !std::filesystem::exists(folder / archive::kMapsName, ignored) &&
      std::filesystem::exists(folder / archive::kSummaryName, ignored)) {
    throw Fault(path + " has no trace: run the program with epk run -t all, or see epk help run for less than all");
  }
  if (!archive->Open(path, &error)) throw Fault(error);
  for (uint32_t i = 0; i < archive->streams().size(); ++i) {
    const archive::TraceArchive::Stream& stream = archive->streams()[i];
    const int32_t rank = archive->processes()[stream.process]->map.rank;
    if (Has(ranks, static_cast<uint64_t>(std::max(rank, 0))) && Has(threads, stream.number)) streams->push_back(i);
  }
  if (streams->empty() && !(options.ranks.empty() && options.threads.empty())) {
    throw Fault(path + ": no thread of it is" + (options.ranks.empty() ? "" : " of --rank " + options.ranks) +
                (options.threads.empty() ? "" : " of --thread " + options.threads) + "; it has " + Extent(*archive));
  }
}

void SayProblems(const char* command, const std::vector<std::string>& problems) {
  constexpr size_t kMost = 20;
  for (size_t i = 0; i < std::min(problems.size(), kMost); ++i) {
    TellUser(command, problems[i]);
  }
  if (problems.size() > kMost) fprintf(stderr, "epk %s: and %zu more\n", command, problems.size() - kMost);
}

}  // namespace epik::epk
