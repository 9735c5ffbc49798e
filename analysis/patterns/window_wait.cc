// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/window_wait.h"

#include <algorithm>

namespace epik::patterns {

void WindowWait::Synchronised(const replay::WindowWait& wait) {
  const replay::Call& call = wait.call;
  if (wait.why != why_ || (call.operation.role == replay::Role::kAccess) != in_access_) return;
  if (call.operation.role == replay::Role::kTest) return;
  AddWait(call.location, call.path, call.enter, call.enter, std::min(wait.ready(), call.leave));
}

}  // namespace epik::patterns
