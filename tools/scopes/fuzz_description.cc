// SPDX-License-Identifier: BSD-3-Clause
// Takes any text as a description of scopes: the text is refused with a reason, or means the same when it is written
// and read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/scopes/description.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace epik::scopes;
  Plan plan, again;
  std::string error;
  if (!ParseDescription({reinterpret_cast<const char*>(data), size}, "fuzz", &plan, &error)) {
    if (error.compare(0, 5, "fuzz:") != 0) __builtin_trap();
    return 0;
  }
  const std::string written = WriteDescription(plan);
  if (written.size() > kMostDescriptionBytes) return 0;  // the written form is longer, because it has the defaults, too
  if (!ParseDescription(written, "fuzz", &again, &error) || WriteDescription(again) != written) __builtin_trap();
  NamesMatch(plan.scopes.front(), "main > f", "f", "world");
  FiguresMatch(plan.scopes.front(), Part());
  return 0;
}
