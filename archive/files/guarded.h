// SPDX-License-Identifier: BSD-3-Clause
// Exceptions of the standard library do not leave these functions. The code of this folder also runs inside a measured
// program, which an exception would terminate.
#ifndef EPIK_ARCHIVE_FILES_GUARDED_H_
#define EPIK_ARCHIVE_FILES_GUARDED_H_

#include <exception>
#include <new>
#include <string>

namespace epik::archive {

// Runs body() and returns its bool. An exception becomes false and *error; these texts fit a string without allocation.
// Not noexcept: pthread_cancel unwinds through here, and noexcept would terminate the program.
template <class Body>
bool Guarded(std::string* error, Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    *error = "out of memory";
  } catch (const std::exception&) {
    *error = "internal fault";
  }
  return false;
}

// Runs body() and swallows its exceptions.
template <class Body>
void Quietly(Body&& body) {
  std::string error;
  Guarded(&error, [&] {
    body();
    return true;
  });
}

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_GUARDED_H_
