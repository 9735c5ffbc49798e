// SPDX-License-Identifier: BSD-3-Clause
//
// Commands that start other commands: mpirun, srun, env, numactl … Reads their words to find the program behind their
// options.
#ifndef EPIK_TOOLS_LAUNCH_LAUNCHERS_H_
#define EPIK_TOOLS_LAUNCH_LAUNCHERS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace epik::launch {

using Words = std::vector<std::string>;

// How a launcher hands variables to the programs that it starts.
enum class Passing {
  kInherit,  // by its own environment
  kOpenMpi,  // -x NAME
  kHydra,    // -genv NAME VALUE
};

struct ValuePlace {
  size_t word;   // its index
  size_t begin;  // of the value, in that word
};

// A command `env` in front of a program.
struct EnvWords {
  size_t assignments = 0;  // the index behind its options: NAME=VALUE may stand there
  size_t program = 0;      // the index behind them
  bool clears = false;     // -i: the program gets nothing but the assignments
  bool moves = false;      // -C: the program starts in another folder
  bool splits = false;     // -S: the program may be within a word
  Words unset;             // names, -u NAME
};

struct Launched {
  std::vector<size_t> programs;  // index of each program in the words; several with mpirun … : …
  bool parallel = false;         // behind an MPI launcher
  std::string launcher;          // this launcher, as typed
  Passing passing = Passing::kInherit;
  std::vector<size_t> contexts;     // places at which options for each program may be inserted, ascending
  std::vector<EnvWords> envs;       // ascending
  bool slurm = false;               // behind srun
  std::vector<ValuePlace> exports;  // the lists of `srun --export`
  bool hidden = false;              // the programs are named in a file (--app, -configfile, --multi-prog)
};

// `resolve` follows a command to its real file name: mpirun may be Open MPI's or MPICH's.
using Resolve = std::function<std::string(const std::string& word)>;
Launched FindPrograms(const Words& words, const Resolve& resolve);

// Where the command itself gives that variable to a program: env NAME=…, mpirun -x NAME=…, mpirun.mpich -genv NAME ….
// The word of `mpirun -x NAME` has no value, and is the name alone.
std::vector<ValuePlace> ValuesOf(const std::string& name, const Words& words, const Launched& launched);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_LAUNCHERS_H_
