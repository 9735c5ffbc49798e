// SPDX-License-Identifier: BSD-3-Clause
// What a location says about its own trace beside the words.
#ifndef EPIK_RUNTIME_EPILOG_CAPTURE_STATE_H_
#define EPIK_RUNTIME_EPILOG_CAPTURE_STATE_H_

#include <cstdint>

namespace epik::episode {

// In Location::logging while it is at work there is the index of the frame that it is about; kFlushed: and it had to
// write the buffer.
inline constexpr uint32_t kFlushed = ~uint32_t{0};
// Its trace has ended before it did; and in Location::log_stream, for good.
inline constexpr uint32_t kStopped = kFlushed - 1;
inline constexpr uint64_t kStoppedStream = ~uint64_t{0};

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPILOG_CAPTURE_STATE_H_
