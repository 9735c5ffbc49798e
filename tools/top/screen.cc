// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/screen.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace epik::top {
namespace {

constexpr char kOpen[] = "\033[?1049h\033[?25l\033[H\033[2J";  // the other page, no cursor
constexpr char kClose[] = "\033[?25h\033[?1049l";

constexpr auto kEnding = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
constexpr auto kCrashing = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

termios before;
bool have_before = false;
volatile sig_atomic_t is_open = 0;
volatile sig_atomic_t wants_end = 0;
volatile sig_atomic_t was_resized = 0;

void Put(const char* text, size_t size) {
  while (size > 0) {
    const ssize_t n = write(STDOUT_FILENO, text, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text += n;
    size -= static_cast<size_t>(n);
  }
}

void OpenPage() {
  if (have_before) {
    termios raw = before;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  Put(kOpen, sizeof kOpen - 1);
  is_open = 1;
}

// Async-signal-safe.
void ClosePage() {
  if (is_open == 0) return;
  is_open = 0;
  Put(kClose, sizeof kClose - 1);
  if (have_before) tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

void OnEnd(int) { wants_end = 1; }
void OnResize(int) { was_resized = 1; }

void OnCrash(int signal) {
  ClosePage();
  ::signal(signal, SIG_DFL);
  raise(signal);
}

// Ctrl-Z: gives the shell its terminal as it was; `fg` brings our page back.
void OnStop(int) {
  const int saved_errno = errno;
  ClosePage();
  raise(SIGSTOP);
  OpenPage();
  was_resized = 1;
  errno = saved_errno;
}

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

// Signals come while we wait and at no other time, so none is missed.
sigset_t Waited() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kEnding) sigaddset(&set, signal);
  sigaddset(&set, SIGWINCH);
  sigaddset(&set, SIGTSTP);
  return set;
}

}  // namespace

bool Screen::IsThere() {
  const char* kind = getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && kind != nullptr && *kind != '\0' && std::strcmp(kind, "dumb") != 0;
}

Screen::Screen() : keys_(isatty(STDIN_FILENO) != 0) {
  have_before = keys_ && tcgetattr(STDIN_FILENO, &before) == 0;
  for (const int signal : kEnding) Handle(signal, OnEnd);
  for (const int signal : kCrashing) Handle(signal, OnCrash);
  Handle(SIGWINCH, OnResize);
  Handle(SIGTSTP, OnStop);
  Handle(SIGTTOU, SIG_IGN);  // giving back the terminal must not stop us
  const sigset_t waited = Waited();
  sigprocmask(SIG_BLOCK, &waited, nullptr);
  OpenPage();
}

Screen::~Screen() {
  ClosePage();
  const sigset_t waited = Waited();
  for (const int signal : kEnding) Handle(signal, SIG_DFL);
  for (const int signal : kCrashing) Handle(signal, SIG_DFL);
  Handle(SIGTSTP, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &waited, nullptr);
}

void Screen::Show(const std::string& text) {
  std::string out = "\033[H";
  size_t lines = Height();
  for (size_t at = 0; at < text.size() && lines > 0; --lines) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out.append(text, at, end - at);
    out += "\033[K";
    if (lines > 1) out += "\r\n";
    at = end + 1;
  }
  out += "\033[J";
  Put(out.data(), out.size());
}

int Screen::Wait(double seconds) {
  seconds = std::max(0.0, seconds);
  const timespec timeout{static_cast<time_t>(seconds), static_cast<long>((seconds - std::floor(seconds)) * 1e9)};
  sigset_t none;
  sigemptyset(&none);
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const int ready = ppoll(keys_ ? &input : nullptr, keys_ ? 1 : 0, &timeout, &none);
  if (wants_end != 0) return kEnd;
  if (was_resized != 0) {
    was_resized = 0;
    return kResized;
  }
  if (ready <= 0) return kTimeout;
  char key = 0;
  if (read(STDIN_FILENO, &key, 1) != 1) return kEnd;  // the terminal has gone
  return static_cast<unsigned char>(key);
}

size_t Screen::Height() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

}  // namespace epik::top
