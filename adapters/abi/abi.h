// SPDX-License-Identifier: BSD-3-Clause
// The core's interface for an adapter in a library of its own (MPI: one for each implementation). libepk.so exports
// these plain C functions. Both sides come from one installation; the version checks that.
#ifndef EPIK_ADAPTERS_ABI_ABI_H_
#define EPIK_ADAPTERS_ABI_ABI_H_

#include <stdint.h>

#include "runtime/abi/process_group.h"
#include "runtime/event/layout.h"

extern "C" {

enum : uint32_t { kEpikAdapterVersion = 15 };
enum : int { kEpikCounts = 1, kEpikTraces = 2, kEpikCollects = 4, kEpikSteps = 8 };
enum : uint32_t { kEpikCommunicator = 8, kEpikWindow = 9 };  // as in event::RecordType

struct EpikCommunicator {
  uint64_t id;      // the same in all of its processes
  uint32_t number;  // in this process
  int32_t rank;
  uint32_t own_runs;  // runs of the own group; those of the remote group follow
  uint32_t remote_runs;
  const epik::event::RankRun* runs;
  const char* name;
};

// A blocking collective call that has returned. It is the current region.
struct EpikCollective {
  uint64_t begun;   // when its records say that it began; 0: when the region was entered
  uint64_t ended;   // when it ended, likewise; 0: now
  uint32_t number;  // of the communicator in this process
  uint32_t sequence;
  int32_t root;  // rank in MPI_COMM_WORLD; negative: no root
  bool gives;    // data to others
  bool gets;     // data of others
  bool of_some;  // of some processes only
};

// A step of messages or of operations that end in another call (event::Step).
struct EpikStep {
  uint64_t channel;  // for an operation: the region that began it
  uint64_t entered;  // 0: when the latest call was entered; for Step::kLeft: bytes
  uint32_t about;    // event::Step and its flags
  uint32_t sequence;
  uint32_t number;  // of an operation's communicator in this process; for Step::kLeft: the receiver
  uint32_t node;    // 0: the node of the latest call
};

// Several values of a metric. `count` is not 0.
struct EpikValues {
  uint64_t count;
  uint64_t sum;
  uint64_t min;
  uint64_t max;
};

// The version of libepk.so.
uint32_t epik_adapter_version(void);

// Defines a function of a paradigm (`number` in config/paradigms.def) at its first call. 0: nothing is measured.
uint32_t epik_adapter_region(uint16_t paradigm, const char* name);

// Enters a region. Returns bits: the event counts (kEpikCounts; only then metrics are added, to the region entered
// last), communication is logged (kEpikTraces), collective calls and steps are noted (kEpikCollects, kEpikSteps; only
// these two while this thread pauses). `stack`: frame of the wrapper. The adapter may note collective calls and steps
// of this call until it exits the region.
int epik_adapter_enter(uint32_t region, const void* stack);
// The last two bits for a function without a region: it notes nothing, but counts operations and messages like other
// functions.
int epik_adapter_noted(void);
void epik_adapter_exit(uint32_t region, const void* stack);
// The adapter keeps a frame of each thread, and returns where. A longjmp or an exception that leaves the frame sets it
// to null. For one adapter.
void epik_adapter_keep_frame(const void** (*frame)(void));
// Exits a region after adding to built-in metrics (runtime/event/metrics.def) of its call path: to one, or to two if
// the second is not 0. The clock is read first.
void epik_adapter_exit_with(uint32_t region, const void* stack, uint32_t metric, uint64_t value, uint32_t second,
                            uint64_t second_value);
// Exits a region that was left at `left`, which epik_adapter_collective or epik_adapter_step has returned. Metric 0: no
// metric.
void epik_adapter_exit_at(uint32_t region, const void* stack, uint64_t left, uint32_t metric, uint64_t value,
                          uint32_t second, uint64_t second_value);

// Adds to a built-in metric of the current call path.
void epik_adapter_add(uint32_t metric, uint64_t value);
// The same for several values at once.
void epik_adapter_add_values(uint32_t metric, const EpikValues* values);
// epik_adapter_place: the current call path, for later reference; 0: nothing is measured here. epik_adapter_busy:
// whether this thread works for the measurement now, so its actions do not belong to the program.
uint64_t epik_adapter_place(void);
int epik_adapter_busy(void);

// Counts a message from the current call path to a rank of MPI_COMM_WORLD, or (negative) to another process. Returns
// the place where it counts; 0: nowhere.
uint64_t epik_adapter_sent(uint64_t bytes, int32_t rank);
// Takes a cancelled message back. Does nothing when another thread has sent it.
void epik_adapter_unsent(uint64_t place, uint64_t bytes, int32_t rank);

// Whether this process may log communication, now or later.
int epik_adapter_may_trace(void);
// Whether communication is logged on this thread now, and a record of it (runtime/event/records.def): its fields in
// order, at the current time and call path. Returns that time in ticks; 0: it was not logged.
int epik_adapter_traces(void);
uint64_t epik_adapter_record(uint32_t kind, const uint64_t* fields);
// The same at a time that an earlier one has returned. 0: when the latest region was entered, if nothing came since;
// else now.
uint64_t epik_adapter_record_at(uint64_t time, uint32_t kind, const uint64_t* fields);
// `records` records of this thread found no room. They are counted as lost events of the trace.
void epik_adapter_lost(uint64_t records);
// Adds a sentence to the report, unless it is there already.
void epik_adapter_note(const char* text);
// REQUIRES: kEpikCounts and kEpikCollects. A call that a filter or a group excludes is not noted. Returns the time at
// which the call ended if the clock was read here and no work came after it: the caller can then exit the region at
// this time, without another read. Else 0.
uint64_t epik_adapter_collective(const EpikCollective* done, const void* stack);
// Notes a call that returns now and is in no trace. Returns the same. `about`: event::AboutCollective.
uint64_t epik_adapter_call_done(uint32_t number, uint32_t sequence, uint32_t about, const void* stack);
// Notes nothing while this thread pauses. If a filter or a group excludes the call, notes only steps that need none of
// its times. Returns for Step::kCall when the call ended, so that the caller exits the region at this time; else 0.
uint64_t epik_adapter_step(const EpikStep* step, const void* stack);
// Whether a standard send to this rank of MPI_COMM_WORLD must be noted with its end (event::kStandardStep).
int epik_adapter_may_need_receive(int32_t rank, uint64_t bytes);
// The time at which the latest call was entered, in ticks, and its node. 0: the call is not measured.
uint64_t epik_adapter_entered(uint32_t* node);
uint64_t epik_adapter_now(void);

// Definitions of the numbers in records.
void epik_adapter_communicator(const EpikCommunicator* communicator);
void epik_adapter_window(uint32_t number, uint32_t communicator, uint64_t id, const char* name);
// The name that the program gives to one of these later.
void epik_adapter_name(uint32_t kind, uint32_t number, const char* name);

// A file, by its path, and a call that read, wrote, synchronized, opened or closed it (event::FileCall).
// epik_adapter_file: 0 when nothing is measured. epik_adapter_file_call: 0 when the number is from before a fork.
uint64_t epik_adapter_file(const char* path);
int epik_adapter_file_call(uint64_t file, uint32_t call, uint64_t bytes, uint64_t ns);

// Defines a Cartesian topology of this process; `id` is the same in all of its processes. To define it again does
// nothing, except that a new name replaces the old one.
void epik_adapter_topology(uint64_t id, const char* name, const epik::event::TopologyDimension* dimensions,
                           uint32_t count);

// The groups of MPI functions that the user selects: one bit each, in the order of config/settings.h.
uint64_t epik_adapter_mpi_groups(void);

// MPI is about to be initialized, in a call that was entered: what has to be done in files is no time of its caller.
void epik_adapter_expect_job(void);
// MPI is up. Collective: all ranks of MPI_COMM_WORLD call it before any of them sends. Returns whether any of them is
// measured, the same answer on all ranks.
int epik_adapter_join(const EpikProcessGroup* group);
// Whether clocks are measured again (EPK_CLOCK_SYNC): the same answer on all ranks, once they have joined. Then each
// rank reports each barrier of MPI_COMM_WORLD that it has left; at some of them, the same ones on all ranks, messages
// are exchanged. `stack`: frame of the wrapper.
int epik_adapter_clocks_drift(void);
void epik_adapter_barrier(const EpikProcessGroup* group, const void* stack);
// MPI_Finalize was called and MPI still works. Collective: writes the archive and ends the measurement.
void epik_adapter_finalize(const EpikProcessGroup* group);
// This process is about to abort its job.
void epik_adapter_abort(int code);
}

#endif  // EPIK_ADAPTERS_ABI_ABI_H_
