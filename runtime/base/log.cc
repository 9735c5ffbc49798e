// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/log.h"

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>

namespace epik::base {
namespace {

// A line under construction. It is cut, not wrapped: a message that long has lost its reader anyway.
struct Line {
  char text[1024];
  size_t used = 0;

  void Put(char c) {
    if (used < sizeof text - 1) text[used++] = c;
  }
  void Put(const char* s) {
    for (s = s != nullptr ? s : "(none)"; *s != '\0'; ++s) Put(*s);
  }
  void Put(uint64_t value, unsigned base) {
    char digits[24];
    int n = 0;
    do {
      digits[n++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    while (n > 0) Put(digits[--n]);
  }
};

void PutSigned(Line* line, int value) {
  if (value < 0) line->Put('-');
  line->Put(static_cast<uint64_t>(value < 0 ? -static_cast<int64_t>(value) : value), 10);
}

}  // namespace

void Say(const char* format, ...) {
  const int saved_errno = errno;
  Line line;
  line.Put("[EPIK] ");
  va_list args;
  va_start(args, format);
  for (const char* p = format; *p != '\0'; ++p) {
    if (*p != '%') {
      line.Put(*p);
      continue;
    }
    switch (*++p) {
      case 's': line.Put(va_arg(args, const char*)); break;
      case 'd': PutSigned(&line, va_arg(args, int)); break;
      case 'u': line.Put(va_arg(args, unsigned), 10); break;
      case 'x': line.Put(va_arg(args, unsigned), 16); break;
      case 'l': ++p; line.Put(va_arg(args, unsigned long), 10); break;
      default: line.Put(*p);
    }
  }
  va_end(args);
  line.text[line.used++] = '\n';
  // Somebody who closed stderr does not want to hear from us either.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.text, line.used);
  errno = saved_errno;
}

}  // namespace epik::base
