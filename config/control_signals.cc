// SPDX-License-Identifier: BSD-3-Clause
#include "config/control_signals.h"

#include <algorithm>
#include <csignal>

#include "config/number.h"
#include "config/word_list.h"

namespace epik::config {
namespace {

// Only signals that people send. Those that the kernel sends because of an error in the program control nothing.
struct Name {
  const char* name;
  int number;
};
constexpr Name kNames[] = {{"USR1", SIGUSR1},   {"USR2", SIGUSR2}, {"HUP", SIGHUP},
                           {"WINCH", SIGWINCH}, {"URG", SIGURG},   {"IO", SIGIO}};
constexpr char kActions[] = "trace flush pause";
constexpr int kMostRealTime = 30;

bool Is(std::string_view text, const char* word) { return FindWord(word, text) == 0; }

// RTMIN+N, because the number of SIGRTMIN depends on the C library.
bool ParseRealTime(std::string_view text, int* number) {
  if (text.size() < 5 || !Is(text.substr(0, 5), "RTMIN")) return false;
  text.remove_prefix(5);
  int64_t more = 0;
  if (!text.empty() && (text[0] != '+' || !ParseInteger(text.substr(1), &more))) return false;
  if (more < 0 || more > kMostRealTime) return false;
  *number = SIGRTMIN + static_cast<int>(more);
  return *number <= SIGRTMAX;
}

bool ParseNumber(std::string_view text, int* number) {
  if (text.size() > 3 && Is(text.substr(0, 3), "SIG")) text.remove_prefix(3);
  for (const Name& known : kNames) {
    if (!Is(text, known.name)) continue;
    *number = known.number;
    return true;
  }
  return ParseRealTime(text, number);
}

bool ParseSignal(std::string_view text, ControlSignal* signal) {
  const size_t colon = text.find(':');
  int action = 0;
  if (colon != std::string_view::npos) {
    action = FindWord(kActions, Trim(text.substr(colon + 1)));
    if (action < 0) return false;
  }
  signal->action = static_cast<SignalAction>(action);
  return ParseNumber(Trim(text.substr(0, colon)), &signal->number);
}

}  // namespace

bool ParseSignals(std::string_view text, std::vector<ControlSignal>* signals) {
  std::vector<ControlSignal> parsed;
  text = Trim(text);
  if (!text.empty() && FindWord("off none no", text) < 0) {
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find(',', at), text.size());
      ControlSignal signal{};
      if (!ParseSignal(Trim(text.substr(at, end - at)), &signal)) return false;
      // Two actions for one signal contradict each other.
      for (const ControlSignal& other : parsed) {
        if (other.number == signal.number) return false;
      }
      parsed.push_back(signal);
      at = end + 1;
    }
  }
  *signals = parsed;
  return true;
}

std::string FormatSignals(const std::vector<ControlSignal>& signals) {
  std::string text;
  for (const ControlSignal& signal : signals) {
    std::string name = signal.number == SIGRTMIN ? "RTMIN" : "RTMIN+" + std::to_string(signal.number - SIGRTMIN);
    for (const Name& known : kNames) {
      if (known.number == signal.number) name = known.name;
    }
    text += (text.empty() ? "" : ",") + name + ":" + WordAt(kActions, static_cast<int>(signal.action));
  }
  return text.empty() ? "off" : text;
}

}  // namespace epik::config
