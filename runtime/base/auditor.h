// SPDX-License-Identifier: BSD-3-Clause
// Libraries that the loader asks about its work: those of LD_AUDIT, and of a program that was linked with `ld --audit`.
#ifndef EPIK_RUNTIME_BASE_AUDITOR_H_
#define EPIK_RUNTIME_BASE_AUDITOR_H_

namespace epik::base {

// Whether the loader began the program with an auditor. Call it while the variables of the start are there.
//
// Such a loader (glibc 2.36) sets the thread-local variables of libc and of all other libraries up as if each library
// had come by `dlopen`, and notes for each that these variables may have to be cleared. It does so at the next `dlopen`
// after the destructors have run: it takes the libraries for new ones then. Without its variables libc crashes.
bool LoaderHasAuditor();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_AUDITOR_H_
