// SPDX-License-Identifier: BSD-3-Clause
// Finds the job that the user means: its processes on this host, its folder, and the scopes of other hosts.
#ifndef EPIK_TOOLS_MONITOR_FIND_H_
#define EPIK_TOOLS_MONITOR_FIND_H_

#include <string>
#include <vector>

#include "tools/scopes/remote.h"
#include "tools/top/target.h"

namespace epik::monitor {

struct Found {
  std::vector<top::Target> targets;  // here; may be empty when scopes of other hosts are announced
  std::string unfinished;            // the folder; empty when it is not known
};

// word: process number, unfinished archive, or the id of a Slurm job, also as slurm:ID. False: *error says what is
// wrong. for_scope: a folder suffices; its processes may come later.
bool Find(const std::string& word, bool for_scope, Found* found, std::string* error);

// The hosts to gather from, each once, except `here`, whose processes this monitor reads itself: those of `names` (HOST
// or ADDRESS of an announced scope, or HOST:PORT), or all announced hosts. False: *error names the host that is not
// announced, or the hosts that have the same address.
bool FindHosts(const std::string& unfinished, const std::vector<std::string>& names, const std::string& here,
               std::vector<scopes::Place>* places, std::string* error);

// The id of the process's Slurm job; empty: it is in no such job.
std::string SlurmJobOf(int pid);

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_FIND_H_
