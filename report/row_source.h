// SPDX-License-Identifier: BSD-3-Clause
// Gives values, one row at a time, so that large profiles need not be in memory.
#ifndef EPIK_REPORT_ROW_SOURCE_H_
#define EPIK_REPORT_ROW_SOURCE_H_

#include <cstdint>
#include <functional>
#include <string>

namespace epik::report {

struct ExclusiveRowSource {
  std::function<bool(uint32_t metric, uint32_t path)> has;
  // Gives cells as in archive::Values, exclusive even if the metric is inclusive.
  std::function<bool(uint32_t metric, uint32_t path, uint64_t* cells, std::string* error)> read;
};

}  // namespace epik::report

#endif  // EPIK_REPORT_ROW_SOURCE_H_
