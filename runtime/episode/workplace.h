// SPDX-License-Identifier: BSD-3-Clause
// The files of a running measurement: the unfinished archive, and the arena in it or elsewhere.
#ifndef EPIK_RUNTIME_EPISODE_WORKPLACE_H_
#define EPIK_RUNTIME_EPISODE_WORKPLACE_H_

#include <string>

#include "runtime/episode/options.h"

namespace epik::episode {

// Makes `<folder>/epik_<program>.<pid>.unfinished/arenas/` and maps the arena there, in EPK_LDIR, in /dev/shm or, if no
// file works, in anonymous memory. False, with a line on stderr: no folder can be written to.
bool OpenWorkplace(const Options& options);

// Moves the arena into the unfinished archive of another process, which both share from then on. If it cannot be moved,
// both archives stay.
void MoveTo(const std::string& archive);

// The same for an unfinished archive that is named after the job. The first process of the job that comes makes it.
void MoveToJob(const std::string& job);

// Moves the arena out of it again, into an archive of this process.
void MoveToOwn();
// The path of a file that the processes of this job on this machine share, beside their arenas; the unfinished archive
// has it or a link to it. "": there is no place for it.
std::string SharedFile(const std::string& name);
// Removes a shared file that nobody needs any more.
void RemoveSharedFile(const std::string& name);

// The archive is complete: removes this process's files outside of it, which rank 0 may not have been able to remove.
void RemoveArena();

// Removes the arena and the unfinished archive again: nothing was measured.
void RemoveWorkplace();

// The path of the trace file, for events that do not fit into the arena. "" when there is no archive.
const char* TraceFile();

const char* UnfinishedArchive();  // absolute path; "" if it does not exist
bool UnfinishedIsRecoverable();   // not held in memory alone
const char* ArchiveFolder();      // EPK_GDIR, absolute

// Tells a waiting `epk run` about this process (tools/launch/record.h). False: no `epk run` on this host hears it.
bool TellRunner(const char* what, const char* text);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_WORKPLACE_H_
