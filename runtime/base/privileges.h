// SPDX-License-Identifier: BSD-3-Clause
// Programs whose rights are not those of whoever started them.
#ifndef EPIK_RUNTIME_BASE_PRIVILEGES_H_
#define EPIK_RUNTIME_BASE_PRIVILEGES_H_

namespace epik::base {

// Set-user-id, set-group-id, file capabilities, or a process that others may not look into: its environment may be an
// attack, and its memory is nobody's to copy into files. There, EPIK measures, loads, opens and says nothing.
bool IsPrivileged();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_PRIVILEGES_H_
