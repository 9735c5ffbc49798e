// SPDX-License-Identifier: BSD-3-Clause
// Where a running measurement keeps its files: the unfinished archive and, in it or elsewhere, the arena.
#ifndef EPIK_RUNTIME_EPISODE_WORKPLACE_H_
#define EPIK_RUNTIME_EPISODE_WORKPLACE_H_

#include <string>

#include "runtime/episode/options.h"

namespace epik::episode {

// Makes `<folder>/epik_<program>.<pid>.unfinished/arenas/` and maps the arena there, in EPK_LDIR, in /dev/shm or, when
// no file will do, in anonymous memory. False, with a line on stderr, when there is no folder to write to.
bool OpenWorkplace(const Options& options);

// The arena joins those of another process's unfinished archive, which becomes this one's, too. Nothing happens when it
// cannot: then both are kept.
void MoveTo(const std::string& archive);

// The archive is complete: what lies outside of it, where rank 0 may not have been able to remove it, goes.
void RemoveArena();

// Beside the arena, in the archive: what does not fit into it. "" when there is no archive.
const char* TraceFile();

const char* UnfinishedArchive();  // absolute path; "" when there is none
bool UnfinishedIsRecoverable();   // not held in memory alone
const char* ArchiveFolder();      // EPK_GDIR, absolute

// Tells an `epk run` that is waiting what became of this process: "start" or "done", and where.
void TellRunner(const char* what, const char* path);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_WORKPLACE_H_
