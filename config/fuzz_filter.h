// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_CONFIG_FUZZ_FILTER_H_
#define EPIK_CONFIG_FUZZ_FILTER_H_

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif  // EPIK_CONFIG_FUZZ_FILTER_H_
