// SPDX-License-Identifier: BSD-3-Clause
// Exceptions of the standard library end here: this code also runs inside a measured program.
#ifndef EPIK_ARCHIVE_FILES_GUARDED_H_
#define EPIK_ARCHIVE_FILES_GUARDED_H_

#include <exception>
#include <new>
#include <string>

namespace epik::archive {

// Runs body() -> bool; what it throws becomes false and *error. The texts fit a string without allocation.
// Not noexcept: cancelling a thread unwinds through here and must not end the program.
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

// Runs body(); what it throws is nobody's business.
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
