// SPDX-License-Identifier: BSD-3-Clause
// A forked child has one thread. A lock that another thread held at the fork stays held in the child for ever: a lock
// of the loader, of the program's malloc, of stdio. So our code takes none of them in such a child.
#ifndef EPIK_RUNTIME_BASE_FORKED_H_
#define EPIK_RUNTIME_BASE_FORKED_H_

namespace epik::base {

// True if this process was forked from one that had other threads. Then our code may not call the loader, malloc or
// stdio.
bool LocksMayBeLost();

// In the parent, right before the fork; and in the child, right after it.
void NoteThreadsBeforeFork();
void NoteForked();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_FORKED_H_
