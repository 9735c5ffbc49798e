// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/jumps.h"

namespace epik::episode {

namespace {

KeptFrame kept_frame = nullptr;

}  // namespace

void KeepFrame(KeptFrame frame) { __atomic_store_n(&kept_frame, frame, __ATOMIC_RELEASE); }

void ForgetLeftFrame(uint64_t landing, StackRange left) {
  const KeptFrame keeps = __atomic_load_n(&kept_frame, __ATOMIC_ACQUIRE);
  if (keeps == nullptr) return;
  const void** frame = keeps();
  if (*frame != nullptr && IsLeft(reinterpret_cast<uint64_t>(*frame), landing, left)) *frame = nullptr;
}

}  // namespace epik::episode
