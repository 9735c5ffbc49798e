// SPDX-License-Identifier: BSD-3-Clause
// Writes docs/variables.md from the table, so that the page cannot differ from the table.
#ifndef EPIK_CONFIG_DOCS_H_
#define EPIK_CONFIG_DOCS_H_

#include <string>

namespace epik::config {

std::string RenderDocs();

}  // namespace epik::config

#endif  // EPIK_CONFIG_DOCS_H_
