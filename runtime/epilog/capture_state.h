// SPDX-License-Identifier: BSD-3-Clause
// State of a location's trace beside its words.
#ifndef EPIK_RUNTIME_EPILOG_CAPTURE_STATE_H_
#define EPIK_RUNTIME_EPILOG_CAPTURE_STATE_H_

#include <cstdint>

namespace epik::epilog {

// Location::logging holds the index of the frame that is being logged, or kFlushed if the buffer had to be written for
// it.
inline constexpr uint32_t kFlushed = ~uint32_t{0};
// The trace has ended before its location; also in Location::log_stream, for good.
inline constexpr uint32_t kStopped = kFlushed - 1;
inline constexpr uint64_t kStoppedStream = ~uint64_t{0};

}  // namespace epik::epilog

#endif  // EPIK_RUNTIME_EPILOG_CAPTURE_STATE_H_
