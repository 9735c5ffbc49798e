// SPDX-License-Identifier: BSD-3-Clause
// Sources in, settings and messages out. No file, no environment and no directory is touched here, so tests and the
// fuzzer drive it as they like; load.cc feeds it with the real ones.
#ifndef EPIK_CONFIG_LOADER_H_
#define EPIK_CONFIG_LOADER_H_

#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"
#include "config/settings.h"

namespace epik::config {

class Loader {
 public:
  // `doc_dir`: the value of $DOCDIR in files.
  Loader(const Environment& environment, std::string doc_dir)
      : environment_(environment), doc_dir_(std::move(doc_dir)) {}

  // Call these in order of precedence: the later value wins.
  void AddFile(const std::string& path, std::string_view text);
  void AddUnreadable(const std::string& path, std::string_view reason);
  void AddEnvironment();

  Loaded Finish();  // once, at the end

 private:
  struct Refusal {
    size_t message;
    Key key;
  };

  void Set(std::string_view name, std::string_view value, std::string_view shown, const Origin& origin);
  void Unknown(std::string_view name, const Origin& origin);
  void Say(Message::Kind kind, std::string text) { loaded_.messages.push_back({kind, std::move(text)}); }

  const Environment& environment_;
  const std::string doc_dir_;
  Loaded loaded_;
  std::vector<Refusal> refusals_;
};

}  // namespace epik::config

#endif  // EPIK_CONFIG_LOADER_H_
