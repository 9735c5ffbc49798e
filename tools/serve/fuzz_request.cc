// SPDX-License-Identifier: BSD-3-Clause
// Takes any bytes as a request: parsing must end, with one of its four results.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tools/serve/request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace epik::serve;
  Request request;
  const ParseState state = ParseRequest({reinterpret_cast<const char*>(data), size}, &request);
  if (state == ParseState::kDone && (request.method.empty() || request.path.empty())) __builtin_trap();
  if (state == ParseState::kIncomplete && size >= kMostRequestBytes) __builtin_trap();
  return 0;
}
