// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_CONFIG_OWN_EXECUTABLE_H_
#define EPIK_CONFIG_OWN_EXECUTABLE_H_

#include <cstddef>
#include <string>

namespace epik::config {

// The file of this process's program, or "" if nobody knows it. Without /proc, it is what the kernel was asked to
// execute, seen from the current folder.
void OwnExecutable(char* path, size_t size);
std::string OwnExecutable();

}  // namespace epik::config

#endif  // EPIK_CONFIG_OWN_EXECUTABLE_H_
