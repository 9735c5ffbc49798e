// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/base/log.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>

namespace epik::base {
namespace {

// A line under construction. A message that is too long is cut, not wrapped: nobody reads messages of that length.
// Names of files may have control characters: each is a question mark, so that a message is one line.
struct Line {
  char text[1024];
  size_t used = 0;

  void Put(char c) {
    const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    if (used < sizeof text - 1) text[used++] = is_control ? '?' : c;
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

// The file at stderr when the library was loaded.
struct stat first_stderr;
bool had_stderr = false;
bool looked = false;

__attribute__((constructor)) void LookAtStderr() {
  if (looked) return;
  const int saved_errno = errno;  // main finds it as it would without us
  had_stderr = fstat(STDERR_FILENO, &first_stderr) == 0;
  looked = true;
  errno = saved_errno;
}

// A reader that went away must not end the program by SIGPIPE, nor a full file by SIGXFSZ.
void WriteQuietly(const char* text, size_t bytes) {
  sigset_t ours, pending, before;
  sigemptyset(&ours);
  sigaddset(&ours, SIGPIPE);
  sigaddset(&ours, SIGXFSZ);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  if (write(STDERR_FILENO, text, bytes) < 0 && (errno == EPIPE || errno == EFBIG)) {
    const int raised = errno == EPIPE ? SIGPIPE : SIGXFSZ;
    const timespec now{0, 0};
    sigemptyset(&ours);
    sigaddset(&ours, raised);
    if (sigismember(&pending, raised) == 0) sigtimedwait(&ours, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

// A program that closed stderr may have a file of its own at that number by now, or a connection.
bool IsPeoples(int fd) {
  LookAtStderr();
  struct stat now;
  if (!had_stderr || fstat(fd, &now) != 0) return false;
  if (S_ISCHR(now.st_mode)) return true;
  return now.st_dev == first_stderr.st_dev && now.st_ino == first_stderr.st_ino;
}

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
      case 'l':
        ++p;
        line.Put(va_arg(args, unsigned long), 10);
        break;
      default: line.Put(*p);
    }
  }
  va_end(args);
  line.text[line.used++] = '\n';
  if (IsPeoples(STDERR_FILENO)) WriteQuietly(line.text, line.used);
  errno = saved_errno;
}

}  // namespace epik::base
