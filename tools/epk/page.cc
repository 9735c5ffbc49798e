// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/page.h"

#include <fstream>
#include <iterator>
#include <system_error>

#include "tools/epk/command.h"
#include "tools/epk/install_dirs.h"

namespace epik::epk {

bool ReadFile(const std::filesystem::path& path, std::string* text) {
  if (std::error_code none; !std::filesystem::is_regular_file(path, none)) return false;
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  text->assign(std::istreambuf_iterator<char>(file), {});
  return !file.bad();
}

void ReadPage(const std::string& archive, report::HtmlExtras* extras) {
  const std::filesystem::path page = FindInstallDirs().share / "epik" / report::kHtmlTemplate;
  if (!ReadFile(page, &extras->page) || extras->page.empty()) {
    throw Fault("no page to put the profile in: " + page.string() +
                " is missing. It is built by `./dev build` where Node.js (18 or later) and npm are installed");
  }
  ReadFile(std::filesystem::path(archive) / kCommunication, &extras->communication);
}

}  // namespace epik::epk
