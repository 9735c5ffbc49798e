// SPDX-License-Identifier: BSD-3-Clause
// Records of a thread that waits for another one's end.
#ifndef EPIK_ADAPTERS_THREAD_MEETING_LOG_H_
#define EPIK_ADAPTERS_THREAD_MEETING_LOG_H_

#include <pthread.h>

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/epilog/births.h"

namespace epik::thread {

EPIK_COLD void LogJoinWanted(uint64_t number);
EPIK_COLD void LogJoinGot(uint64_t number);

class JoinLog {
 public:
  explicit JoinLog(pthread_t thread) : joined_(thread) {}
  void Begin() const { LogJoinWanted(joined_.number()); }
  void End(int error) {
    if (error == 0) LogJoinGot(joined_.NumberAtEnd());
  }

 private:
  episode::Joined joined_;
};

}  // namespace epik::thread

#endif  // EPIK_ADAPTERS_THREAD_MEETING_LOG_H_
