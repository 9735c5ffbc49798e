// SPDX-License-Identifier: BSD-3-Clause
// Recognizes programs whose rights are not those of the user who started them.
#ifndef EPIK_RUNTIME_BASE_PRIVILEGES_H_
#define EPIK_RUNTIME_BASE_PRIVILEGES_H_

namespace epik::base {

// True for set-user-id, set-group-id, file capabilities, or a process that others may not inspect. Its environment may
// be an attack, and its memory must not get into files. In such a process EPIK measures, loads, opens and prints
// nothing.
bool IsPrivileged();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_PRIVILEGES_H_
