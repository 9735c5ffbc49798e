// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endings/handlers.h"

#include <dlfcn.h>

#include <cstring>

namespace epik::endings {

namespace {

SigactionFunction real = nullptr;

// Early: a forked child may not ask the loader (runtime/base/forked.h).
__attribute__((constructor)) void FindReal() {
  if (real == nullptr) real = reinterpret_cast<SigactionFunction>(dlsym(RTLD_NEXT, "sigaction"));
}

}  // namespace

SigactionFunction RealSigaction() {
  FindReal();
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

}  // namespace epik::endings
