// SPDX-License-Identifier: BSD-3-Clause
// Programs that tests compile and run. Tests compare a program's symbols with its own output.
#ifndef EPIK_ARCHIVE_SYMBOLS_TEST_PROGRAMS_H_
#define EPIK_ARCHIVE_SYMBOLS_TEST_PROGRAMS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace epik::symbols {

// Makes a new empty folder for the running test.
std::string NewFolder();

void WriteFile(const std::string& path, const std::string& content);
std::string ReadFile(const std::string& path);

// Runs a shell command in `folder` and returns its stdout; throws when it fails.
std::string Shell(const std::string& folder, const std::string& command);
bool HasTool(const std::string& name);

// One line of a program's output: `<offset in hex> <line> <name>`.
struct Expected {
  uint64_t offset;
  int line;
  std::string name;
};
std::vector<Expected> ParseExpected(const std::string& output);

// Macros for C and C++ that print such lines: `SHOW(function, line, "name")`.
extern const char* const kShow;
// A C++ program with static functions, templates, lambdas, methods and aliases, which prints lines for all of them.
extern const char* const kCppProgram;

}  // namespace epik::symbols

#endif  // EPIK_ARCHIVE_SYMBOLS_TEST_PROGRAMS_H_
