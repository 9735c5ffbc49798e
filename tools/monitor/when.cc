// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/when.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>
#include <string_view>
#include <vector>

extern char** environ;

namespace epik::monitor {

namespace {

double Seconds(const std::string& number, const std::string& unit) {
  const double value = std::atof(number.c_str());
  return unit == "ms" ? value * 1e-3 : unit == "m" ? value * 60 : value;
}

// Our environment, in which EPK_MONITOR_JOB is `ours`.
std::vector<char*> EnvironmentWith(std::string* ours) {
  constexpr std::string_view kJob = "EPK_MONITOR_JOB=";
  std::vector<char*> words;
  for (char** word = environ; *word != nullptr; ++word) {
    if (!std::string_view(*word).starts_with(kJob)) words.push_back(*word);
  }
  ours->insert(0, kJob);
  words.push_back(ours->data());
  words.push_back(nullptr);
  return words;
}

}  // namespace

bool When::Parse(const std::string& text, When* when, std::string* error) {
  static const std::regex form(
      R"(\s*(balance|waited|discarded|late|rate|remaining|standing)\s*([<>])\s*(\d+(?:\.\d+)?)(%|ms|s)?(?:\s+for\s+(\d+(?:\.\d+)?)(ms|s|m))?\s*)");
  std::smatch found;
  if (!std::regex_match(text, found, form)) {
    *error = "'" + text +
             "' is no condition; it is FIGURE<NUMBER or FIGURE>NUMBER, and then for TIME, as in 'balance<0.7 for 10s'; "
             "figures are balance, waited, late (seconds), discarded, rate, remaining (seconds), standing (seconds)";
    return false;
  }
  static const std::string figures[] = {"balance", "waited", "discarded", "late", "rate", "remaining", "standing"};
  when->text_ = text;
  when->figure_ = static_cast<Figure>(std::find(std::begin(figures), std::end(figures), found[1].str()) - figures);
  when->below_ = found[2] == "<";
  when->threshold_ = std::atof(found[3].str().c_str());
  if (found[4] == "%") when->threshold_ /= 100;
  if (found[4] == "ms") when->threshold_ /= 1000;
  when->seconds_ = found[5].matched ? Seconds(found[5].str(), found[6].str()) : 0;
  return true;
}

bool When::ValueOf(const Moment& moment, double* value) const {
  switch (figure_) {
    case Figure::kBalance: *value = moment.balance; return moment.has_balance;
    case Figure::kWaited: *value = moment.waited; return moment.has_waited;
    case Figure::kDiscarded: *value = static_cast<double>(moment.discarded); return moment.has_notes;
    case Figure::kRate: *value = moment.rate; return moment.has_rate;
    case Figure::kRemaining: *value = moment.remaining; return moment.has_remaining;
    case Figure::kStanding: *value = moment.standing_longest; return moment.processes > 0;
    case Figure::kLate: *value = moment.late; return moment.has_late;
  }
  return false;
}

bool When::IsDue(const Moment& moment) {
  double value = 0;
  const bool holds = ValueOf(moment, &value) && (below_ ? value < threshold_ : value > threshold_);
  if (!holds) {
    since_ = -1;
    done_ = false;
    return false;
  }
  // The condition held during the interval that ends now.
  if (since_ < 0) since_ = moment.time - moment.interval;
  if (done_ || moment.time - since_ < seconds_) return false;
  done_ = true;
  return true;
}

bool StartCommand(const std::string& command, const std::string& job) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);  // our standard output is for answers
  // A shell in between ends at once, so that nobody has to wait for the command.
  const std::string in_background = "(" + command + "\n) &";
  const char* words[] = {"sh", "-c", in_background.c_str(), nullptr};
  std::string ours = job;
  const std::vector<char*> environment = EnvironmentWith(&ours);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, "/bin/sh", &actions, nullptr, const_cast<char**>(words), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0;
}

}  // namespace epik::monitor
