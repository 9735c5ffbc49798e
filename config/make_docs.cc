// SPDX-License-Identifier: BSD-3-Clause
// Prints docs/variables.md.
#include <cstdio>

#include "config/docs.h"

int main() {
  const std::string text = epik::config::RenderDocs();
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
