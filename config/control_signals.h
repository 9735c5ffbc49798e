// SPDX-License-Identifier: BSD-3-Clause
// The values of EPK_CONTROL_SIGNAL: signals that control the measurement of a running program, and the action of each.
#ifndef EPIK_CONFIG_CONTROL_SIGNALS_H_
#define EPIK_CONFIG_CONTROL_SIGNALS_H_

#include <string>
#include <string_view>
#include <vector>

namespace epik::config {

enum class SignalAction { kTrace, kFlush, kPause };

struct ControlSignal {
  int number;
  SignalAction action;
  bool operator==(const ControlSignal&) const = default;
};

// "USR2", "SIGUSR1:flush, RTMIN+3:pause"; without an action: trace. "", "off" and "none" mean no signal.
bool ParseSignals(std::string_view text, std::vector<ControlSignal>* signals);
std::string FormatSignals(const std::vector<ControlSignal>& signals);

}  // namespace epik::config

#endif  // EPIK_CONFIG_CONTROL_SIGNALS_H_
