// SPDX-License-Identifier: BSD-3-Clause
// A partitioned send has begun when the program has started it and has marked all of its parts as ready: only then can
// its receive end. Any thread may mark the last part.
#include <algorithm>
#include <utility>

#include "analysis/replay/engine.h"

namespace epik::replay {

void Engine::BeginSend(uint32_t location, LocationState* state, int64_t ns) {
  if (!state->in_parts) return Send(location, state, ns, state->event.field, true);
  RequestState* request = NewRequest(location, state->event.field[4]);
  request->parts = std::make_unique<PartedSend>();
  std::copy_n(state->event.field, event::kMostFields, request->parts->field.begin());
  request->parts->turn = state->turn;
  request->parts->start = {location, BeginOf(location, *state, ns), true, ns};
}

void Engine::ReadySend(uint32_t location, LocationState* state, int64_t ns) {
  RequestState* request = RequestOf(location, state->event.field[0]);
  if (request != nullptr && request->parts != nullptr) SendParts(location, state, ns, request);
}

// The message is sent in the current call.
void Engine::SendParts(uint32_t location, LocationState* state, int64_t ns, RequestState* request) {
  const std::unique_ptr<PartedSend> parts = std::move(request->parts);
  state->turn = parts->turn;
  Send(location, state, ns, parts->field.data(), true);
}

// The request is over, or the program frees it. If the trace lacks the call that marked the last part as ready, the
// send begins with its start.
void Engine::EndParts(uint32_t location, LocationState* state, int64_t ns, RequestState* request) {
  if (request->parts == nullptr) return;
  const MessageEnd start = request->parts->start;
  SendParts(location, state, ns, request);
  if (request->message != kNone) messages_[request->message].message.send = start;
}

}  // namespace epik::replay
