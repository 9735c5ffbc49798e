// SPDX-License-Identifier: BSD-3-Clause
// Takes any bytes as an EPIK.CONF, and as a value in the environment. Nothing may crash, every message is one line, and
// the rendered settings read back as the same settings.
#include "config/fuzz_conf.h"

#include <cstdio>
#include <string>
#include <string_view>

#include "config/loader.h"
#include "config/report.h"

namespace epik::config {
namespace {

void Require(bool condition, std::string_view text) {
  if (condition) return;
  std::fprintf(stderr, "broken by: %s\n", std::string(text).c_str());
  __builtin_trap();
}

void CheckOne(std::string_view text, const Environment& environment) {
  Loader loader(environment, "/docs");
  loader.AddFile("f", text);
  loader.AddEnvironment();
  const Loaded loaded = loader.Finish();
  for (const Message& message : loaded.messages) {
    Require(!message.text.empty() && message.text.find('\n') == std::string::npos, text);
  }

  const std::string conf = RenderConf(loaded.settings);
  const char* const nothing[] = {nullptr};
  const Environment empty(nothing);
  Loader again(empty, "");
  again.AddFile("g", conf);
  const Loaded reread = again.Finish();
  Require(reread.messages.empty(), text);
  Require(reread.settings.SameAs(loaded.settings), text);
  Require(RenderConf(reread.settings) == conf, text);
}

}  // namespace
}  // namespace epik::config

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The first byte chooses a variable that the last line is the value of.
  const auto& rows = epik::config::Descriptions();
  const char* name = rows[size == 0 ? 0 : data[0] % rows.size()].name;
  const size_t newline = text.rfind('\n');
  std::string variable = std::string(name) + "=";
  if (newline != std::string_view::npos) variable += text.substr(newline + 1);
  const char* const variables[] = {variable.c_str(), "HOME=/home/someone", nullptr};
  epik::config::CheckOne(text, epik::config::Environment(variables));
  return 0;
}
