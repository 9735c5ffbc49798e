// SPDX-License-Identifier: BSD-3-Clause
// Commands that keep variables back from the programs behind them: env -i, env -u NAME, srun --export=LIST.
#ifndef EPIK_TOOLS_LAUNCH_HAND_ON_H_
#define EPIK_TOOLS_LAUNCH_HAND_ON_H_

#include <string>
#include <utility>
#include <vector>

#include "tools/launch/launchers.h"

namespace epik::launch {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Adds words to the command, so that the programs find `needed`. `own`: EPIK's part of each variable to which the
// user gave a value, too. A program for which the user took such a variable away gets that part.
void HandOn(const Variables& needed, const Variables& own, const Launched& launched, Words& command);

// Adds these variables to the list of srun's --export, or of SLURM_EXPORT_ENV. Returns "" if the list is NONE, which
// takes no names.
std::string ExportedWith(const std::string& list, const Variables& needed, const Variables& own);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_HAND_ON_H_
