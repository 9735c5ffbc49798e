// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/contention.h"

#include <algorithm>

namespace epik::patterns {

void Contention::Acquired(const replay::Acquisition& acquisition) {
  const replay::Call& call = acquisition.call;
  if (call.operation.role != role_) return;
  AddWait(call.location, call.path, call.enter, call.enter, std::min(acquisition.freed, call.leave));
}

}  // namespace epik::patterns
