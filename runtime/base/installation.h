// SPDX-License-Identifier: BSD-3-Clause
// The place of this library, and whether names of files still mean the same as when it was loaded.
//
// A program may change its folder, its root and its mounts. We must not load a library or run a command from there,
// perhaps with the rights of root, because others may control these places.
#ifndef EPIK_RUNTIME_BASE_INSTALLATION_H_
#define EPIK_RUNTIME_BASE_INSTALLATION_H_

namespace epik::base {

// Absolute path of the library (or test program) that this code is in; "" when it is not known.
const char* OwnLibrary();

// Writes the absolute path of the file `name`, relative to the folder of OwnLibrary(). False: the path does not fit, or
// the folder is not known.
bool PathBesideUs(const char* name, char* path, unsigned long size);

// False once the root, the mount namespace or the folder of OwnLibrary() has changed: then load and run nothing by
// name. Async-signal-safe.
bool IsSameWorld();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_INSTALLATION_H_
