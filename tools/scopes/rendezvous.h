// SPDX-License-Identifier: BSD-3-Clause
// The place where the scopes of a job find each other: the folder `scopes` of its unfinished archive, which only its
// owner may read. It has the secret of the run, and a file for each host whose scope waits for connections.
#ifndef EPIK_TOOLS_SCOPES_RENDEZVOUS_H_
#define EPIK_TOOLS_SCOPES_RENDEZVOUS_H_

#include <string>
#include <vector>

#include "tools/scopes/channel.h"

namespace epik::scopes {

struct Announced {
  std::string host;  // its own name for itself
  Address address;
  std::string slurm;  // id of the job that it is part of; empty: none
};

// The secret; the first process that needs it makes it. Empty: *error says why.
std::string SecretOf(const std::string& unfinished, bool make, std::string* error);

bool Announce(const std::string& unfinished, const Announced& scope, std::string* error);
// Withdraws an announcement. With the last announcement, removes the secret, and the folder if the job has left it.
void Withdraw(const std::string& folder, const std::string& host);
// The job has moved from one folder to another: so do its secret and its announcements, unless there are others
// already. Removes the folder that the job has left.
void MoveScopes(const std::string& from, const std::string& to);
// All announced scopes, by host.
std::vector<Announced> FindAnnounced(const std::string& unfinished);

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_RENDEZVOUS_H_
