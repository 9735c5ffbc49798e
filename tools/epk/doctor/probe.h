// SPDX-License-Identifier: BSD-3-Clause
// Asking other programs and files, without trusting them: everything is bounded in time and size.
#ifndef EPIK_TOOLS_EPK_DOCTOR_PROBE_H_
#define EPIK_TOOLS_EPK_DOCTOR_PROBE_H_

#include <string>
#include <vector>

namespace epik::epk::doctor {

// Runs a command and returns what it prints to stdout and stderr: at most 64 KiB, for at most 5 seconds. Empty when the
// command cannot be started.
std::string Output(const std::vector<std::string>& command);

// The path of a command, as the shell would find it; empty when it is not there.
std::string FindCommand(const std::string& name);

// The path of a shared library whose name begins like this, as the loader would find it.
std::string FindSharedLibrary(const std::string& name);

// The first line of a small file, empty when it cannot be read.
std::string FirstLine(const std::string& path);

// "12.2.0" out of "gcc (Debian 12.2.0-14) 12.2.0": the first number with a dot outside parentheses.
std::string VersionIn(const std::string& text);

}  // namespace epik::epk::doctor

#endif  // EPIK_TOOLS_EPK_DOCTOR_PROBE_H_
