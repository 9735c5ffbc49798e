// SPDX-License-Identifier: BSD-3-Clause
// Writes docs/patterns.md: bazel run //analysis/patterns:reference > docs/patterns.md
#include <cstdio>
#include <string>

#include "analysis/patterns/patterns.h"

int main() {
  std::string page =
      "# Wait states\n\n"
      "What [`epk analyze`](analysis.md) looks for. Made of the files of `analysis/patterns`:\n"
      "`bazel run //analysis/patterns:reference > docs/patterns.md`.\n";
  for (const epik::patterns::PatternInfo* info : epik::patterns::AllPatterns()) {
    page += "\n## " + std::string(info->label) + "\n\n";
    page += "`" + std::string(info->name) + "`" +
            (IsWaiting(*info) ? ", part of `" + std::string(info->parent) + "`" : std::string()) + ", in seconds. " +
            info->explanation + "\n\n";
    page += "*Definition.* " + std::string(info->definition) + "\n\n";
    page += "*What to do.* " + std::string(info->advice) + "\n";
  }
  page += "\n[← How far scopes scale](scale.md) · [contents](README.md) · [Variables →](variables.md)\n";
  return fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}
