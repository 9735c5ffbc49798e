// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/drivers/launch.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <string_view>

namespace epik::drivers {

namespace {

struct Launcher {
  const char* rank;
  const char* size;
  const char* local_size;
  const char* key;     // a variable that differs from launch to launch
  const char* suffix;  // another one that belongs to it
};
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
     "OMPI_MCA_orte_precondition_transports", "PMIX_NAMESPACE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_JOB_ID", "SLURM_STEP_ID"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "", "SLURM_JOB_ID", "SLURM_STEP_ID"},
};

int Number(const char* text) {
  int number = -1;
  if (text == nullptr) return number;
  const char* end = text + strlen(text);
  const auto [at, problem] = std::from_chars(text, end, number);
  return problem == std::errc() && at == end ? number : -1;
}

// Reads one line of the launcher's answer, without its end.
bool Ask(int descriptor, std::string_view question, std::string* answer) {
  if (send(descriptor, question.data(), question.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(question.size())) {
    return false;
  }
  constexpr int kPatienceMs = 5000;
  answer->clear();
  for (char next = 0; answer->size() < 1024;) {
    pollfd ready{descriptor, POLLIN, 0};
    if (poll(&ready, 1, kPatienceMs) != 1 || read(descriptor, &next, 1) != 1) return false;
    if (next == '\n') return true;
    answer->push_back(next);
  }
  return false;
}

}  // namespace

std::string AskPmi(int descriptor) {
  std::string answer, name;
  if (!Ask(descriptor, "cmd=init pmi_version=1 pmi_subversion=1\n", &answer) || answer.find("rc=0") == answer.npos ||
      !Ask(descriptor, "cmd=get_my_kvsname\n", &answer)) {
    return "";
  }
  constexpr std::string_view kName = "kvsname=";
  const size_t at = answer.find(kName);
  if (at != answer.npos) name = answer.substr(at + kName.size(), answer.find(' ', at) - at - kName.size());
  // A launcher reports a failure when a process that began to talk ends without this message.
  Ask(descriptor, "cmd=finalize\n", &answer);
  return name;
}

Launch FindLaunch(const Environment& environment) {
  for (const Launcher& launcher : kLaunchers) {
    Launch launch;
    launch.rank = Number(environment(launcher.rank));
    launch.size = Number(environment(launcher.size));
    if (launch.rank < 0 || launch.size <= launch.rank) continue;
    if (launch.size == 1) return launch;
    launch.one_host = Number(environment(launcher.local_size)) == launch.size;
    const int pmi = Number(environment("PMI_FD"));
    if (pmi >= 0) launch.key = AskPmi(pmi);
    for (const char* name : {launcher.key, launcher.suffix}) {
      const char* value = environment(name);
      if (value != nullptr) launch.key += std::string("/") + value;
    }
    return launch;
  }
  return {};
}

}  // namespace epik::drivers
