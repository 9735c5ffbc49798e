// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endings/handlers.h"

#include <dlfcn.h>

#include <cstring>

namespace epik::episode {

SigactionFunction RealSigaction() {
  static const auto real = reinterpret_cast<SigactionFunction>(dlsym(RTLD_NEXT, "sigaction"));
  return real;
}

void Handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction ours;
  std::memset(&ours, 0, sizeof ours);
  ours.sa_sigaction = handler;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&ours.sa_mask);
  RealSigaction()(signal, &ours, nullptr);
}

}  // namespace epik::episode
