// SPDX-License-Identifier: BSD-3-Clause
#include "report/json_string.h"

#include <nlohmann/json.hpp>

namespace epik::report {

std::string JsonString(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace epik::report
