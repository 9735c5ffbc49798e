// SPDX-License-Identifier: BSD-3-Clause
#include "config/control_signals.h"

#include <gtest/gtest.h>

#include <csignal>

namespace epik::config {
namespace {

using Signals = std::vector<ControlSignal>;

TEST(ControlSignals, NamesAndActions) {
  Signals signals;
  ASSERT_TRUE(ParseSignals("USR2", &signals));
  EXPECT_EQ(signals, (Signals{{SIGUSR2, SignalAction::kTrace}}));
  ASSERT_TRUE(ParseSignals(" sigusr1 : flush, RTMIN+3:pause", &signals));
  EXPECT_EQ(signals, (Signals{{SIGUSR1, SignalAction::kFlush}, {SIGRTMIN + 3, SignalAction::kPause}}));
  for (const char* none : {"", "off", "none"}) {
    ASSERT_TRUE(ParseSignals(none, &signals)) << none;
    EXPECT_TRUE(signals.empty()) << none;
  }
}

// Values that make no sense: no such signal or action, a signal that ends or stops a program, the same signal twice.
TEST(ControlSignals, WhatIsRefused) {
  Signals signals{{SIGUSR2, SignalAction::kPause}};
  for (const char* text : {"USR3", "KILL", "STOP", "SEGV", "USR2:fly", "USR2,", ",", "USR2,USR2:flush", "RTMIN+99",
                           "RTMIN-1", "USR2:trace:flush"}) {
    EXPECT_FALSE(ParseSignals(text, &signals)) << text;
  }
  EXPECT_EQ(signals, (Signals{{SIGUSR2, SignalAction::kPause}}));
}

TEST(ControlSignals, WhatIsWrittenReadsBack) {
  for (const char* text : {"off", "USR2:trace", "USR1:flush,RTMIN:pause,RTMIN+2:trace"}) {
    Signals signals;
    ASSERT_TRUE(ParseSignals(text, &signals)) << text;
    EXPECT_EQ(FormatSignals(signals), text);
  }
}

}  // namespace
}  // namespace epik::config
