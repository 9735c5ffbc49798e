// SPDX-License-Identifier: BSD-3-Clause
#include "archive/image/program_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace epik::archive {
namespace {

using Words = std::vector<std::string>;

std::string Python(Words words) {
  words.insert(words.begin(), "python3");
  return ProgramName("/usr/bin/python3.11", words);
}

TEST(ProgramName, IsThatOfTheFile) {
  EXPECT_EQ(ProgramName("/home/u/solver", {"./solver", "input.py"}), "solver");
  EXPECT_EQ(ProgramName("solver", {}), "solver");
  EXPECT_EQ(ProgramName("/usr/bin/pythonic", {"pythonic", "a.py"}), "pythonic");
  EXPECT_EQ(ProgramName("", {"a"}), "");
  EXPECT_EQ(ProgramName("/", {"a"}), "");
}

TEST(ProgramName, OfAnInterpreterIsThatOfTheScript) {
  EXPECT_EQ(Python({"solver.py", "-m", "x"}), "solver.py");
  EXPECT_EQ(Python({"../a b/my solver.py"}), "my solver.py");
  EXPECT_EQ(Python({"/usr/bin/pytest", "test"}), "pytest");
  EXPECT_EQ(Python({"package/"}), "package");
  EXPECT_EQ(Python({"-u", "-Wignore", "-W", "error", "-X", "dev", "-OO", "solver.py", "-c", "x"}), "solver.py");
  EXPECT_EQ(Python({"--check-hash-based-pycs", "always", "solver.py"}), "solver.py");
  EXPECT_EQ(Python({"--", "-odd.py"}), "-odd.py");
  EXPECT_EQ(ProgramName("/opt/pypy3.9/bin/pypy3.9", {"pypy3", "solver.py"}), "solver.py");
}

TEST(ProgramName, OfAModuleIsTheModule) {
  EXPECT_EQ(Python({"-m", "package.solver", "x.py"}), "package.solver");
  EXPECT_EQ(Python({"-um", "solver"}), "solver");
  EXPECT_EQ(Python({"-msolver"}), "solver");
  EXPECT_EQ(Python({"-m", "mpi4py", "solver.py"}), "solver.py");
  EXPECT_EQ(Python({"-m", "mpi4py.futures", "-m", "solver"}), "solver");
}

TEST(ProgramName, OfCodeIsTheInterpreter) {
  for (const Words& words : std::vector<Words>{{},
                                               {"-"},
                                               {"-c", "import solver", "x.py"},
                                               {"-uc", "import solver"},
                                               {"-m"},
                                               {"-X"},
                                               {"--"},
                                               {"."},
                                               {".."},
                                               {"/"},
                                               {""}}) {
    EXPECT_EQ(Python(words), "python3.11");
  }
}

TEST(ProgramName, KnowsOtherInterpreters) {
  EXPECT_EQ(ProgramName("/usr/bin/perl", {"perl", "-w", "-I", "lib", "-MFile::Spec=x", "-i.bak", "a.pl"}), "a.pl");
  EXPECT_EQ(ProgramName("/usr/bin/perl5.36.0", {"perl", "-lane", "print", "data"}), "perl5.36.0");
  EXPECT_EQ(ProgramName("/usr/bin/ruby3.1", {"ruby", "-r", "json", "-W0", "a.rb"}), "a.rb");
  EXPECT_EQ(ProgramName("/usr/bin/lua5.4", {"lua", "-e", "x=1", "a.lua"}), "a.lua");
  EXPECT_EQ(ProgramName("/usr/bin/julia", {"julia", "--project=.", "-t", "4", "-O3", "--load", "b.jl", "a.jl"}),
            "a.jl");
  EXPECT_EQ(ProgramName("/usr/bin/julia", {"julia", "-e", "f()", "a.jl"}), "julia");
  EXPECT_EQ(ProgramName("/usr/lib/R/bin/exec/R", {"R", "--no-echo", "--no-restore", "--file=a/b.R", "--args", "x"}),
            "b.R");
  EXPECT_EQ(ProgramName("/usr/lib/R/bin/exec/R", {"R", "--args", "x"}), "R");
  EXPECT_EQ(ProgramName("/usr/bin/octave-cli-7.3.0", {"octave-cli", "--eval", "f", "a.m"}), "octave-cli-7.3.0");
  EXPECT_EQ(ProgramName("/usr/bin/octave-cli-7.3.0", {"octave-cli", "a.m"}), "a.m");
}

}  // namespace
}  // namespace epik::archive
