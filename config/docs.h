// SPDX-License-Identifier: BSD-3-Clause
// docs/variables.md, written from the table so that it cannot differ from it.
#ifndef EPIK_CONFIG_DOCS_H_
#define EPIK_CONFIG_DOCS_H_

#include <string>

namespace epik::config {

std::string RenderDocs();

}  // namespace epik::config

#endif  // EPIK_CONFIG_DOCS_H_
