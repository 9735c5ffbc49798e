// SPDX-License-Identifier: BSD-3-Clause
#include "report/sample_profiles.h"

#include <limits>
#include <map>

#include "archive/metrics/metric_tree.h"

namespace epik::report {

using archive::Along;
using archive::kNone;
using archive::Profile;
using archive::Type;

namespace {

// First call paths, then values, because the size of a metric is fixed when it is added.
class Maker {
 public:
  Maker(const char* program, int ranks, int threads) {
    sample_.manifest.program = program;
    sample_.manifest.ranks = ranks;
    sample_.manifest.threads = threads;
    sample_.manifest.host = "node01";
    sample_.manifest.started = "2024-05-01T10:00:00+02:00";
    sample_.manifest.ended_detail = "status 0";
    sample_.manifest.timer = "tsc";
    sample_.profile.hosts.push_back({"node01"});
    for (int r = 0; r < ranks; ++r) {
      sample_.profile.processes.push_back({0, r, "MPI Rank " + std::to_string(r)});
      for (int t = 0; t < threads; ++t) {
        sample_.profile.locations.push_back({static_cast<uint32_t>(r), t, "thread " + std::to_string(t)});
      }
    }
  }

  uint32_t Path(uint32_t parent, const std::string& name, const char* paradigm = "compiler",
                const char* role = "function") {
    auto [it, missing] = regions_.try_emplace(name, static_cast<uint32_t>(sample_.profile.regions.size()));
    if (missing) {
      archive::Region region;
      region.name = name;
      region.paradigm = paradigm;
      region.role = role;
      if (region.paradigm == "compiler") {
        region.file = "/home/user/src/" + sample_.manifest.program + ".cc";
        region.begin_line = 10 + static_cast<int>(it->second) * 7;
      }
      sample_.profile.regions.push_back(region);
    }
    sample_.profile.call_paths.push_back({it->second, parent});
    return static_cast<uint32_t>(sample_.profile.call_paths.size() - 1);
  }

  uint32_t Root() {
    const uint32_t root = Path(kNone, sample_.manifest.program, "unknown");
    sample_.profile.regions.back().role = "artificial";
    return root;
  }

  void AddMetrics() {
    Profile& p = sample_.profile;
    visits_ = p.AddMetric({"visits", "Visits", "occ", "", Type::kUint64, Along::kExclusive, kNone});
    time_ = p.AddMetric({"time", "Time", "sec", "", Type::kDouble, Along::kInclusive, kNone});
    min_ = p.AddMetric({"min_time", "Minimum Inclusive Time", "sec", "", Type::kMin, Along::kExclusive, kNone});
    max_ = p.AddMetric({"max_time", "Maximum Inclusive Time", "sec", "", Type::kMax, Along::kExclusive, kNone});
  }

  void Set(uint32_t metric, uint32_t path, uint32_t location, uint64_t value) {
    sample_.profile.values[metric].Set(path, location, value);
  }

  // The location visited the path, and spent `own` seconds there besides its callees.
  void Visit(uint32_t path, uint32_t location, uint64_t visits, double own) {
    Profile& p = sample_.profile;
    p.values[visits_].Set(path, location, visits);
    for (uint32_t at = path; at != kNone; at = p.call_paths[at].parent) {
      p.values[time_].Set(at, location, p.values[time_].Real(at, location) + own);
    }
    if (visits == 0) return;
    p.values[min_].Set(path, location, own / static_cast<double>(visits) / 2);
    p.values[max_].Set(path, location, own / static_cast<double>(visits) * 3);
  }

  void Cost(uint64_t events, double pair_ns) {
    archive::Manifest& m = sample_.manifest;
    m.events = events;
    m.pair_cost_ns = pair_ns;
    m.cost_seconds = static_cast<double>(events) / 2 * pair_ns * 1e-9;
    double total = 0;
    const Profile& p = sample_.profile;
    for (uint32_t l = 0; l < p.locations.size(); ++l) total += p.call_paths.empty() ? 0 : p.values[time_].Real(0, l);
    m.cost_percent = total > 0 ? m.cost_seconds / total * 100 : 0;
    m.wall_seconds = p.locations.empty() ? 0 : total / static_cast<double>(p.locations.size());
    m.cpu_seconds = total;
    m.cpu_without_seconds = total - m.cost_seconds;
    m.wall_without_seconds = m.wall_seconds * (1 - m.cost_percent / 100);
    m.wall_without_least_seconds = m.wall_without_most_seconds = m.wall_without_seconds;
  }

  Profile& profile() { return sample_.profile; }
  archive::Manifest& manifest() { return sample_.manifest; }
  Sample Take() { return std::move(sample_); }

 private:
  Sample sample_;
  std::map<std::string, uint32_t> regions_;
  uint32_t visits_ = 0, time_ = 0, min_ = 0, max_ = 0;
};

}  // namespace

Sample Hybrid() {
  Maker m("heat", 2, 2);
  const uint32_t root = m.Root(), main = m.Path(root, "main");
  const uint32_t init = m.Path(main, "MPI_Init", "mpi"), solve = m.Path(main, "solve(Grid&)");
  const uint32_t parallel = m.Path(solve, "!$omp parallel @heat.cc:40", "openmp");
  const uint32_t sweep = m.Path(parallel, "sweep"),
                 barrier = m.Path(parallel, "!$omp implicit barrier @heat.cc:48", "openmp");
  const uint32_t exchange = m.Path(solve, "exchange"), send = m.Path(exchange, "MPI_Send", "mpi");
  const uint32_t receive = m.Path(exchange, "MPI_Recv", "mpi"), reduce = m.Path(solve, "MPI_Allreduce", "mpi");
  const uint32_t print = m.Path(main, "print"), finalize = m.Path(main, "MPI_Finalize", "mpi");
  m.AddMetrics();
  Profile& p = m.profile();
  const uint32_t sent = p.AddMetric({"bytes_sent", "Bytes sent", "bytes", "", Type::kUint64, Along::kExclusive, kNone});
  const uint32_t got =
      p.AddMetric({"bytes_received", "Bytes received", "bytes", "", Type::kUint64, Along::kExclusive, kNone});
  const uint32_t colls = p.AddMetric({"colls", "Collectives", "occ", "", Type::kUint64, Along::kExclusive, kNone});
  const uint32_t cycles =
      p.AddMetric({"PAPI_TOT_CYC", "PAPI_TOT_CYC", "#", "", Type::kUint64, Along::kInclusive, kNone});
  for (uint32_t rank = 0; rank < 2; ++rank) {
    const uint32_t master = rank * 2, worker = master + 1;
    const double work = rank == 0 ? 2.4 : 1.5;
    m.Visit(root, master, 1, 0.001);
    m.Visit(main, master, 1, 0.0004);
    m.Visit(init, master, 1, 0.034);
    m.Visit(solve, master, 1, 0.0021);
    for (uint32_t l : {master, worker}) {
      m.Visit(parallel, l, 100, 0.0011);
      m.Visit(sweep, l, 12800, l == master ? work : work - 0.2);
      m.Visit(barrier, l, 100, l == master ? 0.01 : 0.21);
    }
    m.Visit(exchange, master, 100, 0.0052);
    m.Visit(send, master, 100, 0.0101);
    m.Visit(receive, master, 100, rank == 0 ? 0.011 : 0.91);
    m.Visit(reduce, master, 100, 0.0022);
    if (rank == 0) m.Visit(print, master, 1, 0.000021);
    m.Visit(finalize, master, 1, 0.0061);
    p.values[sent].Set(send, master, uint64_t{819200});
    p.values[got].Set(receive, master, uint64_t{819200});
    p.values[colls].Set(reduce, master, uint64_t{100});
    for (uint32_t path : {root, main, solve, parallel, sweep}) {
      p.values[cycles].Set(path, master, (uint64_t{1} << 60) + 100 - path);  // more than the 53 bits of a double
    }
  }
  m.manifest().command = {"heat", "--size", "1024"};
  m.Cost(54000, 20.4);
  m.manifest().clock_residual_s = 1e-7;
  return m.Take();
}

Sample Stencil() {
  Maker m("stencil", 4, 2);
  const uint32_t root = m.Root(), main = m.Path(root, "main");
  const uint32_t init = m.Path(main, "MPI_Init_thread", "mpi"), step = m.Path(main, "time_step(Field&)");
  const uint32_t parallel = m.Path(step, "parallel @stencil.cc:42", "openmp", "parallel");
  const uint32_t loop = m.Path(parallel, "for dynamic @stencil.cc:44", "openmp", "loop");
  const uint32_t relax = m.Path(loop, "relax"),
                 critical = m.Path(loop, "critical @stencil.cc:47", "openmp", "critical");
  const uint32_t barrier = m.Path(parallel, "implicit barrier @stencil.cc:42", "openmp", "implicit barrier");
  const uint32_t halo = m.Path(step, "halo"), isend = m.Path(halo, "MPI_Isend", "mpi");
  const uint32_t wait = m.Path(halo, "MPI_Waitall", "mpi"), reduce = m.Path(step, "MPI_Allreduce", "mpi");
  const uint32_t checkpoint = m.Path(main, "checkpoint"), fence = m.Path(checkpoint, "MPI_Barrier", "mpi");
  const uint32_t write = m.Path(checkpoint, "MPI_File_write_at_all", "mpi");
  const uint32_t finalize = m.Path(main, "MPI_Finalize", "mpi");
  const uint32_t idle = m.Path(root, "idle", "openmp", "artificial");
  m.AddMetrics();
  const auto integer = [&](const char* name) {
    return m.profile().AddMetric({name, name, "", "", Type::kUint64, Along::kExclusive, kNone});
  };
  const uint32_t sent = integer("bytes_sent_p2p"), messages = integer("msgs_sent"), got = integer("bytes_received_p2p"),
                 arrived = integer("msgs_received"), out = integer("bytes_sent_coll"), colls = integer("colls"),
                 in = integer("bytes_received_coll"), written = integer("mpi_file_bytes_written");
  for (uint32_t rank = 0; rank < 4; ++rank) {
    const uint32_t master = rank * 2, worker = master + 1;
    const double work = 1 + rank;  // the last rank has four times the work of the first
    m.Visit(root, master, 1, 0.01);
    m.Visit(main, master, 1, 0.02);
    m.Visit(init, master, 1, 0.1);
    m.Visit(step, master, 1000, 0.05);
    for (uint32_t l : {master, worker}) {
      const double mine = l == master ? work : 0.75 * work;
      m.Visit(parallel, l, 1000, 0.02);
      m.Visit(loop, l, 1000, 0.01);
      m.Visit(relax, l, 64000, mine);
      m.Visit(critical, l, 1000, 0.05);
      m.Visit(barrier, l, 1000, l == master ? 0.02 : 0.02 + 0.25 * work);
    }
    m.Visit(halo, master, 1000, 0.03);
    m.Visit(isend, master, 2000, 0.04);
    m.Visit(wait, master, 1000, 0.1);
    m.Visit(reduce, master, 1000, 0.1 + 4 - work);
    m.Visit(checkpoint, master, 4, 0.01);
    m.Visit(fence, master, 4, 0.02);
    m.Visit(write, master, 4, 0.2);
    m.Visit(finalize, master, 1, 0.05);
    m.Visit(idle, worker, 1001, 0.63 + 4 - work);
    m.Set(sent, isend, master, 2000 * 8192);
    m.Set(messages, isend, master, 2000);
    m.Set(got, wait, master, 2000 * 8192);
    m.Set(arrived, wait, master, 2000);
    for (uint32_t metric : {out, in}) m.Set(metric, reduce, master, 8000);
    m.Set(colls, reduce, master, 1000);
    m.Set(written, write, master, 4 << 20);
  }
  m.manifest().command = {"stencil", "--steps", "1000"};
  m.Cost(660000, 20.4);
  m.manifest().wall_seconds = 4.85;
  archive::ShapeMetrics(&m.profile());
  return m.Take();
}

std::vector<Traffic> StencilTraffic(uint32_t ranks) {
  std::vector<Traffic> traffic;
  for (uint32_t from = 0; from < ranks; ++from) {
    for (uint32_t to : {(from + ranks - 1) % ranks, (from + 1) % ranks}) {
      traffic.push_back({from, to, 1000, uint64_t{8192} * 1000 * (from + 1)});
    }
  }
  return traffic;
}

Sample Recursion() {
  Maker m("calc", 1, 1);
  const uint32_t root = m.Root(), main = m.Path(root, "main");
  std::vector<uint32_t> fib = {m.Path(main, "fib(int)")};
  for (int level = 1; level < 24; ++level) fib.push_back(m.Path(fib.back(), "fib(int)"));
  std::vector<uint32_t> expression, term, factor;
  uint32_t caller = m.Path(main, "parse");
  const uint32_t parse = caller;
  for (int level = 0; level < 3; ++level) {
    expression.push_back(m.Path(caller, "expression"));
    term.push_back(m.Path(expression.back(), "term"));
    factor.push_back(caller = m.Path(term.back(), "factor"));
  }
  const uint32_t digit = m.Path(caller, "digit");
  m.AddMetrics();
  m.Visit(root, 0, 1, 0.0001);
  m.Visit(main, 0, 1, 0.0002);
  for (size_t level = 0; level < fib.size(); ++level)
    m.Visit(fib[level], 0, uint64_t{1} << std::min<size_t>(level, 20), 0.02);
  m.Visit(parse, 0, 1, 0.001);
  for (size_t level = 0; level < expression.size(); ++level) {
    m.Visit(expression[level], 0, 1000 - level * 300, 0.01);
    m.Visit(term[level], 0, 2000 - level * 600, 0.02);
    m.Visit(factor[level], 0, 3000 - level * 900, 0.03);
  }
  m.Visit(digit, 0, 1200, 0.05);
  m.Cost(4'200'000, 100);
  return m.Take();
}

Sample Unfinished() {
  Maker m("climate", 2, 1);
  const uint32_t root = m.Root(), main = m.Path(root, "main"), step = m.Path(main, "time_step_");
  const uint32_t receive = m.Path(step, "MPI_Recv", "mpi");
  m.AddMetrics();
  Profile& p = m.profile();
  const uint32_t open = p.AddMetric({"unfinished", "Unfinished", "occ", "", Type::kUint64, Along::kExclusive, kNone});
  for (uint32_t l = 0; l < 2; ++l) {
    m.Visit(root, l, 1, 0.1);
    m.Visit(main, l, 1, 0.2);
    m.Visit(step, l, 1000 + l, 30.5);
    m.Visit(receive, l, 1000, 12.25);
    for (uint32_t path : {root, main, step}) p.values[open].Set(path, l, uint64_t{1});
  }
  m.Cost(8008, 21);
  archive::Manifest& manifest = m.manifest();
  manifest.ended = "killed";
  manifest.ended_detail = "no sign of life after 43.1 s";
  manifest.recovered = true;
  manifest.open_frames = 6;
  manifest.folded_visits = 1234567;
  manifest.dropped_events = 1;
  manifest.repairs = 2;
  manifest.unmatched_exits = 3;
  manifest.notes = {
      "The arena of rank 1 reached its limit of 64 MiB: call paths first seen after 12.1 s are not shown. "
      "Set EPK_MEMORY=256M to keep them."};
  return m.Take();
}

Sample DeepChain() {
  Maker m("layers", 1, 1);
  uint32_t at = m.Path(m.Root(), "main");
  std::vector<uint32_t> chain = {0, at};
  for (int i = 0; i < 40; ++i) chain.push_back(at = m.Path(at, "layer" + std::to_string(i) + "::forward()"));
  const uint32_t kernel = m.Path(at, "kernel"), other = m.Path(at, "other");
  m.AddMetrics();
  for (uint32_t path : chain) m.Visit(path, 0, 1, 1e-5);
  m.Visit(kernel, 0, 500, 3);
  m.Visit(other, 0, 500, 1);
  m.Cost(2080, 20);
  return m.Take();
}

Sample Wide() {
  Maker m("switch", 1, 1);
  const uint32_t root = m.Root(), main = m.Path(root, "main"), dispatch = m.Path(main, "dispatch");
  std::vector<uint32_t> cases;
  for (int i = 0; i < 300; ++i) cases.push_back(m.Path(dispatch, "case_" + std::to_string(i)));
  m.AddMetrics();
  m.Visit(root, 0, 1, 0.001);
  m.Visit(main, 0, 1, 0.001);
  m.Visit(dispatch, 0, 1'000'000, 0.25);
  for (size_t i = 0; i < cases.size(); ++i) m.Visit(cases[i], 0, 1000 + i, i % 100 == 7 ? 1.5 : 0.001);
  m.Cost(2'600'000, 20);
  return m.Take();
}

Sample Templates() {
  Maker m("eigen", 1, 1);
  const uint32_t root = m.Root(), main = m.Path(root, "main");
  const uint32_t product = m.Path(
      main,
      "void Eigen::internal::generic_product_impl<Eigen::Matrix<double, -1, -1, 0, -1, -1>, Eigen::Matrix<double, -1, "
      "-1, 0, -1, -1>, Eigen::DenseShape, Eigen::DenseShape, 8>::scaleAndAddTo<Eigen::Matrix<double, -1, -1, 0, -1, "
      "-1> >(Eigen::Matrix<double, -1, -1, 0, -1, -1>&, double const&)");
  const uint32_t call = m.Path(product,
                               "std::function<double (std::vector<double> const&)>::operator()(std::vector<"
                               "double, std::allocator<double> > const&) const");
  const uint32_t plain = m.Path(call, "a_name_without_anything_to_leave_out_" + std::string(120, 'x') + "_the_end");
  const uint32_t lambda = m.Path(plain,
                                 "main::{lambda(int, std::map<std::string, int> const&)#1}::operator()(int, "
                                 "std::map<std::string, int> const&) const");
  const uint32_t greek = m.Path(lambda, "größe_Δt_計算");
  m.AddMetrics();
  m.Visit(root, 0, 1, 0.01);
  m.Visit(main, 0, 1, 0.1);
  m.Visit(product, 0, 64, 2);
  m.Visit(call, 0, 128, 1);
  m.Visit(plain, 0, 256, 0.5);
  m.Visit(lambda, 0, 512, 0.4);
  m.Visit(greek, 0, 1024, 0.3);
  m.Cost(4000, 20);
  return m.Take();
}

Sample NoTime() {
  Maker m("true", 1, 2);
  const uint32_t root = m.Root(), main = m.Path(root, "main");
  m.AddMetrics();
  for (uint32_t l = 0; l < 2; ++l) m.Visit(root, l, 1, 0);
  m.Visit(main, 0, 1, 0);
  m.Cost(6, 20);
  return m.Take();
}

Sample NoLocations() {
  Maker m("nothing", 0, 0);
  m.Path(m.Root(), "main");
  m.AddMetrics();
  m.Cost(0, 20);
  return m.Take();
}

Sample Hostile() {
  Maker m("evil\033[31m", 1, 1);
  const uint32_t root = m.Root();
  const uint32_t quote = m.Path(root, "say \"hi\", twice; or\r\nmore");
  const uint32_t bytes = m.Path(root, "broken \xff\xc3 utf-8 \033]0;title\007");
  m.Path(root, "");
  m.AddMetrics();
  const double inf = std::numeric_limits<double>::infinity();
  m.profile().AddMetric({"a,\"b\"", "odd", "#", "", Type::kDouble, Along::kExclusive, kNone});
  m.Visit(root, 0, 1, 1);
  m.Visit(quote, 0, 2, 3);
  m.Visit(bytes, 0, 3, 2);
  m.profile().values[1].Set(bytes, 0, std::numeric_limits<double>::quiet_NaN());
  m.profile().values[2].Set(quote, 0, -inf);
  m.profile().values[3].Set(quote, 0, inf);
  m.profile().values[4].Set(quote, 0, std::numeric_limits<double>::quiet_NaN());
  m.profile().values[4].Set(root, 0, 0.1);
  m.manifest().wall_seconds = inf;
  m.manifest().cost_percent = std::numeric_limits<double>::quiet_NaN();
  m.manifest().pair_cost_ns = -inf;
  m.manifest().events = 12;
  return m.Take();
}

Sample Deep(int levels) {
  Maker m("deep", 1, 1);
  uint32_t at = m.Root();
  for (int i = 0; i < levels; ++i) at = m.Path(at, i % 2 == 0 ? "even" : "odd");
  m.AddMetrics();
  Profile& p = m.profile();
  // Visit is not used, because its walk to the root would take quadratic time here.
  for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
    p.values[0].Set(path, 0, uint64_t{1});
    p.values[1].Set(path, 0, static_cast<double>(p.call_paths.size() - path));
  }
  return m.Take();
}

std::vector<Sample> AllSamples() {
  std::vector<Sample> all;
  for (auto* make :
       {Hybrid, Stencil, Recursion, Unfinished, DeepChain, Wide, Templates, NoTime, NoLocations, Hostile}) {
    all.push_back(make());
  }
  return all;
}

}  // namespace epik::report
