// SPDX-License-Identifier: BSD-3-Clause
// The body of each fuzzer of forged archives, so that libFuzzer and an ordinary test drive the same code.
#ifndef EPIK_ARCHIVE_TRACE_FORGED_INPUT_H_
#define EPIK_ARCHIVE_TRACE_FORGED_INPUT_H_

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif  // EPIK_ARCHIVE_TRACE_FORGED_INPUT_H_
