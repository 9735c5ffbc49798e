// SPDX-License-Identifier: BSD-3-Clause
// A forked child has one thread. A lock that another thread held at the fork stays held in the child for ever: of the
// loader, of the program's malloc, of stdio. So such a child takes none of them for us.
#ifndef EPIK_RUNTIME_BASE_FORKED_H_
#define EPIK_RUNTIME_BASE_FORKED_H_

namespace epik::base {

// This process was forked from one that had other threads: nothing of ours may ask the loader, malloc or stdio.
bool LocksMayBeLost();

// In the parent, right before the fork; and in the child, right after it.
void NoteThreadsBeforeFork();
void NoteForked();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_FORKED_H_
