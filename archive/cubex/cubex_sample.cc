// SPDX-License-Identifier: BSD-3-Clause
// Writes the validated example under the name given, for cubex_check.py.
#include "archive/cubex/test_profiles.h"
#include "archive/cubex/writer.h"

int main(int argc, char** argv) {
  std::string error;
  return argc == 2 && epik::archive::WriteCubex(argv[1], epik::archive::ExampleProfile(), {}, &error) ? 0 : 1;
}
