// SPDX-License-Identifier: BSD-3-Clause
// Where this library stands, and whether names of files still mean what they meant when it came into the program.
//
// A program may change its folder, its root and its mounts. Whoever controls the new ones must not get a library or a
// command of his run by us, perhaps with the rights of root.
#ifndef EPIK_RUNTIME_BASE_INSTALLATION_H_
#define EPIK_RUNTIME_BASE_INSTALLATION_H_

namespace epik::base {

// Absolute path of the library (or test program) that this code is in; "" when it cannot be told.
const char* OwnLibrary();

// Writes the absolute path of a file, `name` being relative to the folder of OwnLibrary(). False: it does not fit, or
// the folder is not known.
bool PathBesideUs(const char* name, char* path, unsigned long size);

// False once root, mount namespace or the folder of OwnLibrary() are other ones: then nothing is loaded or run by name.
// Async-signal-safe.
bool IsSameWorld();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_INSTALLATION_H_
