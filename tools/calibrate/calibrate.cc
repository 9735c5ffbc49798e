// SPDX-License-Identifier: BSD-3-Clause
#include "tools/calibrate/calibrate.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

extern char** environ;

namespace epik::calibrate {

using archive::Calibration;
using archive::PriceName;

namespace {

constexpr auto kPatience = std::chrono::seconds(30);
constexpr double kBusy = 0.5;  // processors that others use: the machine is not quiet
constexpr int kRounds = 3;
constexpr double kFiltered = 0.8;  // share of a function's price: a call that is left out must cost less

struct Time {
  double small = 0, large = 0;
};

std::vector<int> AllowedProcessors() {
  std::vector<int> allowed;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) allowed.push_back(cpu);
  }
  return allowed;
}

// The other hardware thread of the same core, where there is one that we may use; else any other processor.
std::optional<int> Neighbour(int cpu, const std::vector<int>& allowed) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  int sibling = 0;
  for (char separator = 0; file >> sibling; file >> separator) {
    if (sibling != cpu && std::find(allowed.begin(), allowed.end(), sibling) != allowed.end()) return sibling;
  }
  for (const int other : allowed) {
    if (other != cpu) return other;
  }
  return std::nullopt;
}

// This command sets EPIK's variables itself.
std::vector<std::string> Environment(const std::map<std::string, std::string>& more) {
  std::vector<std::string> environment;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const bool ours = text.starts_with("EPK_") || text.starts_with("ESD_") || text.starts_with("ELG_") ||
                      text.starts_with("LD_PRELOAD=") || text.starts_with("OMP_");
    if (!ours) environment.emplace_back(text);
  }
  for (const auto& [name, value] : more) environment.push_back(name + "=" + value);
  return environment;
}

std::vector<char*> Pointers(std::vector<std::string>* words) {
  std::vector<char*> pointers;
  for (std::string& word : *words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// A child process: pinned, silent, and ended by the destructor.
class Child {
 public:
  Child(std::vector<std::string> command, std::vector<std::string> environment, int cpu) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0) return;
    if (pipe2(out, O_CLOEXEC) != 0) {
      close(in[0]);
      close(in[1]);
      return;
    }
    const std::vector<char*> words = Pointers(&command), variables = Pointers(&environment);
    pid_ = fork();
    if (pid_ == 0) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(cpu, &set);
      sched_setaffinity(0, sizeof set, &set);
      sigset_t none;  // the caller may have blocked signals
      sigemptyset(&none);
      sigprocmask(SIG_SETMASK, &none, nullptr);
      const int nowhere = open("/dev/null", O_WRONLY);
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
      execve(words[0], words.data(), variables.data());
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~Child() {
    if (in_ >= 0) close(in_);
    if (out_ >= 0) close(out_);
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns everything that the process prints, until it ends or takes too long.
  std::string Said() const {
    std::string text;
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (out_ >= 0 && text.size() < 4096) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd wait{out_, POLLIN, 0};
      if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) <= 0) break;
      char block[512];
      const ssize_t got = read(out_, block, sizeof block);
      if (got <= 0) break;
      text.append(block, static_cast<size_t>(got));
    }
    return text;
  }

 private:
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
};

class Prober {
 public:
  Prober(const Request& request, int cpu) : request_(request), cpu_(cpu) {}

  // Takes the quickest of several rounds, because other load only adds to a time.
  std::optional<Time> Take(const std::string& event, const std::map<std::string, std::string>& settings) const {
    std::optional<Time> best;
    for (int round = 0; round < kRounds; ++round) {
      const std::optional<Time> time = Once(event, settings);
      if (!time) return best;
      if (!best) best = time;
      best->small = std::min(best->small, time->small);
      best->large = std::min(best->large, time->large);
    }
    return best;
  }

  std::map<std::string, std::string> SettingsOf(const PriceName& name) const {
    const std::string_view mode = name.mode;
    std::map<std::string, std::string> settings = {{"LD_PRELOAD", request_.library},
                                                   {"EPK_GDIR", request_.scratch},
                                                   {"EPK_TRACE", "off"},
                                                   {"ELG_BUFFER_SIZE", "1M"},
                                                   {"EPK_PATCH", "no"}};
    if (mode == "trace" || mode == "both") settings["EPK_TRACE"] = "all";
    if (mode == "trace") settings["EPK_SUMMARY"] = "no";
    if (mode == "sampled") {
      settings["EPK_HOT"] = "sample";
      settings["EPK_THROTTLE_CALLS"] = "1000";
    }
    if (mode == "filtered") settings["EPK_FILTER"] = request_.scratch + "/filter";
    return settings;
  }

 private:
  std::optional<Time> Once(const std::string& event, const std::map<std::string, std::string>& settings) const {
    if (settings.contains("EPK_FILTER")) std::ofstream(settings.at("EPK_FILTER")) << "EXCLUDE REGION *\n";
    std::vector<std::string> command = request_.probe;
    command.push_back(event);
    std::optional<Time> time;
    {
      const Child child(std::move(command), Environment(settings), cpu_);
      Time read;
      if (std::sscanf(child.Said().c_str(), "small %lf large %lf", &read.small, &read.large) == 2) time = read;
    }
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(request_.scratch, ignored)) {
      std::filesystem::remove_all(entry.path(), ignored);
    }
    return time;
  }

  const Request& request_;
  int cpu_;
};

// Prices under one condition, in the order of PriceNames.
std::vector<std::optional<Time>> PricesNow(const Prober& prober) {
  std::map<std::string, std::optional<Time>> bare;
  const auto bare_of = [&](const std::string& event) {
    if (!bare.contains(event)) bare[event] = prober.Take(event, {});
    return bare[event];
  };
  std::vector<std::optional<Time>> prices;
  for (const PriceName& name : archive::PriceNames()) {
    const bool wrapped = std::strcmp(name.event, "openmp") == 0;
    const std::optional<Time> without = bare_of(wrapped ? name.event : "nothing");
    std::optional<Time> price = without ? prober.Take(name.event, prober.SettingsOf(name)) : std::nullopt;
    if (price) {
      price->small = std::max(0.0, price->small - without->small);
      price->large = std::max(0.0, price->large - without->large);
    }
    prices.push_back(price);
  }
  return prices;
}

double LoadOfOthers() {
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  return load;
}

}  // namespace

bool Calibrate(const Request& request, Calibration* calibration, std::vector<std::string>* remarks,
               std::string* error) {
  const std::vector<int> allowed = AllowedProcessors();
  const int cpu = allowed.empty() ? 0 : allowed.back();  // the first one has the system's interruptions
  const Prober prober(request, cpu);
  const double load = LoadOfOthers();
  if (load > kBusy) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "other programs were running (load %.1f): the quiet prices are not those of a quiet machine", load);
    remarks->push_back(text);
  }
  const std::vector<std::optional<Time>> quiet = PricesNow(prober);
  std::vector<std::optional<Time>> busy(quiet.size());
  if (const std::optional<int> neighbour = Neighbour(cpu, allowed)) {
    const Child worker(request.busy, Environment({}), *neighbour);
    busy = PricesNow(prober);
  } else {
    remarks->push_back("this process may use one processor only: there are no prices beside a busy neighbour");
  }
  const auto names = archive::PriceNames();
  double summary = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == 0 && quiet[i]) summary = quiet[i]->small;
    // A filter that does not know the names of this command, because it was stripped, leaves nothing out.
    const bool left_in =
        quiet[i] && std::strcmp(names[i].mode, "filtered") == 0 && quiet[i]->small > kFiltered * summary;
    if (!quiet[i] || left_in) {
      remarks->push_back(std::string("not measured: ") + names[i].event + ", " + names[i].mode);
      continue;
    }
    Calibration::Price price{names[i].event, names[i].mode, quiet[i]->small, quiet[i]->large, -1, -1};
    if (busy[i]) price.busy_small = busy[i]->small, price.busy_large = busy[i]->large;
    calibration->prices.push_back(std::move(price));
  }
  if (calibration->Quiet("function", "summary") > 0) return calibration->there = true;
  *error = "no function could be measured: does `epk doctor` find everything?";
  return false;
}

}  // namespace epik::calibrate
