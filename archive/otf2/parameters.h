// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the program. In a trace of EPIK, each value is a region, "size=8", and a call of it is around all
// events with that value. OTF2 has an event that sets the value of "size".
#ifndef EPIK_ARCHIVE_OTF2_PARAMETERS_H_
#define EPIK_ARCHIVE_OTF2_PARAMETERS_H_

#include <otf2/otf2.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::archive {

struct ParameterValue {
  uint32_t parameter;
  OTF2_ParameterType type;  // INT64 or STRING
  int64_t number;
  uint32_t text;
};

// Processes that write one archive together have the same regions, so they give parameters and texts the same numbers.
class Parameters {
 public:
  // Values that are texts have numbers from `first_text` on.
  Parameters(const std::vector<Region>& regions, uint32_t first_text);

  const ParameterValue* ValueOf(uint32_t region) const {
    return region < values_.size() && values_[region].has_value() ? &*values_[region] : nullptr;
  }
  uint32_t Number(const std::string& name);

  const std::vector<std::pair<std::string, OTF2_ParameterType>>& all() const { return all_; }  // by number
  const std::vector<std::string>& texts() const { return texts_; }                             // by number

 private:
  std::map<std::string, uint32_t> numbers_;
  std::vector<std::pair<std::string, OTF2_ParameterType>> all_;
  std::vector<std::string> texts_;
  std::vector<std::optional<ParameterValue>> values_;  // by region
};

OTF2_ErrorCode WriteValue(OTF2_EvtWriter* writer, OTF2_AttributeList* list, uint64_t time, const ParameterValue& value);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_OTF2_PARAMETERS_H_
