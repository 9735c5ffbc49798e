// SPDX-License-Identifier: BSD-3-Clause
// Archives of invented runs, for the tests of the HTML report: sample_archives DIRECTORY [RANKS PATHS]
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "archive/cubex/writer.h"
#include "archive/directory/archive.h"
#include "archive/files/atomic_file.h"
#include "archive/metrics/imbalance.h"
#include "archive/metrics/metric_tree.h"
#include "report/sample_profiles.h"

namespace epik::report {
namespace {

using archive::Along;
using archive::kNone;
using archive::Profile;
using archive::Type;

uint32_t AddPath(Profile* p, uint32_t parent, const std::string& name, const char* paradigm, const char* role,
                 const std::string& file = "", int line = -1) {
  archive::Region region;
  region.name = name;
  region.paradigm = paradigm;
  region.role = role;
  region.file = file;
  region.begin_line = line;
  auto at = static_cast<uint32_t>(p->regions.size());
  for (uint32_t r = 0; r < p->regions.size(); ++r) {
    if (p->regions[r].name == name) at = r;
  }
  if (at == p->regions.size()) p->regions.push_back(region);
  p->call_paths.push_back({at, parent});
  return static_cast<uint32_t>(p->call_paths.size() - 1);
}

void AddLocations(Profile* p, int ranks, int threads, int per_node) {
  for (int r = 0; r < ranks; ++r) {
    if (r % per_node == 0) p->hosts.push_back({"node" + std::to_string(r / per_node + 1)});
    p->processes.push_back({static_cast<uint32_t>(r / per_node), r, "rank " + std::to_string(r)});
    for (int t = 0; t < threads; ++t) {
      p->locations.push_back({static_cast<uint32_t>(r), t, "thread " + std::to_string(t)});
    }
  }
}

// First threads of ranks, in the order of MPI: the last coordinate runs fastest.
void AddTopology(Profile* p, const std::string& name, const std::vector<archive::Topology::Dimension>& dimensions,
                 int threads) {
  archive::Topology topology = {name, dimensions, {}, {}};
  for (uint32_t r = 0; r < p->processes.size(); ++r) {
    topology.locations.push_back(r * static_cast<uint32_t>(threads));
    uint32_t below = static_cast<uint32_t>(p->processes.size()), rest = r;
    for (const archive::Topology::Dimension& dimension : dimensions) {
      below /= dimension.size;
      topology.coordinates.push_back(rest / below);
      rest %= below;
    }
  }
  p->topologies.push_back(topology);
}

struct Metrics {
  explicit Metrics(Profile* p)
      : visits(p->AddMetric({"visits", "Visits", "occ", "", Type::kUint64, Along::kExclusive, kNone})),
        time(p->AddMetric({"time", "Time", "sec", "", Type::kDouble, Along::kExclusive, kNone})),
        least(p->AddMetric({"min_time", "Minimum time", "sec", "", Type::kMin, Along::kExclusive, kNone})),
        most(p->AddMetric({"max_time", "Maximum time", "sec", "", Type::kMax, Along::kExclusive, kNone})) {}

  void Set(Profile* p, uint32_t path, uint32_t l, uint64_t n, double seconds) const {
    p->values[visits].Set(path, l, n);
    p->values[time].Set(path, l, seconds);
    p->values[least].Set(path, l, seconds / static_cast<double>(n) * 0.8);
    p->values[most].Set(path, l, seconds / static_cast<double>(n) * 1.9);
  }

  uint32_t visits, time, least, most;
};

void Complete(Sample* sample, const char* program, int ranks, int threads, double wall) {
  archive::Manifest& m = sample->manifest;
  m.program = program;
  m.ranks = ranks;
  m.threads = threads;
  m.host = "node1";
  m.started = "2026-11-20T10:00:00+00:00";
  m.ended_detail = "status 0";
  m.wall_seconds = wall;
  m.events = 246'312;
  m.pair_cost_ns = 19.5;
  m.cost_seconds = static_cast<double>(m.events) / 2 * m.pair_cost_ns * 1e-9;
  m.cost_percent = m.cost_seconds / (wall * ranks * threads) * 100;
  archive::ShapeMetrics(&sample->profile);
  archive::AddImbalance(&sample->profile);
}

// A solver with the ailment of examples/heat: the last threads of the last ranks have the expensive rows.
Sample Plate(int ranks, int threads) {
  Sample sample;
  Profile& p = sample.profile;
  AddLocations(&p, ranks, threads, 2);
  AddTopology(&p, "plate", {{"", static_cast<uint32_t>(ranks) / 2, false}, {"", 2, true}}, threads);
  const std::string file = "/home/user/heat/heat.c";
  const uint32_t root = AddPath(&p, kNone, "heat", "unknown", "artificial");
  const uint32_t main = AddPath(&p, root, "main", "compiler", "function", file, 171);
  const uint32_t init = AddPath(&p, main, "MPI_Init", "mpi", "function");
  const uint32_t step = AddPath(&p, main, "Step", "compiler", "function", file, 128);
  const uint32_t isend = AddPath(&p, step, "MPI_Isend", "mpi", "point2point");
  const uint32_t react = AddPath(&p, step, "React", "compiler", "function", file, 105);
  const uint32_t region = AddPath(&p, react, "!$omp parallel @heat.c:106", "openmp", "parallel", file, 106);
  const uint32_t loop = AddPath(&p, region, "!$omp for @heat.c:106", "openmp", "loop", file, 106);
  const uint32_t material = AddPath(&p, loop, "ReactMaterial", "compiler", "function", file, 92);
  const uint32_t barrier =
      AddPath(&p, loop, "!$omp implicit barrier @heat.c:107", "openmp", "implicit barrier", file, 107);
  const uint32_t relax = AddPath(&p, step, "Relax", "compiler", "function", file, 120);
  const uint32_t row = AddPath(&p, relax, "RelaxRow", "compiler", "function", file, 109);
  const uint32_t wait = AddPath(&p, relax, "MPI_Waitall", "mpi", "point2point");
  const uint32_t residual = AddPath(&p, main, "Residual", "compiler", "function", file, 140);
  const uint32_t reduce = AddPath(&p, residual, "MPI_Allreduce", "mpi", "all2all");
  const uint32_t finalize = AddPath(&p, main, "MPI_Finalize", "mpi", "function");
  const Metrics m(&p);
  const uint32_t sent =
      p.AddMetric({"bytes_sent_p2p", "Bytes sent", "bytes", "", Type::kUint64, Along::kExclusive, kNone});
  const double wall = 4.1, longest = 3.2;
  for (int r = 0; r < ranks; ++r) {
    const auto master = static_cast<uint32_t>(r * threads);
    double slowest = 0;
    for (int t = 0; t < threads; ++t) {
      const double place = (static_cast<double>(r * threads + t) + 0.5) / (ranks * threads);
      const double sites = place < 0.6 ? 1 : place < 0.8 ? 2 : 6;
      const double work = longest * sites / 6 * (1 + 0.01 * ((r * 7 + t * 3) % 5));
      slowest = std::max(slowest, work);
      m.Set(&p, region, master + static_cast<uint32_t>(t), 50, 0.0002);
      m.Set(&p, loop, master + static_cast<uint32_t>(t), 50, 0.0004);
      m.Set(&p, material, master + static_cast<uint32_t>(t), 7500, work);
    }
    for (uint32_t l = master; l < master + static_cast<uint32_t>(threads); ++l) {
      m.Set(&p, barrier, l, 50, slowest - p.values[m.time].Real(material, l) + 0.001);
    }
    const double rest = wall - slowest - 0.35;
    m.Set(&p, root, master, 1, 0.002);
    m.Set(&p, main, master, 1, 0.001);
    m.Set(&p, init, master, 1, 0.09 + 0.002 * r);
    m.Set(&p, step, master, 50, 0.003);
    m.Set(&p, isend, master, 100, 0.004);
    m.Set(&p, react, master, 50, 0.0005);
    m.Set(&p, relax, master, 50, 0.0006);
    m.Set(&p, row, master, 15000, 0.2);
    m.Set(&p, wait, master, 50, std::max(rest * 0.9, 0.004));
    m.Set(&p, residual, master, 5, 0.02);
    m.Set(&p, reduce, master, 5, std::max(rest * 0.1, 0.001));
    m.Set(&p, finalize, master, 1, 0.01);
    p.values[sent].Set(isend, master, static_cast<uint64_t>(r == 0 || r == ranks - 1 ? 480'800 : 961'600));
  }
  Complete(&sample, "heat", ranks, threads, wall);
  return sample;
}

// Numbers that do not repeat, like real ones: for the size of a report of a large run.
Sample Large(int ranks, int paths) {
  Sample sample;
  Profile& p = sample.profile;
  AddLocations(&p, ranks, 1, 32);
  if (ranks % 32 == 0) {
    AddTopology(&p, "blocks", {{"", 4, false}, {"", 8, false}, {"", static_cast<uint32_t>(ranks) / 32, false}}, 1);
    AddTopology(&p, "ring", {{"", static_cast<uint32_t>(ranks), true}}, 1);
  }
  std::mt19937 random(1);  // NOLINT: the same each time
  AddPath(&p, kNone, "large", "unknown", "artificial");
  std::vector<uint32_t> stack = {0};
  const char* const calls[] = {"MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Waitall"};
  for (int i = 1; i < paths; ++i) {
    const bool mpi = random() % 8 == 0;
    const uint32_t parent = stack.back();
    const std::string name =
        mpi ? calls[random() % 4] : "solver::phase" + std::to_string(random() % 900) + "(Grid const&)";
    const uint32_t at = AddPath(&p, parent, name, mpi ? "mpi" : "compiler", "function",
                                mpi ? "" : "/home/user/solver/phase" + std::to_string(random() % 40) + ".cc", 17);
    if (!mpi && stack.size() < 14 && random() % 2 == 0) stack.push_back(at);
    while (stack.size() > 1 && random() % 3 == 0) stack.pop_back();
  }
  const Metrics m(&p);
  const uint32_t sent =
      p.AddMetric({"bytes_sent_p2p", "Bytes sent", "bytes", "", Type::kUint64, Along::kExclusive, kNone});
  const uint32_t cycles = p.AddMetric({"PAPI_TOT_CYC", "Cycles", "#", "", Type::kUint64, Along::kExclusive, kNone});
  std::uniform_real_distribution<double> noise(0.7, 1.3);
  for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
    const double base = 0.02 * std::pow(10, -3 * noise(random));
    const uint64_t visits = 1 + random() % 100'000;
    for (uint32_t l = 0; l < p.locations.size(); ++l) {
      const double seconds = base * noise(random);
      m.Set(&p, path, l, visits + (random() % 16 == 0 ? random() % 100 : 0), seconds);
      p.values[cycles].Set(path, l, static_cast<uint64_t>(seconds * 2.4e9));
      if (p.regions[p.call_paths[path].region].name == "MPI_Send") p.values[sent].Set(path, l, visits * 800);
    }
  }
  Complete(&sample, "large", ranks, 1, 2.5);
  return sample;
}

std::string Neighbours(int ranks) {
  std::string csv = "from,to,messages,bytes\n";
  for (int r = 0; r < ranks; ++r) {
    for (int to : {r - 1, r + 1}) {
      if (to < 0 || to >= ranks) continue;
      csv += std::to_string(r) + "," + std::to_string(to) + ",50,480800\n";
    }
  }
  return csv;
}

bool WriteSample(const Sample& sample, const std::string& path, const std::string& communication, std::string* error) {
  if (mkdir(path.c_str(), 0755) != 0) return *error = "cannot make " + path, false;
  const auto file = [&](const char* name, const std::string& text) {
    return archive::WriteFileAtomically(path + "/" + name, text, error);
  };
  if (!communication.empty() && !file("communication.csv", communication)) return false;
  return file(archive::kManifestName, sample.manifest.ToJson()) &&
         archive::WriteCubex(path + "/" + archive::kSummaryName, sample.profile, {}, error);
}

int Run(const std::string& folder) {
  std::string error;
  bool good = WriteSample(Plate(4, 2), folder + "/epik_plate_4x2_sum", Neighbours(4), &error) &&
              WriteSample(Large(128, 4000), folder + "/epik_large_128x1_sum", Neighbours(128), &error);
  int number = 0;
  for (const Sample& sample : AllSamples()) {
    if (sample.profile.locations.empty()) continue;  // no .cubex can hold that
    good = good && WriteSample(sample, folder + "/epik_sample_" + std::to_string(number++), "", &error);
  }
  if (!good) std::fprintf(stderr, "%s\n", error.c_str());
  return good ? 0 : 1;
}

// One large archive.
int RunLarge(const std::string& folder, int ranks, int paths) {
  std::string error;
  const std::string name = folder + "/epik_large_" + std::to_string(ranks) + "x1_sum";
  if (WriteSample(Large(ranks, paths), name, Neighbours(ranks), &error)) return 0;
  std::fprintf(stderr, "%s\n", error.c_str());
  return 1;
}

}  // namespace
}  // namespace epik::report

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    std::fprintf(stderr, "usage: sample_archives DIRECTORY [RANKS PATHS]\n");
    return 2;
  }
  return argc == 2 ? epik::report::Run(argv[1])
                   : epik::report::RunLarge(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
}
