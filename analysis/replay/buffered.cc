// SPDX-License-Identifier: BSD-3-Clause
// Messages of MPI_Bsend lie in a buffer of the program until MPI has brought them on their way. Large ones stay there
// until they are received. The program waits for them when it takes the buffer back.
#include <algorithm>

#include "analysis/replay/engine.h"

namespace epik::replay {

namespace {

// If a program never takes its buffer back, its oldest messages are forgotten.
constexpr size_t kFewBuffered = 64, kMostBuffered = 1 << 16;

}  // namespace

void Engine::Buffer(uint32_t process, uint32_t message, int64_t ns) {
  std::vector<uint32_t>& buffered = processes_[process].buffered;
  size_t& look_at = processes_[process].look_at_buffered;
  if (buffered.size() >= std::max(look_at, kFewBuffered)) {
    // A call that comes later does not wait for messages that others had asked for before.
    std::erase_if(buffered, [&](uint32_t number) {
      const MessageState& state = messages_[number];
      const bool is_gone = state.cancelled || state.lost || (state.matched && state.message.received_by.enter <= ns);
      if (is_gone) Release(number);
      return is_gone;
    });
    if (buffered.size() >= kMostBuffered) {
      const auto middle = buffered.begin() + kMostBuffered / 2;
      std::for_each(buffered.begin(), middle, [&](uint32_t number) { Release(number); });
      buffered.erase(buffered.begin(), middle);
    }
    look_at = 2 * buffered.size();
  }
  buffered.push_back(message);
  ++messages_[message].users;
}

void Engine::EmptyBuffer(uint32_t location, LocationState* state, int64_t ns) {
  std::vector<uint32_t>& buffered = StateAt(location).buffered;
  const uint32_t call = CallOfRecord(location, state, ns);
  for (const uint32_t message : buffered) {
    if (!messages_[message].cancelled) Attach(message, call, /*receives=*/false);
    Release(message);
  }
  buffered.clear();
  EndRecord(call);
}

}  // namespace epik::replay
