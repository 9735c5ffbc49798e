// SPDX-License-Identifier: BSD-3-Clause
#include "archive/otf2/parameters.h"

#include <charconv>

namespace epik::archive {

namespace {

bool IsInteger(const std::string& text, int64_t* number) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stopped == end;
}

}  // namespace

Parameters::Parameters(const std::vector<Region>& regions, uint32_t first_text) : values_(regions.size()) {
  struct Value {
    uint32_t region, parameter;
    std::string text;
  };
  std::vector<Value> values;
  int64_t number = 0;
  for (uint32_t r = 0; r < regions.size(); ++r) {
    if (regions[r].role != "dynamic" || regions[r].paradigm != "user") continue;
    const size_t equals = regions[r].name.find('=');
    const uint32_t parameter = Number(regions[r].name.substr(0, equals));
    if (equals == std::string::npos) continue;
    values.push_back({r, parameter, regions[r].name.substr(equals + 1)});
    // A parameter has one type: a text among its values makes all of them texts.
    if (!IsInteger(values.back().text, &number)) all_[parameter].second = OTF2_PARAMETER_TYPE_STRING;
  }
  std::map<std::string, uint32_t> known;
  for (const Value& value : values) {
    ParameterValue told = {value.parameter, all_[value.parameter].second, 0, 0};
    if (told.type == OTF2_PARAMETER_TYPE_STRING) {
      const auto [text, is_new] = known.emplace(value.text, static_cast<uint32_t>(first_text + texts_.size()));
      if (is_new) texts_.push_back(value.text);
      told.text = text->second;
    } else {
      IsInteger(value.text, &told.number);
    }
    values_[value.region] = told;
  }
}

uint32_t Parameters::Number(const std::string& name) {
  const auto [at, is_new] = numbers_.emplace(name, static_cast<uint32_t>(all_.size()));
  if (is_new) all_.emplace_back(name, OTF2_PARAMETER_TYPE_INT64);
  return at->second;
}

OTF2_ErrorCode WriteValue(OTF2_EvtWriter* writer, OTF2_AttributeList* list, uint64_t time,
                          const ParameterValue& value) {
  return value.type == OTF2_PARAMETER_TYPE_INT64
             ? OTF2_EvtWriter_ParameterInt(writer, list, time, value.parameter, value.number)
             : OTF2_EvtWriter_ParameterString(writer, list, time, value.parameter, value.text);
}

}  // namespace epik::archive
