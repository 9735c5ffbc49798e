// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tools/instrument/filter.h"

namespace epik::instrument {
namespace {

// In the tables below C, X and F stand for the options that are added to compile C, C++ and Fortran with gcc, K for
// those with clang, D for -g1 (E: with the option that clang needs besides), P for the plugin and its list of
// exclusions (Q: in Fortran, without the list), L for the library and R for its folder.
std::string Shorten(std::string text) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {" -finstrument-functions -finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc/12/include", " C"},
      {" -fplugin=/epik/lib/libepk_gcc12.so -fplugin-arg-libepk_gcc12-leave-out=/usr/include,/usr/lib/gcc/12/include",
       " P"},
      {" -fplugin=/epik/lib/libepk_gcc12.so", " Q"},
      {" -finstrument-functions-after-inlining", " K"},
      {" -finstrument-functions", " F"},
      {" -g1 -fdebug-info-for-profiling", " E"},
      {" -g1", " D"},
      {" -Wl,--wrap=__cyg_profile_func_enter,--wrap=__cyg_profile_func_exit", ""},  // of libraries: see below
      {" -Wl,--push-state,-Bdynamic,--no-as-needed -lepk -Wl,--pop-state", " L"},
      {" -L/epik/lib -Wl,-rpath,/epik/lib", " R"}};
  for (const auto& [from, to] : names) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
      text.replace(at, from.size(), to);
  }
  return text;
}

struct Machine {
  std::map<std::string, std::string> files;
  Options options;
  bool adapters = false;
  bool library = true;
  bool plugin = false;  // is there
  bool clang_plugin = false;
  bool takes_plugin = true;  // and fits

  Machine() {
    options.library_dirs = {"/epik/lib"};
    options.include_dir = "/epik/include";
  }

  Environment MakeEnvironment() const {
    Environment environment;
    environment.probe = [](const Words& compiler, const CommandLine& line) {
      CompilerFacts facts;
      facts.family = line.name.family;
      if (compiler[0] == "cc" || line.name.mpi) facts.family = Family::kGnu;
      if (line.name.mpi) facts.mpi = EndsWith(compiler[0], ".mpich") ? Mpi::kMpich : Mpi::kOpenMpi;
      facts.major = facts.family == Family::kGnu ? 12 : 14;
      facts.system_dirs = {"/usr/include/c++/12", "/usr/lib/gcc/12/include", "/usr/include"};
      return facts;
    };
    environment.read_file = [this](const std::string& path) -> std::optional<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return std::nullopt;
      return found->second;
    };
    environment.takes_plugin = [this](const Words&, const CommandLine&, const Words&) { return takes_plugin; };
    environment.exists = [this](const std::string& path) {
      if (path == "/epik/lib/libepk_gcc12.so") return plugin;
      if (path == "/epik/lib/libepk_clang14.so") return clang_plugin;
      return path == "/epik/lib/libepk.so" ? library : adapters;
    };
    environment.canonical = [](const std::string& path) -> std::string {
      if (path == "/opt/ompi/lib/libmpi.so") return "/opt/ompi/lib/libmpi.so.40.30.4";
      if (path == "/opt/mpich/lib/libmpi.so") return "/opt/mpich/lib/libmpi.so.12.2.1";
      return "";
    };
    environment.current_dir = "/home/me/code/build";
    return environment;
  }

  Plan Make(const std::string& command) const { return MakePlan(SplitWords(command), options, MakeEnvironment()); }
  std::string Text(const std::string& command) const { return Shorten(ShellQuote(Make(command).command)); }
};

struct Case {
  const char* given;
  const char* planned;  // null: unchanged
};

void Check(const Machine& machine, std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(machine.Text(c.given), c.planned == nullptr ? ShellQuote(SplitWords(c.given)) : c.planned) << c.given;
  }
}

TEST(Plan, CompilesAndLinks) {
  Check(Machine(),
        {
            {"gcc -O2 a.c -o a", "gcc C D -O2 a.c -o a L R"},
            {"gcc -c a.c", "gcc C D -c a.c"},
            {"gcc -S a.c", "gcc C D -S a.c"},
            {"gcc -g -c a.c", "gcc C -g -c a.c"},
            {"gcc -g0 -c a.c", "gcc C -g0 -c a.c"},
            {"gcc -ggdb3 -c a.c", "gcc C -ggdb3 -c a.c"},
            {"gcc -grecord-gcc-switches -c a.c", "gcc C D -grecord-gcc-switches -c a.c"},
            {"gcc -MD -MF a.d -c a.c -o a.o", "gcc C D -MD -MF a.d -c a.c -o a.o"},
            {"gcc a.o b.o -o a", "gcc a.o b.o -o a L R"},
            {"gcc a.o -o a -lm", "gcc a.o -o a L -lm R"},
            {"gcc a.o -l m", "gcc a.o L -l m R"},
            {"gcc a.o /x/libgomp.so.1 b.o", "gcc a.o L /x/libgomp.so.1 b.o R"},
            {"gcc -L/x -Wl,-rpath,/x a.o libz.a", "gcc -L/x -Wl,-rpath,/x a.o L libz.a R"},
            {"gcc a.o -Wl,--start-group x.a -Wl,--end-group", "gcc a.o L -Wl,--start-group x.a -Wl,--end-group R"},
            {"gcc -v a.c", "gcc C D -v a.c L R"},
            {"gcc -flto -O2 a.o -o a", "gcc -flto -O2 a.o -o a L R"},
            {"gcc -shared -fPIC a.c -o liba.so", "gcc C D -shared -fPIC a.c -o liba.so L R"},
            {"gcc -shared a.o -o liba.so -lm", "gcc -shared a.o -o liba.so L -lm R"},
            {"gcc -r a.o b.o -o c.o", nullptr},
            {"gcc -Wl,-r a.o b.o -o c.o", nullptr},
            {"gcc -Xlinker -r a.o -o c.o", nullptr},
            {"gcc -r a.c -o c.o", "gcc C D -r a.c -o c.o"},
            {"g++ -shared -nostdlib crti.o a.o -lstdc++ -lc", nullptr},
            {"gcc -nostdlib start.o -o boot", nullptr},
            {"gcc -nostdlib crt1.o a.o -lc -o a", "gcc -nostdlib crt1.o a.o L -lc -o a R"},
            {"gcc -ffreestanding -c kernel.c", nullptr},
        });
}

// Options of the linker take their values from the linker's next word, whichever word of the compiler holds it. Nothing
// may be put in between.
TEST(Plan, LinksOfOneWord) {
  EXPECT_EQ(CompilerOfLink("epk-gcc"), "gcc");
  EXPECT_EQ(CompilerOfLink("/opt/epik/bin/epk-mpicc.mpich"), "mpicc.mpich");
  EXPECT_EQ(CompilerOfLink("epk-x86_64-linux-gnu-g++-12"), "x86_64-linux-gnu-g++-12");
  EXPECT_EQ(CompilerOfLink("epk-clang++-14"), "clang++-14");
  for (const char* other : {"epk", "epk-", "epk-run", "gcc", "my-epk-gcc", "epk-gcc/epk"}) {
    EXPECT_EQ(CompilerOfLink(other), "") << other;
  }
}

TEST(Plan, LinkerWords) {
  Check(Machine(),
        {
            {"gcc -shared l.o -Wl,-soname -Wl,libhi.so.0 -o l.so",
             "gcc -shared l.o -Wl,-soname -Wl,libhi.so.0 -o l.so L R"},
            {"gcc -shared l.o -Wl,-soname,libhi.so.0 -o l.so", "gcc -shared l.o -Wl,-soname,libhi.so.0 -o l.so L R"},
            {"gcc -shared l.o -Wl,-h -Wl,libhi.so.0 -lm", "gcc -shared l.o -Wl,-h -Wl,libhi.so.0 L -lm R"},
            {"gcc -shared l.o -Wl,--soname=libhi.so.0 -lm", "gcc -shared l.o -Wl,--soname=libhi.so.0 L -lm R"},
            {"gcc a.o -Wl,-rpath -Wl,/x/a.so.d -lm", "gcc a.o -Wl,-rpath -Wl,/x/a.so.d L -lm R"},
            {"gcc a.o -Wl,-rpath-link -Wl,/x.so -lm", "gcc a.o -Wl,-rpath-link -Wl,/x.so L -lm R"},
            {"gcc a.o -Wl,-dynamic-linker -Wl,/lib64/ld.so.2 -lm",
             "gcc a.o -Wl,-dynamic-linker -Wl,/lib64/ld.so.2 L -lm R"},
            {"gcc a.o -Wl,-dynamic-linker,/lib64/ld.so.2 -lm", "gcc a.o -Wl,-dynamic-linker,/lib64/ld.so.2 L -lm R"},
            {"gcc a.o -Xlinker -soname -Xlinker b.so -lm", "gcc a.o -Xlinker -soname -Xlinker b.so L -lm R"},
            {"gcc a.o -Wl,-soname -Xlinker b.so -lm", "gcc a.o -Wl,-soname -Xlinker b.so L -lm R"},
            {"gcc a.o -Xlinker -lm", "gcc a.o L -Xlinker -lm R"},
            // A value and a library in one word: in front of the option.
            {"gcc a.o -Wl,-soname -Wl,b.so,-lm", "gcc a.o L -Wl,-soname -Wl,b.so,-lm R"},
            {"gcc a.o -Wl,-z,now,-lm", "gcc a.o L -Wl,-z,now,-lm R"},
            {"gcc a.o -Wl,-l -Wl,m", "gcc a.o L -Wl,-l -Wl,m R"},
            {"gcc a.o -Wl,--version-script,libhi.so.map b.a", "gcc a.o -Wl,--version-script,libhi.so.map L b.a R"},
            {"gcc a.o -Wl,-Bstatic -lz -Wl,-Bdynamic", "gcc a.o L -Wl,-Bstatic -lz -Wl,-Bdynamic R"},
            {"gcc a.o -Wl,--as-needed,-lz", "gcc a.o L -Wl,--as-needed,-lz R"},
            {"gcc a.o -Wl,--exclude-libs,ALL -Wl,-Map,a.so", "gcc a.o -Wl,--exclude-libs,ALL -Wl,-Map,a.so L R"},
            {"gcc a.o -Wl,-soname", "gcc a.o -Wl,-soname L R"},  // the linker will complain
            {"gcc a.o -z now -u main.so -lm", "gcc a.o -z now -u main.so L -lm R"},
        });
}

TEST(Plan, LanguagesAndCompilers) {
  Check(Machine(), {
                       {"g++ -c a.cc", "g++ C D -c a.cc"},
                       {"gfortran -c a.f90", "gfortran F D -c a.f90"},
                       {"gfortran A.F -o a", "gfortran F D A.F -o a L R"},
                       {"gfortran -J mods -c a.f90", "gfortran F D -J mods -c a.f90"},
                       {"clang -c a.c", "clang K E -c a.c"},
                       {"clang++-14 a.cpp", "clang++-14 K E a.cpp L R"},
                       {"clang -c -- a.c", "clang K E -c -- a.c"},
                       {"clang -o a -- a.o", "clang -o a L R -- a.o"},
                       {"cc -c a.c", "cc C D -c a.c"},
                       {"gcc-12 -c a.c", "gcc-12 C D -c a.c"},
                       {"/opt/x/bin/gcc -c a.c", "/opt/x/bin/gcc C D -c a.c"},
                       {"x86_64-linux-gnu-gcc -c a.c", "x86_64-linux-gnu-gcc C D -c a.c"},
                       {"aarch64-linux-gnu-g++-12 -c a.cc", "aarch64-linux-gnu-g++-12 C D -c a.cc"},
                       {"ccache gcc -c a.c", "ccache gcc C D -c a.c"},
                       {"ccache distcc gcc-12 -c a.c", "ccache distcc gcc-12 C D -c a.c"},
                       {"ccache --version", nullptr},
                       {"mpicc -c a.c", "mpicc C D -c a.c"},
                       {"mpicxx.mpich a.cc -o a", "mpicxx.mpich C D a.cc -o a L R"},
                       {"mpif90 -c a.f90", "mpif90 F D -c a.f90"},
                       {"mpifort.openmpi a.o -o a", "mpifort.openmpi a.o -o a L R"},
                       {"gcc -c -x c input", "gcc C D -c -x c input"},
                       {"gcc -c -xc -", "gcc C D -c -xc -"},
                       {"gcc -x c a.txt -x none b.o", "gcc C D -x c a.txt -x none b.o L R"},
                       {"gcc -c a.s", nullptr},
                       {"gcc -c a.S", nullptr},
                       {"gcc -x assembler-with-cpp -c a.c", nullptr},
                       {"gcc a.s b.c", "gcc C D a.s b.c L R"},
                       {"clang -c -x cuda a.cu", nullptr},
                       {"g++ -x c++-header all.h -o all.h.gch", "g++ C D -x c++-header all.h -o all.h.gch"},
                       {"g++ all.hpp", "g++ C D all.hpp"},
                       {"unknowncc -c a.c", nullptr},
                       {"unknowncc a.o", "unknowncc a.o L R"},
                   });
}

TEST(Plan, QuestionsPassThrough) {
  Check(Machine(), {
                       {"gcc --version", nullptr},
                       {"gcc -v", nullptr},
                       {"gcc -dumpversion", nullptr},
                       {"gcc -dumpmachine", nullptr},
                       {"gcc -print-prog-name=ld", nullptr},
                       {"gcc -print-search-dirs", nullptr},
                       {"gcc --print-file-name=libgomp.so", nullptr},
                       {"gcc --help=optimizers -Q", nullptr},
                       {"gcc -E a.c", nullptr},
                       {"gcc -E -dM -", nullptr},
                       {"gcc -M a.c", nullptr},
                       {"gcc -MM -MF x.d a.c", nullptr},
                       {"gcc -fsyntax-only a.c", nullptr},
                       {"gcc -### a.c", nullptr},
                       {"gcc -Wl,--version", nullptr},
                       {"mpicc -show", nullptr},
                       {"mpicc --showme:compile", nullptr},
                       {"mpicc -compile_info", nullptr},
                       {"gcc", nullptr},
                   });
}

TEST(Plan, ConfigureProbesPassThrough) {
  Check(Machine(), {
                       {"gcc -Werror -c conftest.c", nullptr},
                       {"gcc -o conftest conftest.c -lm", nullptr},
                       {"g++ -c conftest1.cpp", nullptr},
                       {"gcc -c -o CMakeFiles/cmTC_12.dir/x.c.o /b/CMakeFiles/CMakeScratch/TryCompile-a/x.c", nullptr},
                       {"gcc CMakeFiles/cmTC_12.dir/x.c.o -o cmTC_12", nullptr},
                       {"gcc CMakeCCompilerId.c", nullptr},
                       {"gcc /b/meson-private/sanitycheckc.c -o /b/meson-private/sanitycheckc.exe", nullptr},
                       {"gcc -Werror -fwrapv -c -x c /dev/null -o /dev/null", nullptr},
                       {"gcc -c confuse.c", "gcc C D -c confuse.c"},
                   });
}

TEST(Plan, Options) {
  Machine machine;
  machine.options.user_api = true;
  Check(machine, {{"gcc -c a.c", "gcc -DEPIK -I/epik/include C D -c a.c"},
                  {"gcc -c conftest.c", "gcc -DEPIK -I/epik/include -c conftest.c"}});
  machine.options.compiler_hooks = false;
  Check(machine, {{"gcc a.c", "gcc -DEPIK -I/epik/include a.c L R"}});
  machine.options.user_api = false;
  Check(machine, {{"gcc -c a.c", nullptr}, {"gcc a.o", "gcc a.o L R"}});
  machine.options.off = true;
  Check(machine, {{"gcc a.c", nullptr}});
}

TEST(Plan, PluginWhereGccTakesIt) {
  Machine machine;
  machine.plugin = true;
  Check(machine, {{"gcc -O2 a.c -o a", "gcc P D -O2 a.c -o a L R"},
                  {"g++-12 -c a.cc", "g++-12 P D -c a.cc"},
                  {"gfortran -c a.f90", "gfortran Q D -c a.f90"},
                  {"mpicc -c a.c", "mpicc P D -c a.c"},
                  {"ccache gcc -c a.c", "ccache gcc P D -c a.c"},
                  {"clang -c a.c", "clang K E -c a.c"},
                  {"clang a.o", "clang a.o L R"},
                  // Functions may be compiled then.
                  {"gcc -flto a.o -o a", "gcc P -flto a.o -o a L R"},
                  {"gcc a.o", "gcc P a.o L R"},
                  {"gcc -r a.o -o b.o", "gcc P -r a.o -o b.o"},
                  {"gcc -E a.c", nullptr},
                  {"gcc -M a.c", nullptr},
                  {"gcc -S a.c", "gcc P D -S a.c"},
                  {"gcc -o conftest conftest.c", nullptr},
                  {"gcc -c a.s", nullptr},
                  {"gcc -ffreestanding -c a.c", nullptr}});
  EXPECT_TRUE(machine.Make("gcc -c a.c").details.empty());
  EXPECT_EQ(machine.Make("gcc -finstrument-functions -c a.c").command[1].rfind("-finstrument-functions-exclude", 0),
            0u);
  machine.options.all_calls = true;
  Check(machine, {{"gcc -c a.c", "gcc F D -c a.c"}, {"gcc a.o", "gcc a.o L R"}});
  machine.options.all_calls = false;
  machine.takes_plugin = false;
  Check(machine, {{"gcc -c a.c", "gcc C D -c a.c"}, {"gcc a.o", "gcc a.o L R"}});
  EXPECT_NE(machine.Make("gcc -c a.c").details.at(0).find("another build of gcc 12"), std::string::npos);
  machine.plugin = false;
  EXPECT_NE(machine.Make("gcc -c a.c").details.at(0).find("no libepk_gcc12.so"), std::string::npos);
  EXPECT_TRUE(machine.Make("gcc -c a.c").notes.empty());
}

TEST(Plan, PluginWhereClangTakesIt) {
  Machine machine;
  machine.clang_plugin = true;
  const std::string load =
      "clang K -Xclang -load -Xclang /epik/lib/libepk_clang14.so -fpass-plugin=/epik/lib/libepk_clang14.so ";
  const std::string leave_out = load + "-mllvm -epk-leave-out=/usr/include,/usr/lib/gcc/12/include ";
  EXPECT_EQ(machine.Text("clang -c a.c"), leave_out + "E -c a.c");
  EXPECT_EQ(machine.Text("clang -c -flto a.c"), leave_out + "-mllvm -epk-select-only E -c -flto a.c");
  EXPECT_EQ(machine.Text("clang -flto -fno-lto -c a.c"), leave_out + "E -flto -fno-lto -c a.c");
  // clang's assembler knows no such options.
  EXPECT_EQ(machine.Text("clang -c a.c b.s"), "clang K E -c a.c b.s");
  EXPECT_EQ(machine.Text("clang a.o"), "clang a.o L R");
  machine.options.filter = "f";
  machine.files["f"] = "EXCLUDE *\nINCLUDE a*b\n";
  EXPECT_NE(machine.Text("clang -c a.c").find(" -mllvm -epk-filter=/home/me/code/build/f -mllvm -epk-filter-is="),
            std::string::npos);
  EXPECT_TRUE(machine.Make("clang -c a.c").notes.empty());
  machine.takes_plugin = false;
  EXPECT_EQ(machine.Text("clang -c a.c"), "clang K E -c a.c");
  EXPECT_NE(machine.Make("clang -c a.c").notes.at(0).find("clang cannot leave out"), std::string::npos);
  EXPECT_NE(machine.Make("clang -c a.c").details.at(0).find("another build of clang 14"), std::string::npos);
}

TEST(Plan, PluginTakesTheFilterAsItIs) {
  Machine machine;
  machine.plugin = true;
  machine.options.filter = "f";
  machine.files["f"] = "EXCLUDE *\nINCLUDE a*b\n";
  const Plan plan = machine.Make("gcc -c a.c");
  EXPECT_EQ(plan.command[3], "-fplugin-arg-libepk_gcc12-filter=/home/me/code/build/f");
  EXPECT_TRUE(plan.notes.empty());
  // Another text has another command, for ccache.
  machine.files["f"] = "EXCLUDE *\nINCLUDE a*c\n";
  EXPECT_NE(machine.Make("gcc -c a.c").command[4], plan.command[4]);
  EXPECT_EQ(machine.Make("gcc -c a.c").command[3], plan.command[3]);
  machine.files["f"] = "EXCLUDE *\nINCLUDE OBJECT libx.so\n";
  EXPECT_EQ(Shorten(ShellQuote(machine.Make("gcc -c a.c").command)), "gcc P D -c a.c");
  EXPECT_NE(machine.Make("gcc -c a.c").notes.at(0).find("INCLUDE OBJECT libx.so"), std::string::npos);
  machine.files["f"] = "EXCLUDE *\nEXCLUDE OBJECT libx.so\n";
  EXPECT_EQ(machine.Make("gcc -c a.c").command.size(), plan.command.size());
  EXPECT_EQ(machine.Make("gcc -c a.c").notes.size(), 1u);
}

TEST(Plan, AsynchronousCancellationEndsProgramsOfGxx) {
  Machine machine;
  machine.files["a.cc"] = "pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);";
  machine.files["b.cc"] = "pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);";
  const Plan plan = machine.Make("g++ -c a.cc b.cc c.cc");
  ASSERT_EQ(plan.notes.size(), 1u);
  EXPECT_EQ(plan.notes[0].find("a.cc: g++ ends a program"), 0u);
  EXPECT_TRUE(machine.Make("clang++ -c a.cc").notes.empty());
  machine.options.compiler_hooks = false;
  EXPECT_TRUE(machine.Make("g++ -c a.cc").notes.empty());
}

TEST(Plan, AllCallsLeavesNothingOut) {
  Machine machine;
  machine.options.all_calls = true;
  Check(machine, {{"gcc -c a.c", "gcc F D -c a.c"}, {"clang -c a.c", "clang F E -c a.c"}});
}

TEST(Plan, TheUsersHooksStand) {
  EXPECT_EQ(Machine().Make("clang -finstrument-functions -c a.c").command,
            SplitWords("clang -g1 -fdebug-info-for-profiling -finstrument-functions -c a.c"));
  EXPECT_EQ(Machine().Make("gcc -finstrument-functions -c a.c").command,
            SplitWords("gcc -finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc/12/include -g1 "
                       "-finstrument-functions -c a.c"));
}

TEST(Plan, ResponseFilesAreReadAndKept) {
  Machine machine;
  machine.files["one"] = "-O2 'a b.c' @two";
  machine.files["two"] = "-c\n-o \"x y.o\"";
  machine.files["libs"] = "a.o -lm";
  machine.files["loop"] = "@loop";
  Check(machine, {{"gcc @one", "gcc C D @one"},
                  {"gcc a.c @two", "gcc C D a.c @two"},
                  {"gcc main.o @libs", "gcc main.o L @libs R"},
                  {"gcc @absent", "gcc @absent L R"},
                  {"gcc @loop -c a.c", "gcc C D @loop -c a.c"}});
}

TEST(Plan, StaticIsLinkedPlainAndSaid) {
  const Plan plan = Machine().Make("gcc -static a.o -o a");
  EXPECT_FALSE(plan.changed());
  ASSERT_EQ(plan.notes.size(), 1u);
  EXPECT_NE(plan.notes[0].find("static"), std::string::npos);
}

TEST(Plan, AnotherLibcIsLeftAlone) {
  for (const std::string command : {"musl-gcc -O2 a.c -o a", "/opt/bin/x86_64-linux-musl-gcc a.o -o a"}) {
    const Plan plan = Machine().Make(command);
    EXPECT_FALSE(plan.changed()) << command;
    ASSERT_EQ(plan.notes.size(), 1u) << command;
    EXPECT_NE(plan.notes[0].find("glibc"), std::string::npos);
  }
}

TEST(Plan, MissingLibraryIsSaid) {
  Machine machine;
  machine.library = false;
  const Plan plan = machine.Make("gcc a.o");
  EXPECT_FALSE(plan.changed());
  EXPECT_EQ(plan.notes.size(), 1u);
}

TEST(Plan, MpiAdapterIsLinkedWhenThere) {
  Machine machine;
  machine.adapters = true;
  const auto has = [&](const char* command, const char* word) {
    const Words words = machine.Make(command).command;
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  EXPECT_TRUE(has("mpicc a.o", "-lepk_mpi_openmpi"));
  EXPECT_TRUE(has("mpicc.mpich a.o", "-lepk_mpi_mpich"));
  EXPECT_TRUE(has("gcc a.o /usr/lib/openmpi/lib/libmpi.so", "-lepk_mpi_openmpi"));
  EXPECT_TRUE(has("gcc a.o -lmpich", "-lepk_mpi_mpich"));
  EXPECT_FALSE(has("gcc a.o -lmpi", "-lepk_mpi_openmpi"));  // the library may belong to any MPI
  // Open MPI's and MPICH's wrappers call these when OMPI_CC or MPICH_CC is `epk instrument gcc`.
  EXPECT_TRUE(has("gcc a.o -L/opt/ompi/lib -lmpi", "-lepk_mpi_openmpi"));
  EXPECT_TRUE(has("gcc a.o -L/opt/mpich/lib -lmpi", "-lepk_mpi_mpich"));
  EXPECT_TRUE(has("gcc a.o -Wl,-L,/opt/mpich/lib,-lmpi", "-lepk_mpi_mpich"));
  EXPECT_TRUE(has("gcc a.o -l:libmpi.so.12", "-lepk_mpi_mpich"));
  EXPECT_TRUE(has("gcc a.o -l:libmpi.so.40", "-lepk_mpi_openmpi"));
  // The value of an option may look like a library of MPI without being one.
  EXPECT_TRUE(has("gcc -shared a.o", "-Wl,--wrap=__cyg_profile_func_enter,--wrap=__cyg_profile_func_exit"));
  EXPECT_FALSE(has("gcc a.o", "-Wl,--wrap=__cyg_profile_func_enter,--wrap=__cyg_profile_func_exit"));
  EXPECT_FALSE(has("gcc -shared a.o -Wl,-soname -Wl,libmpi.so.40", "-lepk_mpi_openmpi"));
  EXPECT_FALSE(has("gcc a.o", "-lepk_mpi_mpich"));
}

TEST(Plan, UserSystemFoldersAreLeftOutUnlessTheyHoldTheProgram) {
  const auto list = [](const char* command) { return Machine().Make(command).command[2]; };
  EXPECT_EQ(list("g++ -isystem /opt/eigen -c a.cc"),
            "-finstrument-functions-exclude-file-list=/opt/eigen,/usr/include,/usr/lib/gcc/12/include");
  const std::string usual = "-finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc/12/include";
  EXPECT_EQ(list("g++ -isystem /home/me/code -c a.cc"), usual);
  EXPECT_EQ(list("g++ -isystem ../include -c a.cc"), usual);
  EXPECT_EQ(list("g++ -c /usr/include/generated.cc"),
            "-finstrument-functions-exclude-file-list=/usr/include/c++/12,/usr/lib/gcc/12/include");
}

TEST(Plan, FilterBecomesExcludeLists) {
  Machine machine;
  machine.options.filter = "f";
  machine.files["f"] = "*tiny*  # hot\nvector<int, alloc>::size\nsrc/util.h\na*b\n";
  const Plan plan = machine.Make("g++ -c a.cc");
  EXPECT_EQ(plan.command[2],
            "-finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc/12/include,src/util.h");
  EXPECT_EQ(plan.command[3], "-finstrument-functions-exclude-function-list=tiny,vector<int\\, alloc>::size");
  ASSERT_EQ(plan.notes.size(), 1u);
  EXPECT_NE(plan.notes[0].find("a*b"), std::string::npos);
  EXPECT_EQ(machine.Make("clang -c a.c").notes.size(), 1u);
  machine.options.filter = "absent";
  EXPECT_EQ(machine.Make("gcc -c a.c").notes.size(), 1u);
}

TEST(Plan, WrongUseIsSaid) {
  EXPECT_NE(Machine().Make("make -j4").error.find("CC="), std::string::npos);
  EXPECT_NE(Machine().Make("./configure").error.find("CC="), std::string::npos);
  EXPECT_FALSE(Machine().Make("").error.empty());
  EXPECT_FALSE(Machine().Make("-O2 gcc a.c").error.empty());
}

TEST(Plan, PrintedFlagsAreForAMakefile) {
  Machine machine;
  machine.options.print_flags = "compile";
  EXPECT_EQ(Shorten(" " + PrintedFlags({"g++"}, machine.options, machine.MakeEnvironment())), " C D");
  machine.plugin = true;
  EXPECT_EQ(Shorten(" " + PrintedFlags({"g++"}, machine.options, machine.MakeEnvironment())), " P D");
  machine.options.print_flags = "link";
  EXPECT_EQ(Shorten(" " + PrintedFlags({"g++"}, machine.options, machine.MakeEnvironment())), " P R L");
  machine.plugin = false;
  EXPECT_EQ(PrintedFlags({}, machine.options, machine.MakeEnvironment()),
            "-L/epik/lib -Wl,-rpath,/epik/lib -Wl,--push-state,-Bdynamic,--no-as-needed -lepk -Wl,--pop-state");
}

TEST(Words, SplitAndQuote) {
  EXPECT_EQ(SplitWords("a 'b c' \"d'e\" f\\ g '' h\\\\"), (Words{"a", "b c", "d'e", "f g", "", "h\\"}));
  EXPECT_EQ(ShellQuote(Words{"a", "b c", "it's", ""}), "a 'b c' 'it'\\''s' ''");
}

TEST(Compiler, VerboseOutput) {
  const CompilerFacts facts = ParseVerboseOutput(
      "gcc version 12.2.0\n#include \"...\" search starts here:\n#include <...> search starts here:\n /usr/include\n"
      " /opt/../opt/inc\nEnd of search list.\n /no\n");
  EXPECT_EQ(facts.family, Family::kGnu);
  EXPECT_EQ(facts.major, 12);
  EXPECT_EQ(facts.system_dirs, (Words{"/usr/include", "/opt/../opt/inc"}));
  EXPECT_EQ(ParseVerboseOutput("Debian clang version 14.0.6\n").family, Family::kClang);
  EXPECT_EQ(ParseVerboseOutput("Debian clang version 14.0.6\n").major, 14);
  EXPECT_EQ(NormalizePath("/usr/bin/../lib/gcc/./x/../y"), "/usr/lib/gcc/y");
}

TEST(Filter, NamesAsGccSeesThem) {
  const Filter filter = ParseFilter(
      "int ns::two<int, double>(int, double)\nvec<int (*)(int)>::at() const\n*kernel\nF::operator()(int)\nab\n*\nx?y\n"
      "solver.f90\n/usr/local/\n");
  EXPECT_EQ(filter.functions, (Words{"ns::two<int, double>", "vec<int (*)(int)>::at", "kernel", "F::operator()"}));
  EXPECT_EQ(filter.files, (Words{"solver.f90", "/usr/local/"}));
  EXPECT_EQ(filter.inexpressible, (Words{"EXCLUDE REGION ab", "EXCLUDE REGION *", "EXCLUDE REGION x?y"}));
}

TEST(Filter, RulesThatGccHasNoWordsForAreLeftToTheRun) {
  const Filter filter = ParseFilter(
      "EXCLUDE early\nINCLUDE main\nEXCLUDE REGION vec<char\\*>::at\nEXCLUDE FILE gen/*\nEXCLUDE MANGLED _Zfoo\n"
      "EXCLUDE regex:^get\nEXCLUDE GROUP mpi\nEXCLUDE GROUP colour\n"
      "BEGIN_EXCLUDE_LIST\nvoid quicksort(int *, int, int)\nEND_EXCLUDE_LIST\n");
  EXPECT_EQ(filter.functions, (Words{"vec<char*>::at", "quicksort"}));
  EXPECT_EQ(filter.files, (Words{"gen/"}));
  EXPECT_EQ(filter.inexpressible,
            (Words{"EXCLUDE REGION early", "EXCLUDE MANGLED _Zfoo", "EXCLUDE REGION regex:^get", "EXCLUDE GROUP mpi"}));
  ASSERT_EQ(filter.problems.size(), 1u);
  EXPECT_EQ(filter.problems[0].rfind(":8:15: ", 0), 0u);
}

TEST(Options, FromTheEnvironment) {
  Options options;
  EXPECT_EQ(ApplyEnvironment("off", "--user --filter 'a b'", options), "");
  EXPECT_TRUE(options.off);
  EXPECT_TRUE(options.user_api);
  EXPECT_EQ(options.filter, "a b");
  EXPECT_NE(ApplyEnvironment("maybe", nullptr, options), "");
  EXPECT_NE(ApplyEnvironment(nullptr, "--wrong", options), "");
}

}  // namespace
}  // namespace epik::instrument
