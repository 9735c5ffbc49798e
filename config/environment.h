// SPDX-License-Identifier: BSD-3-Clause
// The environment as an argument: the array that main() gets and `environ` points to, NAME=VALUE, ended by null.
#ifndef EPIK_CONFIG_ENVIRONMENT_H_
#define EPIK_CONFIG_ENVIRONMENT_H_

#include <optional>
#include <string_view>

namespace epik::config {

class Environment {
 public:
  explicit Environment(const char* const* variables) : variables_(variables) {}

  // Like getenv: the first variable of that name counts.
  std::optional<std::string_view> Find(std::string_view name) const {
    std::optional<std::string_view> found;
    ForEach([&](std::string_view other, std::string_view value) {
      if (other == name && !found) found = value;
    });
    return found;
  }

  // Calls visit(name, value) for each variable; entries without "=" are no variables.
  template <class Visit>
  void ForEach(Visit visit) const {
    if (variables_ == nullptr) return;
    for (const char* const* at = variables_; *at != nullptr; ++at) {
      const std::string_view text = *at;
      const size_t equals = text.find('=');
      if (equals != std::string_view::npos) visit(text.substr(0, equals), text.substr(equals + 1));
    }
  }

 private:
  const char* const* variables_;
};

}  // namespace epik::config

#endif  // EPIK_CONFIG_ENVIRONMENT_H_
