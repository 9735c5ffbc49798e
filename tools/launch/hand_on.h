// SPDX-License-Identifier: BSD-3-Clause
//
// Commands that keep variables back from the programs behind them: env -i, env -u NAME, srun --export=LIST.
#ifndef EPIK_TOOLS_LAUNCH_HAND_ON_H_
#define EPIK_TOOLS_LAUNCH_HAND_ON_H_

#include <string>
#include <utility>
#include <vector>

#include "tools/launch/launchers.h"

namespace epik::launch {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Adds words to the command, so that the programs find `needed`. `own`: of those whose value the user began, EPIK's
// part alone. A program for which the user took such a variable away gets that part.
void HandOn(const Variables& needed, const Variables& own, const Launched& launched, Words& command);

// The list of srun's --export, or of SLURM_EXPORT_ENV, with these variables. "": it is NONE, and takes no names.
std::string ExportedWith(const std::string& list, const Variables& needed, const Variables& own);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_HAND_ON_H_
