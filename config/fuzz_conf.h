// SPDX-License-Identifier: BSD-3-Clause
// The body of the fuzzer, so that libFuzzer and an ordinary test drive the same code.
#ifndef EPIK_CONFIG_FUZZ_CONF_H_
#define EPIK_CONFIG_FUZZ_CONF_H_

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif  // EPIK_CONFIG_FUZZ_CONF_H_
