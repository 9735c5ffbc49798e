// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tools/instrument/words.h"
#include "tools/launch/launchers.h"
#include "tools/launch/plan.h"
#include "tools/launch/record.h"

namespace epik::launch {
namespace {

using instrument::SplitWords;

std::string Resolved(const std::string& word) {
  if (word == "mpirun" || word == "mpiexec") return "/usr/bin/orterun";
  if (word == "/opt/mpich/bin/mpiexec") return "/opt/mpich/bin/mpiexec.hydra";
  return word;
}

TEST(Launchers, ProgramsAreFoundBehindThem) {
  const std::vector<std::pair<const char*, const char*>> table = {
      {"./a", "./a"},
      {"./a -n 3 ./b", "./a"},
      {"mpirun -n 4 ./a -n 3", "./a"},
      {"mpirun --oversubscribe -np 4 ./a", "./a"},
      {"mpirun --mca btl self,tcp --map-by core ./a", "./a"},
      {"mpirun -x OMP_NUM_THREADS=4 -H a,b ./a", "./a"},
      {"mpirun --bind-to none --report-bindings ./a", "./a"},
      {"mpirun -n 1 ./a x : -n 2 ./b y", "./a ./b"},
      {"mpirun -n 2 numactl -m 0 --physcpubind=1 ./a", "./a"},
      {"mpirun -n 2 env -u C A=b D=e ./a", "./a"},
      {"mpirun", ""},
      {"mpirun -n 4", ""},
      {"mpirun --app file", ""},
      {"prun -n 2 ./a", "./a"},
      {"mpiexec.hydra -n 2 -genv A b -ppn 1 ./a", "./a"},
      {"/opt/mpich/bin/mpiexec -hosts a,b -env A b ./a : -n 1 ./b", "./a ./b"},
      {"mpirun.mpich -bind-to core -l ./a", "./a"},
      {"srun ./a", "./a"},
      {"srun -n 4 -c2 --cpu-bind=cores -p short ./a -n 1", "./a"},
      {"srun --ntasks 4 --nodes=2 -l ./a", "./a"},
      {"srun --mpi pmix --exclusive ./a", "./a"},
      {"srun --multi-prog conf", "conf"},
      {"aprun -n 4 -N 2 -cc cpu ./a", "./a"},
      {"jsrun -n 2 -a 1 -c 4 --bind rs ./a", "./a"},
      {"env ./a", "./a"},
      {"env -i PATH=/bin ./a", "./a"},
      {"env -u HOME -- ./a", "./a"},
      {"env - A=b ./a", "./a"},
      {"env -iu HOME -C / -- A=b ./a", "./a"},
      {"env -uHOME --unset=A --unset B -v --chdir / ./a", "./a"},
      {"numactl --interleave all ./a", "./a"},
      {"numactl -C 0-3 ./a", "./a"},
      {"taskset 0x3 ./a", "./a"},
      {"taskset -c 0,1 ./a", "./a"},
      {"nice ./a", "./a"},
      {"nice -n 5 ./a", "./a"},
      {"nice -10 ./a", "./a"},
      {"time -p ./a", "./a"},
      {"/usr/bin/time -f %e -o out ./a", "./a"},
      {"./timeout 5 ./a", "./timeout"},
      {"build/nice ./a", "build/nice"},
      {"./srun -n 2 ./a", "./srun"},
      {"/home/me/mpirun -n 2 ./a", "/home/me/mpirun"},
      {"nice ./timeout 5", "./timeout"},
      {"timeout 10 ./a", "./a"},
      {"timeout -s KILL --kill-after=5 10 ./a", "./a"},
      {"timeout -k 5 10 mpirun -n 2 ./a", "./a"},
      {"stdbuf -oL -e 0 ./a", "./a"},
      {"nohup nice timeout 3 ./a timeout", "./a"},
  };
  for (const auto& [given, expected] : table) {
    const Words words = SplitWords(given);
    std::string found;
    for (size_t at : FindPrograms(words, Resolved).programs) found += (found.empty() ? "" : " ") + words[at];
    EXPECT_EQ(found, expected) << given;
  }
}

TEST(Launchers, HowVariablesTravel) {
  const auto passing = [](const char* given) { return FindPrograms(SplitWords(given), Resolved).passing; };
  EXPECT_EQ(passing("mpirun ./a"), Passing::kOpenMpi);
  EXPECT_EQ(passing("/opt/mpich/bin/mpiexec ./a"), Passing::kHydra);
  EXPECT_EQ(passing("srun ./a"), Passing::kInherit);
  EXPECT_EQ(passing("./a"), Passing::kInherit);
}

Library Needs(const std::string& name, bool found = true) {
  Library library;
  library.name = name;
  if (found) library.path = "/lib/" + name;
  return library;
}

TEST(Programs, WhatComesFirstCounts) {
  Program after;
  Classify({Needs("libgomp.so.1"), Needs("libmpi.so.40"), Needs("libepk.so"), Needs("libepk_mpi_openmpi.so")}, after);
  EXPECT_TRUE(after.linked && after.found && after.openmp);
  EXPECT_FALSE(after.first || after.adapter_first);
  EXPECT_EQ(after.mpi, Mpi::kOpenMpi);
  Program before;
  Classify({Needs("libepk.so", false), Needs("libepk_mpi_mpich.so"), Needs("libmpich.so.12"), Needs("libgomp.so.1")},
           before);
  EXPECT_TRUE(before.first && before.adapter_first);
  EXPECT_FALSE(before.found);
  EXPECT_EQ(before.mpi, Mpi::kMpich);
}

struct World {
  std::map<std::string, Program> programs;
  std::map<std::string, std::string> variables;
  Words files = {"/epik/lib/libepk.so", "/epik/lib/libepk_mpi_openmpi.so", "/epik/lib/libepk_mpi_mpich.so", "/w/f",
                 "/w/full"};
  Options options;

  World() {
    options.library_dirs = {"/epik/lib"};
    Add("./plain");
    Add("./linked").linked = true;
    programs["./linked"].found = programs["./linked"].first = true;
    Add("./ompi").mpi = Mpi::kOpenMpi;
    Add("./mpich").mpi = Mpi::kMpich;
    Program& whole = Add("./whole");  // linked with both of ours
    whole.mpi = Mpi::kOpenMpi;
    whole.linked = whole.found = whole.first = whole.adapter_first = true;
    Add("./static").kind = Program::Kind::kStatic;
    Add("./setuid").privileged = true;
    Add("./asan").sanitizer = "/lib/libasan.so.8";
    Add("./script").kind = Program::Kind::kScript;
    Add("./data").kind = Program::Kind::kNotExecutable;
    Add("./bare").hooks = false;
    Add("/usr/bin/python3.11").hooks = false;
  }

  Program& Add(const std::string& name) {
    programs[name].kind = Program::Kind::kDynamic;
    programs[name].hooks = true;
    return programs[name];
  }

  Plan Make(const std::string& command) const {
    Machine machine;
    machine.find = [](const std::string& word) { return word; };
    machine.resolve = Resolved;
    machine.inspect = [this](const std::string& path) {
      const auto found = programs.find(path);
      return found == programs.end() ? Program() : found->second;
    };
    machine.exists = [this](const std::string& path) {
      return std::find(files.begin(), files.end(), path) != files.end();
    };
    machine.cannot_fill = [](const std::string& path) {
      return path == "/w/full" ? "No space" : path == "/w/none" ? "No such file" : "";
    };
    machine.switched_off_in = [](const std::string& named) { return named == "off.conf" ? "/w/off.conf:3" : ""; };
    machine.variable = [this](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? "" : found->second;
    };
    for (const auto& [name, value] : variables) machine.variables.push_back(name);
    machine.current_dir = "/w";
    return MakePlan(SplitWords(command), options, machine);
  }
  std::string Text(const std::string& command) const { return Describe(Make(command)); }
};

TEST(Plan, LibrariesAreLoadedWhereTheyAreNotLinked) {
  World world;
  EXPECT_EQ(world.Text("./plain 'a b'"), "LD_PRELOAD=/epik/lib/libepk.so ./plain 'a b'");
  EXPECT_EQ(world.Text("./linked"), "./linked");
  EXPECT_EQ(world.Text("./static"), "./static");
  EXPECT_EQ(world.Text("./setuid"), "./setuid");
  EXPECT_EQ(world.Text("./asan"), "LD_PRELOAD=/lib/libasan.so.8:/epik/lib/libepk.so ./asan");
  EXPECT_EQ(world.Text("./ompi"), "LD_PRELOAD=/epik/lib/libepk.so:/epik/lib/libepk_mpi_openmpi.so ./ompi");
  world.programs["./linked"].found = false;
  EXPECT_EQ(world.Text("./linked"), "LD_LIBRARY_PATH=/epik/lib ./linked");
  world.programs["./linked"].first = false;
  EXPECT_EQ(world.Text("./linked"), "LD_LIBRARY_PATH=/epik/lib LD_PRELOAD=/epik/lib/libepk.so ./linked");
}

TEST(Plan, TheUsersPreloadStays) {
  World world;
  world.variables["LD_PRELOAD"] = "/u/other.so";
  EXPECT_EQ(world.Text("./plain"), "LD_PRELOAD=/epik/lib/libepk.so:/u/other.so ./plain");
  EXPECT_EQ(world.Text("./linked"), "LD_PRELOAD=/epik/lib/libepk.so:/u/other.so ./linked")
      << "what the user loads would come in front of what is linked";
  world.variables["LD_PRELOAD"] = "/u/other.so:/epik/lib/libepk.so";
  EXPECT_EQ(world.Text("./plain"), "./plain");
}

TEST(Plan, OptionsBecomeVariables) {
  World world;
  world.options.title = "t";
  world.options.dir = "out";
  world.options.trace = "comm,slow:10ms";
  world.options.filter = "f";
  world.options.metrics = "PAPI_TOT_CYC";
  world.options.settings = {"ESD_PATHS=9"};
  EXPECT_EQ(world.Text("./linked"),
            "EPK_TITLE=t EPK_GDIR=/w/out EPK_TRACE=comm,slow:10ms EPK_FILTER=/w/f EPK_METRICS=PAPI_TOT_CYC ESD_PATHS=9 "
            "./linked");
  world.options.filter = "absent";
  EXPECT_EQ(world.Make("./linked").status, 2);
  world.options.filter = "";
  world.options.settings = {"nothing"};
  EXPECT_EQ(world.Make("./linked").status, 2);
}

// Before anything starts, and by the option's own name.
TEST(Plan, WrongValuesAreRefusedBeforeTheStart) {
  const auto refusal = [](const std::function<void(Options&)>& give) {
    World world;
    give(world.options);
    const Plan plan = world.Make("mpirun -n 2 ./ompi");
    EXPECT_EQ(plan.status, plan.error.empty() ? 0 : 2);
    return plan.error;
  };
  EXPECT_THAT(refusal([](Options& o) { o.trace = "foo"; }), ::testing::StartsWith("-t foo: not a"));
  EXPECT_THAT(refusal([](Options& o) { o.title = "a/b"; }), ::testing::StartsWith("--title a/b: not a"));
  EXPECT_EQ(refusal([](Options& o) { o.dir = "full"; }), "-o full: no archive can be made there: No space");
  EXPECT_THAT(refusal([](Options& o) { o.dir = "none"; }), ::testing::StartsWith("-o none: no such folder"));
  EXPECT_EQ(refusal([](Options& o) { o.filter = "g"; }), "-f g: no such filter file");
  EXPECT_THAT(refusal([](Options& o) { o.settings = {"EPK_TRACE=foo"}; }),
              ::testing::StartsWith("-e EPK_TRACE=foo: not a"));
  EXPECT_EQ(refusal([](Options& o) { o.settings = {"EPK_TRACCE=comm"}; }),
            "-e EPK_TRACCE=comm: no such variable; did you mean EPK_TRACE?");
  EXPECT_EQ(refusal([](Options& o) { o.settings = {"OMP_NUM_THREADS=x", "EPK_CONF=/c", "EPK_TRACE="}; }), "");
  EXPECT_EQ(refusal([](Options& o) { o.trace = "comm,slow:10ms"; }), "");
}

TEST(Plan, CountersBringTheirLibraries) {
  World world;
  const std::string core = "LD_PRELOAD=/epik/lib/libepk.so";
  world.options.metrics = "heap::leaks";
  EXPECT_EQ(world.Text("./plain"), "EPK_METRICS=heap::leaks " + core + " ./plain") << "not installed";
  world.files.insert(world.files.end(), {"/epik/lib/libepk_heap.so", "/epik/lib/libepk_io.so"});
  EXPECT_EQ(world.Text("./plain"), "EPK_METRICS=heap::leaks " + core + ":/epik/lib/libepk_heap.so ./plain");
  world.options.metrics = "myheap::x,perf::io";
  EXPECT_EQ(world.Text("./plain"), "EPK_METRICS=myheap::x,perf::io " + core + " ./plain");
  world.options.metrics = "";
  world.variables["EPK_METRICS"] = "rusage::ru_utime:io::reads";
  EXPECT_EQ(world.Text("./plain"), core + ":/epik/lib/libepk_io.so ./plain");
  EXPECT_EQ(world.Text("./linked"), core + ":/epik/lib/libepk_io.so ./linked") << "it must stand behind the core";
}

TEST(Plan, LaunchersCarryThem) {
  World world;
  world.options.title = "t";
  world.variables["ELG_X"] = "1";
  world.variables["HOME"] = "/h";
  EXPECT_EQ(
      world.Text("mpirun -n 2 ./ompi"),
      "EPK_TITLE=t mpirun -x EPK_TITLE -x LD_PRELOAD=/epik/lib/libepk.so:/epik/lib/libepk_mpi_openmpi.so -x ELG_X "
      "-n 2 ./ompi");
  EXPECT_EQ(world.Text("mpirun -n 1 ./whole : ./whole"),
            "EPK_TITLE=t mpirun -x EPK_TITLE -x ELG_X -n 1 ./whole : -x EPK_TITLE -x ELG_X ./whole");
  EXPECT_EQ(world.Text("timeout 9 mpirun.mpich -n 1 ./mpich : ./linked"),
            "EPK_TITLE=t timeout 9 mpirun.mpich -genv EPK_TITLE t -genv LD_PRELOAD "
            "/epik/lib/libepk.so:/epik/lib/libepk_mpi_mpich.so -genv ELG_X 1 -n 1 ./mpich : ./linked");
  EXPECT_EQ(world.Text("srun -n 2 ./plain"), "EPK_TITLE=t LD_PRELOAD=/epik/lib/libepk.so srun -n 2 ./plain");
}

// Without it, the value of the command would take the place of EPIK's, and nothing would be measured.
TEST(Plan, LibrariesThatTheCommandItselfPreloadsComeBehind) {
  World world;
  const std::string core = "LD_PRELOAD=/epik/lib/libepk.so", open = core + ":/epik/lib/libepk_mpi_openmpi.so",
                    mpich = "LD_PRELOAD /epik/lib/libepk.so:/epik/lib/libepk_mpi_mpich.so";
  EXPECT_EQ(world.Text("env LD_PRELOAD=/u/a.so ./plain LD_PRELOAD=b"),
            core + " env " + core + ":/u/a.so ./plain LD_PRELOAD=b");
  EXPECT_EQ(world.Text("env LD_PRELOAD=/u/a.so ./linked"), core + " env " + core + ":/u/a.so ./linked")
      << "a library that is linked stands behind it";
  EXPECT_EQ(world.Text("mpirun -n 2 env LD_PRELOAD=/u/a.so ./ompi"),
            "mpirun -x " + open + " -n 2 env " + open + ":/u/a.so ./ompi");
  EXPECT_EQ(world.Text("mpirun -x LD_PRELOAD=/u/a.so ./ompi -x LD_PRELOAD=c : -x LD_PRELOAD=/u/b.so ./ompi"),
            "mpirun -x " + open + " -x " + open + ":/u/a.so ./ompi -x LD_PRELOAD=c : -x " + open + " -x " + open +
                ":/u/b.so ./ompi");
  EXPECT_EQ(world.Text("mpirun.mpich -genv LD_PRELOAD /u/a.so -n 1 ./mpich"),
            "mpirun.mpich -genv " + mpich + " -genv " + mpich + ":/u/a.so -n 1 ./mpich");
  EXPECT_EQ(world.Text("mpirun.mpich -n 1 -env LD_PRELOAD /u/a.so ./mpich"),
            "mpirun.mpich -genv " + mpich + " -n 1 -env " + mpich + ":/u/a.so ./mpich");
  world.options.settings = {"LD_PRELOAD=/u/e.so"};
  EXPECT_EQ(world.Text("./plain"), core + ":/u/e.so ./plain");
  world.options.settings.clear();
  world.variables["LD_PRELOAD"] = "/u/v.so";
  EXPECT_EQ(world.Text("mpirun -x LD_PRELOAD ./ompi"), "mpirun -x " + open + ":/u/v.so -x " + open + ":/u/v.so ./ompi");
}

TEST(Plan, CommandsThatKeepVariablesBackHandThemOn) {
  World world;
  world.options.title = "t";
  world.variables = {{"HOME", "/h"}, {"ELG_X", "1"}, {"LD_PRELOAD", "/u/a.so"}};
  const std::string core = "LD_PRELOAD=/epik/lib/libepk.so", set = "EPK_TITLE=t " + core + ":/u/a.so ",
                    ours = "EPK_TITLE=t " + core + " ELG_X=1 ";
  EXPECT_EQ(world.Text("env -i PATH=/bin ./plain -i"), set + "env -i " + ours + "PATH=/bin ./plain -i");
  EXPECT_EQ(world.Text("env - -- A=b ./plain"), "EPK_TITLE=t " + core + ":/u/a.so env - -- " + ours + "A=b ./plain")
      << "a lone dash is -i";
  EXPECT_EQ(world.Text("env -vi -u HOME nice env -uLD_PRELOAD ./plain"),
            set + "env -vi -u HOME " + ours + "nice env -uLD_PRELOAD " + core + " ./plain");
  EXPECT_EQ(world.Text("env --unset=LD_PRELOAD --unset ELG_X ./plain"),
            set + "env --unset=LD_PRELOAD --unset ELG_X " + core + " ./plain")
      << "the user's library is gone, as the user wants it, and so is ELG_X";
  EXPECT_EQ(world.Text("env -u HOME ./plain"), set + "env -u HOME ./plain");
  EXPECT_EQ(world.Text("env -i LD_PRELOAD=/u/b.so ./plain"), set + "env -i " + ours + core + ":/u/b.so ./plain");
  world.variables.erase("LD_PRELOAD");
  const std::string mpi = core + ":/epik/lib/libepk_mpi_openmpi.so";
  EXPECT_EQ(world.Text("mpirun -n 1 env -i A=b ./ompi : ./ompi"),
            "EPK_TITLE=t mpirun -x EPK_TITLE -x " + mpi + " -x ELG_X -n 1 env -i EPK_TITLE=t " + mpi +
                " ELG_X=1 A=b ./ompi : -x EPK_TITLE -x " + mpi + " -x ELG_X ./ompi");
  EXPECT_EQ(world.Text("env -i mpirun ./ompi"),
            "EPK_TITLE=t env -i EPK_TITLE=t ELG_X=1 mpirun -x EPK_TITLE -x " + mpi + " -x ELG_X ./ompi")
      << "the launcher itself gets no library";
}

TEST(Plan, SlurmExportsThem) {
  World world;
  world.variables = {{"HOME", "/h"}, {"EPK_TITLE", "t"}};
  const std::string core = "LD_PRELOAD=/epik/lib/libepk.so ";
  EXPECT_EQ(world.Text("srun --export=HOME,A=b -n 2 ./plain --export=C"),
            core + "srun --export=HOME,A=b,LD_PRELOAD,EPK_TITLE -n 2 ./plain --export=C");
  EXPECT_EQ(world.Text("srun --export LD_PRELOAD=/u/a.so ./plain"),
            core + "srun --export LD_PRELOAD=/epik/lib/libepk.so:/u/a.so,EPK_TITLE ./plain");
  EXPECT_EQ(world.Text("srun --export=ALL,LD_PRELOAD=/u/a.so ./plain"),
            core + "srun --export=ALL,LD_PRELOAD=/epik/lib/libepk.so:/u/a.so ./plain");
  EXPECT_EQ(world.Text("srun --export=ALL ./plain"), core + "srun --export=ALL ./plain");
  EXPECT_EQ(world.Text("srun --export=LD_PRELOAD ./plain"), core + "srun --export=LD_PRELOAD,EPK_TITLE ./plain");
  const std::string why = "--export=NONE keeps EPIK's variables from the program: write srun --export=ALL";
  EXPECT_EQ(world.Text("srun --export=NONE ./plain"), core + "srun --export=NONE ./plain");
  EXPECT_EQ(world.Make("srun --export=NONE ./plain").notes, Words{why});
  EXPECT_EQ(world.Make("srun --export=NONE ./bare").reasons.front(), why);
  world.variables["SLURM_EXPORT_ENV"] = "A";
  EXPECT_EQ(world.Text("srun ./plain"), core + "SLURM_EXPORT_ENV=A,LD_PRELOAD,EPK_TITLE srun ./plain");
  EXPECT_EQ(world.Text("srun --export=ALL ./plain"), core + "srun --export=ALL ./plain");
  EXPECT_EQ(world.Text("./plain"), core + "./plain");
  world.variables["SLURM_EXPORT_ENV"] = "NONE";  // in a job of `sbatch --export=NONE`
  EXPECT_EQ(world.Make("srun ./plain").notes,
            Words{"SLURM_EXPORT_ENV=NONE keeps EPIK's variables from the program: write srun --export=ALL"});
  EXPECT_TRUE(world.Make("srun --export=ALL ./plain").notes.empty());
}

TEST(Plan, WhatMpiAScriptMayUseIsThatOfTheLauncher) {
  World world;
  EXPECT_EQ(world.Text("mpirun -n 2 ./script"),
            "mpirun -x LD_PRELOAD=/epik/lib/libepk.so:/epik/lib/libepk_mpi_openmpi.so -n 2 ./script");
  EXPECT_EQ(world.Text("mpirun.mpich -n 2 ./bare"),
            "mpirun.mpich -genv LD_PRELOAD /epik/lib/libepk.so:/epik/lib/libepk_mpi_mpich.so -n 2 ./bare");
  EXPECT_TRUE(world.Make("mpirun -n 2 ./script").reasons.empty());
  EXPECT_EQ(world.Text("./script"), "LD_PRELOAD=/epik/lib/libepk.so ./script");
}

TEST(Plan, WhatNobodyKnowsIsFoundOutInTheProcess) {
  World world;
  world.files.push_back("/epik/lib/libepk_mpi_any.so");
  const std::string both = "LD_PRELOAD=/epik/lib/libepk.so:/epik/lib/libepk_mpi_any.so ";
  for (const char* command : {"srun -n 2 ./script", "srun -n 2 ./bare", "srun --multi-prog conf", "./script"}) {
    EXPECT_EQ(world.Text(command), both + command);
    EXPECT_TRUE(world.Make(command).notes.empty()) << command;
  }
  // Each of several programs gets the libraries that it needs.
  EXPECT_EQ(world.Text("mpirun -n 1 --app file"),
            "mpirun -x LD_PRELOAD=/epik/lib/libepk.so:/epik/lib/libepk_mpi_any.so -n 1 --app file");
  // If the adapter is known, it is not searched for again.
  EXPECT_EQ(world.Text("srun ./ompi"), "LD_PRELOAD=/epik/lib/libepk.so:/epik/lib/libepk_mpi_openmpi.so srun ./ompi");
  EXPECT_EQ(world.Text("mpirun.mpich ./script"),
            "mpirun.mpich -genv LD_PRELOAD /epik/lib/libepk.so:/epik/lib/libepk_mpi_mpich.so ./script");
  EXPECT_EQ(world.Text("./bare"), "LD_PRELOAD=/epik/lib/libepk.so ./bare");
}

TEST(Plan, WhatIsWrongIsSaid) {
  World world;
  EXPECT_EQ(world.Make("./absent").status, 127);
  world.files.emplace_back("./folder");
  EXPECT_EQ(world.Make("./folder").status, 126);
  EXPECT_EQ(world.Make("./folder").error, "./folder: is a folder, no program");
  EXPECT_EQ(world.Make("./data").status, 126);
  EXPECT_EQ(world.Make("").status, 2);
  EXPECT_EQ(world.Make("env -C /d ./absent").status, 0) << "it may be there";
  EXPECT_EQ(world.Make("env -S './plain x'").status, 0);
  EXPECT_EQ(world.Make("mpirun -n 2").status, 2);
  EXPECT_EQ(world.Make("-x ./plain").status, 2);
  EXPECT_TRUE(world.Make("srun ./absent").error.empty());
  EXPECT_EQ(world.Make("mpirun ./mpich").notes.size(), 1u);  // the wrong mpirun
  for (const char* program : {"./static", "./setuid", "./script", "./bare"}) {
    EXPECT_EQ(world.Make(program).reasons.size(), 1u) << program;
  }
  EXPECT_TRUE(world.Make("./plain").reasons.empty());
  World elsewhere;
  elsewhere.options.settings = {"EPK_GDIR=full"};
  EXPECT_THAT(elsewhere.Make("./plain").reasons,
              ::testing::ElementsAre("no archive can be made in /w/full: No space (-o names another)"));
  World off;
  off.variables["EPK_ENABLED"] = "no";
  EXPECT_THAT(off.Make("./plain").reasons, ::testing::ElementsAre("EPK_ENABLED switches measurement off"));
  off.variables = {{"EPK_CONF", "off.conf"}};
  EXPECT_THAT(off.Make("./plain").reasons,
              ::testing::ElementsAre("EPK_ENABLED switches measurement off in /w/off.conf:3"));
  off.variables["EPK_ENABLED"] = "yes";
  EXPECT_TRUE(off.Make("./plain").reasons.empty());
  off.variables = {{"EPK_SUMMARY", "no"}};
  EXPECT_THAT(off.Make("./plain").reasons,
              ::testing::ElementsAre("EPK_SUMMARY=no leaves the profile out, and no EPK_TRACE asks for a trace"));
  off.options.trace = "comm";
  EXPECT_TRUE(off.Make("./plain").reasons.empty());
  // Behind a launcher it might have been measured as a program of MPI.
  ASSERT_EQ(world.Make("mpirun -n 2 ./bare").reasons.size(), 1u);
  EXPECT_NE(world.Make("mpirun -n 2 ./bare").reasons[0].find("no call of MPI"), std::string::npos);
  // Nobody compiles an interpreter anew.
  for (const char* command : {"/usr/bin/python3.11 a.py", "mpirun -n 2 /usr/bin/python3.11 a.py"}) {
    ASSERT_EQ(world.Make(command).reasons.size(), 1u) << command;
    EXPECT_NE(world.Make(command).reasons[0].find("a script is measured where it calls MPI"), std::string::npos);
  }
}

// Also when nothing needs to be loaded into it.
TEST(Plan, TheMpirunOfTheOtherMpiIsNoticed) {
  World world;
  Program& linked = world.Add("./linked_mpich");
  linked.mpi = Mpi::kMpich;
  linked.linked = linked.found = linked.first = linked.adapter_first = true;
  for (const char* program : {"./mpich", "./linked_mpich"}) {
    const Plan plan = world.Make(std::string("mpirun -n 2 ") + program);
    ASSERT_EQ(plan.notes.size(), 1u) << program;
    EXPECT_EQ(plan.notes[0].find("mpirun belongs to Open MPI, the program to MPICH"), 0u) << plan.notes[0];
    EXPECT_NE(plan.notes[0].find("mpirun.mpich"), std::string::npos);
  }
  EXPECT_TRUE(world.Make("mpirun.mpich -n 2 ./linked_mpich").notes.empty());
  EXPECT_EQ(world.Make("mpirun.mpich -n 2 ./ompi").notes.size(), 1u);
}

TEST(Plan, WithoutTheLibraryTheProgramStillRuns) {
  World world;
  world.files.clear();
  const Plan plan = world.Make("./plain");
  EXPECT_EQ(Describe(plan), "./plain");
  EXPECT_EQ(plan.notes.size(), 1u);
}

TEST(Record, LinesOfProcesses) {
  const Record record = ParseRecord(
      "start 12 /a b\nstart 13 /c\ndone 12 /d\ndigest 12 1:2f\ndone /d\nstart 14 /c\nrubbish\nlate 12 3 7\n"
      "late 13 x\noff 16 /f g\ndone 15 /e");
  EXPECT_EQ(record.started, (Words{"/a b", "/c"}));
  EXPECT_EQ(record.done, (Words{"/d"}));
  EXPECT_EQ(record.digests, (Words{"1:2f"}));
  EXPECT_EQ(record.refused, (Words{"/f g"}));
  EXPECT_EQ(record.late_calls, (std::vector<std::pair<int, uint64_t>>{{3, 7}}));
  EXPECT_EQ(Unfinished(record, [](const std::string& path) { return path == "/c"; }), (Words{"/c"}));
}

TEST(Record, TakesTheArchiveOfAProgramThatEndedEarly) {
  const RecordFile file, around;
  TellPublished(file.path(), "/a b");
  EXPECT_EQ(file.Read().done, (Words{"/a b"}));
  file.PassOn(around.path());
  EXPECT_EQ(around.Read().done, (Words{"/a b"}));
  TellPublished(file.path() + ".gone", "/a");
  EXPECT_NE(access((file.path() + ".gone").c_str(), F_OK), 0) << "`epk run` is on another host";
}

TEST(Libraries, DamagedCachesAreNone) {
  EXPECT_TRUE(ParseLoaderCache("").empty());
  EXPECT_TRUE(ParseLoaderCache("glibc-ld.so.cache1.1").empty());
  std::string huge = "glibc-ld.so.cache1.1" + std::string(28, '\xff');
  EXPECT_TRUE(ParseLoaderCache(huge).empty());
  EXPECT_FALSE(SystemSearchPath().cache.empty());
}

TEST(Programs, ARealOne) {
  const Program shell = Inspect(FindInPath("sh"), SystemSearchPath());
  EXPECT_EQ(shell.kind, Program::Kind::kDynamic);
  EXPECT_FALSE(shell.hooks || shell.linked || shell.openmp);
  EXPECT_EQ(Inspect("/etc/passwd", SystemSearchPath()).kind, Program::Kind::kNotExecutable);
  EXPECT_EQ(Inspect("/no/such", SystemSearchPath()).kind, Program::Kind::kMissing);
  Elf elf = ReadElf(FindInPath("sh"));
  for (const Library& library : FindLibraries("sh", elf, SystemSearchPath()))
    EXPECT_NE(library.path, "") << library.name;
  EXPECT_TRUE(IsNative(elf));
  elf.needed = {"libc.so"};
  EXPECT_FALSE(IsNative(elf)) << "that is musl: libepk.so needs glibc";
}

}  // namespace
}  // namespace epik::launch
