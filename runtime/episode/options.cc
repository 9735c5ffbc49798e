// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/options.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "config/report.h"
#include "config/settings.h"
#include "runtime/base/installation.h"
#include "runtime/base/log.h"

namespace epik::episode {
namespace {

using config::Key;
using config::Settings;

char start_folder[4096] = "";

std::string Absolute(const std::string& path) {
  if (!path.empty() && path[0] == '/') return path;
  if (start_folder[0] != '/') return path;
  return path.empty() || path == "." ? start_folder : std::string(start_folder) + "/" + path;
}

// A starting size unless the user gave it; then a limit. 0: none.
uint32_t LimitOf(const Settings& settings, Key key, int64_t value) {
  const bool unlimited = value <= 0 || value >= std::numeric_limits<uint32_t>::max();
  return settings.IsSet(key) && !unlimited ? static_cast<uint32_t>(value) : 0;
}

// One bit for each of the `known` words (separated by blanks) that is among the chosen ones. The bar before the words
// that `ALL` leaves out has no bit: adapters/mpi/table.py counts likewise.
uint64_t BitsOf(const std::vector<std::string>& chosen, std::string_view known) {
  uint64_t bits = 0;
  for (unsigned bit = 0; !known.empty();) {
    const size_t end = std::min(known.find(' '), known.size());
    const std::string_view name = known.substr(0, end);
    if (std::find(chosen.begin(), chosen.end(), name) != chosen.end()) bits |= uint64_t{1} << bit;
    if (name != "|") ++bit;
    known.remove_prefix(std::min(end + 1, known.size()));
  }
  return bits;
}

// The launcher's rank of this process, before MPI can tell it; -1: not known.
int64_t RankFromLauncher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    const char* value = getenv(name);
    if (value == nullptr || *value < '0' || *value > '9') continue;
    return strtol(value, nullptr, 10);
  }
  return -1;
}

void SelectRanks(const config::RankSet& ranks, Options* options) {
  if (ranks.all) return;
  const int64_t rank = options->launcher_rank;
  if (rank < 0) return base::Say("EPK_RANKS is not used: nothing says which rank this process is");
  options->only_ranks = config::FormatRanks(ranks);
  options->rank_is_out = !ranks.Contains(rank);
}

// As config::InstallationConf, but the library may have been loaded by a name that is relative to a former folder.
std::string InstallationConf() {
  char path[PATH_MAX];
  if (realpath(base::OwnLibrary(), path) == nullptr) return "";
  std::string prefix = path;
  for (int level = 0; level < 2; ++level) prefix.resize(std::min(prefix.rfind('/'), prefix.size()));
  return prefix + "/etc/EPIK.CONF";
}

// The program may be in another folder by now; its user meant the one where it was started.
config::Loaded LoadConfiguration() {
  config::Sources sources;
  sources.environment = environ;
  sources.installation_conf = InstallationConf();
  char here[sizeof start_folder];
  const bool has_moved = getcwd(here, sizeof here) == nullptr || strcmp(here, start_folder) != 0;
  if (has_moved && start_folder[0] == '/') sources.directory = start_folder;
  return config::Load(sources);
}

}  // namespace

AdapterOptions adapter_options;

void NoteStartFolder() {
  const int saved_errno = errno;
  if (getcwd(start_folder, sizeof start_folder) == nullptr) start_folder[0] = '\0';
  errno = saved_errno;
}

Options LoadOptions() {
  if (start_folder[0] == '\0') NoteStartFolder();  // an event came before our constructor
  config::Loaded loaded = LoadConfiguration();
  Options options;
  options.settings = std::move(loaded.settings);
  // Read when the archive is written.
  if (!options.settings.costs.empty()) options.settings.costs = Absolute(options.settings.costs);
  const Settings& settings = options.settings;
  options.enabled = settings.enabled && (settings.summary || settings.trace.on);
  if (!options.enabled) return options;
  options.launcher_rank = RankFromLauncher();
  // The processes of a job have the same variables: one speaks for all.
  for (const config::Message& message : loaded.messages) {
    if (options.launcher_rank <= 0) base::Say("%s", message.text.c_str());
  }
  options.archive_folder = Absolute(settings.gdir);
  if (!settings.ldir.empty()) options.arena_folder = Absolute(settings.ldir);
  if (!settings.filter.empty()) options.filter = Absolute(settings.filter);
  for (const std::string& plugin : settings.metric_plugins) options.metric_plugins.push_back(Absolute(plugin));
  if (!settings.metrics_spec.empty()) options.metrics_spec = Absolute(settings.metrics_spec);
  options.depth = LimitOf(settings, Key::depth, settings.depth);
  SelectRanks(settings.ranks, &options);
  options.memory_bytes = static_cast<uint64_t>(settings.memory);
  options.path_limit = LimitOf(settings, Key::paths, settings.paths);
  options.frame_limit = LimitOf(settings, Key::frames, settings.frames);
  options.thread_limit = LimitOf(settings, Key::max_threads, settings.max_threads);
  options.want_tsc = settings.timer != config::Timer::kMonotonic;
  options.measure_forked = settings.fork == config::Fork::kOwn;
  options.stop_when_full = settings.overflow == config::Overflow::kStop;
  options.verbose = static_cast<int>(settings.verbose);
  adapter_options.mpi_groups = BitsOf(settings.mpi_enabled, config::kMpiGroups);
  adapter_options.omp_groups = BitsOf(settings.omp_enabled, config::kOmpGroups);
  adapter_options.monitor_groups = BitsOf(settings.monitor, config::kMonitorGroups);
  adapter_options.mpi_matrix = settings.mpi_matrix;
  adapter_options.trace_lacks_some = MayLackSome(settings);
  adapter_options.clock_sync_ns = static_cast<uint64_t>(settings.clock_sync);
  adapter_options.trace_ranks = settings.trace.ranks;
  if (settings.coll_tree.kind != config::CollTree::Kind::kOff) {
    auto* tree = new config::CollTree(settings.coll_tree);
    if (!tree->file.empty()) tree->file = Absolute(tree->file);
    adapter_options.coll_tree = tree;
  }
  options.configuration = config::RenderConf(settings);
  return options;
}

bool MayLackSome(const config::Settings& settings) {
  const config::TraceSelection& trace = settings.trace;
  if (!trace.on) return false;
  const std::vector<std::string>& groups = settings.mpi_enabled;
  const auto lacks = [&](const char* group) { return std::count(groups.begin(), groups.end(), group) == 0; };
  return trace.visits != 0 || !trace.windows.empty() || !settings.trace_start || !settings.measure.always() ||
         settings.overflow == config::Overflow::kRing || lacks("P2P") || lacks("COLL");
}

}  // namespace epik::episode
