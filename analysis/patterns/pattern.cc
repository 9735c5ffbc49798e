// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/pattern.h"

#include <string_view>

#include "analysis/replay/interruptions.h"
#include "analysis/replay/stretches.h"

namespace epik::patterns {

Pattern::Pattern(const PatternInfo& info, uint32_t number, Severities* severities)
    : info_(info),
      number_(number),
      severities_(severities),
      among_processes_(std::string_view(info.name).starts_with("mpi_")) {}

void Pattern::Add(uint32_t location, uint32_t path, const Severities::Span& span) {
  if (span.ns <= 0) return;
  severities_->Add(number_, location, path, span);
  if (among_processes_) severities_->NoteError(number_, span.ns);
}

int64_t Pattern::OwnTime(uint32_t location, int64_t since, int64_t from, int64_t to) const {
  return interruptions_->Own(location, since, from, to);
}

int64_t Pattern::WaitedFor(const replay::Call& call, std::span<const replay::Arrival> arrivals,
                           replay::Role role) const {
  int64_t sum = 0;
  replay::ForEachStretch(call, arrivals, [&](const replay::Arrival& arrival, int64_t from, int64_t to) {
    const bool counts = arrival.collective != nullptr && arrival.collective->operation.role == role;
    if (counts) sum += OwnTime(call.location, call.enter, from, to);
  });
  return sum;
}

void Pattern::AddCount(Count count, uint32_t location, uint32_t path, uint64_t times) {
  severities_->AddCount(count, location, path, times);
}

}  // namespace epik::patterns
