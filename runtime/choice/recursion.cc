// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/recursion.h"

#include <cstdio>

#include "runtime/episode/definitions.h"
#include "runtime/episode/options.h"
#include "runtime/epitome/folding.h"

namespace epik::choice {

namespace {

// Programs without exponential recursion have fewer, but for those whose recursion is deep. 8 MiB of nodes.
constexpr uint32_t kManyPaths = 1u << 17;

void Start(const episode::Options& options) {
  switch (options.settings.recursion) {
    case config::Recursion::kFold: epitome::fold_from = 0; return;
    case config::Recursion::kAuto: epitome::fold_from = kManyPaths; return;
    case config::Recursion::kFull: epitome::fold_from = epitome::kNeverFold; return;
  }
}

void Finish() {
  if (epitome::fold_from != kManyPaths || epitome::FoldedNodes() == 0) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "recursion made more than %u call paths: from then on calls of functions that were open already count "
                "on the call path of the open one (EPK_RECURSION)",
                kManyPaths);
  episode::Note(text);
}

}  // namespace

const episode::Part recursion_part = {.name = "recursion", .start = Start, .finish = Finish};

}  // namespace epik::choice
