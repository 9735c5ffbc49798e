// SPDX-License-Identifier: BSD-3-Clause
// The bytes that a measured process leaves in its arena; its own end, `epk recover` and `epk top` read them.
// docs/formats.md documents them. A thread writes only its own location, nodes and frames, in an order that keeps them
// readable: a reference to new data is stored last.
#ifndef EPIK_RUNTIME_EVENT_LAYOUT_H_
#define EPIK_RUNTIME_EVENT_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "runtime/base/arena.h"
#include "runtime/base/clock.h"

namespace epik::event {

// Identifies a frame or node: the address of a function as the compiler's hook gives it or, with the top bit set (no
// address of a program has it), the number of a region definition.
using Key = uint64_t;
inline constexpr Key kRegionBit = Key{1} << 63;
constexpr Key RegionKey(uint32_t region) { return kRegionBit | region; }
constexpr bool IsRegion(Key key) { return (key & kRegionBit) != 0; }
constexpr uint32_t RegionOf(Key key) { return static_cast<uint32_t>(key); }

// An OpenMP construct: its kind and an address in its code, that of the outlined function or, for constructs within
// one, the place that called the library. No address of a program has one of these bits.
enum class Construct : uint8_t {
  kNone = 0,
  kParallel,
  kTeams,
  kLoopStatic,
  kLoopDynamic,
  kLoopGuided,
  kLoopRuntime,
  kLoopOrdered,
  kLoopDoacross,
  kSections,
  kSingle,
  kCritical,
  kOrdered,
  kAtomic,
  kTask,
  kTaskloop,
  kTaskCreate,
  kTaskwait,
  kTaskgroup,
  kTaskyield,
  kBarrier,
  kImplicitBarrier,
  kScope,
  kMasked,
  kTarget,
  kCriticalBlock,  // the work within it, once it was entered
  kOrderedBlock,
  kDoacrossWait,
  kReduction,
  kLast = kReduction
};
inline constexpr unsigned kConstructShift = 56;
constexpr Key ConstructKey(Construct construct, uint64_t address) {
  return Key{static_cast<uint8_t>(construct)} << kConstructShift | (address & ((Key{1} << kConstructShift) - 1));
}
constexpr Construct ConstructOf(Key key) { return static_cast<Construct>(key >> kConstructShift & 0x7f); }
constexpr bool IsFunction(Key key) { return key < Key{1} << kConstructShift; }
// REQUIRES: a function or construct that is not retired.
constexpr uint64_t AddressOf(Key key) { return key & ((Key{1} << kConstructShift) - 1); }

// A function or construct whose module was unmapped meanwhile: number of the module record, and the
// address in its file.
inline constexpr unsigned kRetiredShift = 40;
inline constexpr uint32_t kMostRetiredModules = (1u << (kConstructShift - kRetiredShift)) - 2;
constexpr Key RetiredKey(uint32_t module, uint64_t address, Construct construct) {
  return kRegionBit | ConstructKey(construct, Key{module + 1} << kRetiredShift) |
         (address & ((Key{1} << kRetiredShift) - 1));
}
constexpr bool IsRetired(Key key) { return IsRegion(key) && AddressOf(key) >> kRetiredShift != 0; }
constexpr uint32_t RetiredModule(Key key) { return static_cast<uint32_t>(AddressOf(key) >> kRetiredShift) - 1; }
constexpr uint64_t RetiredAddress(Key key) { return key & ((Key{1} << kRetiredShift) - 1); }

// Regions that every process has, without a definition record.
enum : uint32_t {
  kProgramRegion = 1,
  kThreadRegion = 2,
  kPausedRegion = 3,
  kMeasurementRegion = 4,
  kPeersRegion = 5,  // below the program: holds a metric for each rank that messages went to; no call path
  kIdleRegion = 6,   // an OpenMP thread between two parallel regions
  // Below kIdleRegion: the thread's leader is in a region without this thread. The leader writes it.
  kLimitedRegion = 7,
  kFirstDefinedRegion = 16
};

// Set in the number of a parameter's region: it ends by itself with the region around it.
inline constexpr uint32_t kParameterBit = 1u << 30;
// Set in the number of a user metric: its node holds values, not visits. Count in `visits`, sum in `squares`, smallest
// and largest as the bits of doubles in `min` and `max`; `ticks` stays 0.
inline constexpr uint32_t kMetricBit = 1u << 29;
// Built-in metrics (metrics.def) and peers are whole numbers: their sum is a uint64_t in the bits of `squares`.
inline constexpr uint32_t kPeerBit = 1u << 28;
constexpr uint32_t PeerMetric(uint32_t rank) { return kMetricBit | kPeerBit | (rank & (kPeerBit - 1)); }
// Counters read at every event, up to five in one node: their sums (or largest values) are in the words from `visits`
// to `squares`. CounterRecords define them by group and place.
inline constexpr uint32_t kCounterBit = 1u << 27;
inline constexpr uint32_t kCountersOfNode = 5;
inline constexpr uint32_t kMostCounters = 60;
constexpr uint32_t CounterGroup(uint32_t counter) { return kMetricBit | kCounterBit | counter / kCountersOfNode; }
// Ticks that visits waited, and the number of visits that did: a metric for each wait state (collective_roles.h).
inline constexpr uint32_t kWaitBit = 1u << 26;
constexpr uint32_t WaitMetric(uint32_t role) { return kMetricBit | kWaitBit | role; }
constexpr bool IsWaitMetric(uint32_t region) { return (region & ~15u) == WaitMetric(0); }
// Not shown: time that belongs to the inclusive times of the node's parent and of all nodes above, as an int64_t. A
// task runs inside another call path than its own: readers add its time there and subtract it here.
inline constexpr uint32_t kDisplacedMetric = kMetricBit | 15;
// Not shown either: the state of a sampled or dropped call path (SampledPath).
inline constexpr uint32_t kSampledMetric = kMetricBit | 14;
inline constexpr uint32_t kDroppedMetric = kMetricBit | 13;
inline constexpr uint32_t kProbedMetric = kMetricBit | 11;  // ProbedPath
enum : uint32_t {
#define METRIC(id, number, ...) k##id##Metric = kMetricBit | number,
#include "runtime/event/metrics.def"
#undef METRIC
};
constexpr bool IsIntegerMetric(uint32_t region) {
  return (region & kMetricBit) != 0 &&
         ((region & kPeerBit) != 0 || (region & ~kMetricBit) < kFirstDefinedRegion || IsWaitMetric(region));
}
constexpr bool IsCounterGroup(uint32_t region) {
  return (region & (kMetricBit | kPeerBit | kCounterBit)) == (kMetricBit | kCounterBit);
}
constexpr bool IsParameter(Key key) { return IsRegion(key) && !IsRetired(key) && (RegionOf(key) & kParameterBit) != 0; }
constexpr bool IsMetric(Key key) { return IsRegion(key) && !IsRetired(key) && (RegionOf(key) & kMetricBit) != 0; }

constexpr bool HoldsCounters(Key key) { return IsMetric(key) && IsCounterGroup(RegionOf(key)); }

// A call path and the sums of its visits; one cache line. Node n is line n of the arena.
struct Node {
  Key key;
  uint64_t visits;  // completed ones; open frames are in the stack
  uint64_t ticks;   // inclusive, summed
  uint64_t min;     // of one visit; all ones before the first
  uint64_t max;
  double squares;     // sum of (ticks of a visit)²
  uint32_t parent;    // node line; 0: a root. Always smaller than the own line
  uint32_t last;      // private: the child taken last time (call_tree_hot.h)
  uint32_t table;     // private: where the hash table of the children is
  uint32_t children;  // and kFolded
};
static_assert(sizeof(Node) == base::kLineBytes);
// Set in Node::children of a call of a function that is already open (EPK_RECURSION): its visits belong to the nearest
// node above with the same key, and its callees hang below that node.
inline constexpr uint32_t kFolded = 1u << 31;
inline bool IsFolded(const Node& node) { return (node.children & kFolded) != 0; }
inline constexpr uint32_t kFarthestFold = 1024;  // levels above

// The same line, if its key is a group of counters.
struct CounterNode {
  Key key;
  uint64_t value[kCountersOfNode];
  uint32_t parent;
  uint32_t unused[3];
};
static_assert(sizeof(CounterNode) == sizeof(Node) && offsetof(CounterNode, parent) == offsetof(Node, parent));
// Stands below a call path whose visits are not all timed, in place of a Node, with the key of kSampledMetric; or with
// that of kDroppedMetric, if its visits are not counted either.
struct SampledPath {
  Key key;
  uint64_t visits_before;  // of the call path, when it began
  uint64_t since;          // ticks, when it began
  uint64_t covered;        // untimed visits that timed ones stand for so far; dropped: calls since
  uint64_t covered_ticks;  // each timed visit's, times the untimed ones it stands for
  double variance;         // of covered_ticks
  uint32_t parent;
  uint32_t timed;       // visits since it began
  uint32_t long_timed;  // of these, far longer than others are: the visits that they stand for are counted apart,
  float long_ticks;     // and used only when there are several
};
static_assert(sizeof(SampledPath) == sizeof(Node) && offsetof(SampledPath, parent) == offsetof(Node, parent));

// Stands in the same way below a call path of which a few visits were not timed, to measure the cost of timing the
// others (runtime/choice/probe.h). Costs are ticks that the enter and exit of a timed visit take, the mean of a batch
// of windows.
struct ProbedPath {
  Key key;
  uint64_t untimed;     // visits that were counted and not timed
  double cost;          // summed over batches, each times its weight
  double cost_squares;  // its squares, in the same way
  double variance;      // of each cost within its batch, times the square of the weight, summed
  double counting;      // ticks that an untimed visit takes, in the same way: this part of `cost` is uncertain
  uint32_t parent;
  uint32_t batches;
  double weight;  // visits that the batches stand for, summed
};
static_assert(sizeof(ProbedPath) == sizeof(Node) && offsetof(ProbedPath, parent) == offsetof(Node, parent));

// Set in Frame::entered of a visit that is not timed; the rest is the time of the latest event before it.
inline constexpr uint64_t kUntimed = uint64_t{1} << 63;
// Set in addition for a call that is not measured now (runtime/choice/switches.h): its node is its caller's.
inline constexpr uint64_t kOff = uint64_t{1} << 62;
inline constexpr uint64_t kTicksOfFrame = kOff - 1;

// An open region. Frame i lies at byte 32 i of the arena.
struct Frame {
  Key key;
  uint64_t entered;
  uint32_t node;
  uint32_t outer;  // node that was current before: each exit restores it
  uint64_t stack;  // address on the machine stack: shows which frames a longjmp left behind
};
static_assert(sizeof(Frame) == 32);

inline bool IsOff(const Frame* frame) { return (frame->entered & kOff) != 0; }

// A call that has ended and is not in its node yet.
struct PendingVisit {
  Key key;
  uint64_t ticks;
  uint64_t node;  // 0: none
};
inline constexpr uint32_t kPendingVisits = 8;

// Bits of Location::log_kinds.
enum LogKinds : uint32_t {
  kLogCommunication = 1,  // records with their ancestors
  kLogMessages = 2,       // records alone, each with its call path
  kLogRecords = kLogCommunication | kLogMessages,
  kNoteCollectives = 4,  // notes for runtime/event/collectives.h, not for the trace
  kNoteMessages = 16,    // the same, of messages and of operations that one call begins and another one completes
  kNoteTeams = 32,       // the same, of barriers of OpenMP
  kFollowWindows = 8     // the trace has windows, which threads inherit from the leaders of their teams
};

enum class LocationState : uint32_t { kFree = 0, kRunning = 1, kEnded = 2 };

// One thread and, one after the other, the threads that reuse its place. Fields that every call touches come first, in
// one cache line.
struct Location {
  uint32_t node;          // current call path
  uint32_t top;           // index of the innermost frame
  uint32_t limit;         // index of the last frame there is room for
  uint32_t bottom;        // index below the outermost frame: an empty stack has top == bottom
  uint64_t last;          // ticks of the latest event
  uint32_t sink;          // node that counts the visits for which there was no room
  uint32_t next_pending;  // index in `pending` of the visit that is due
  uint32_t exchanging;    // frame of the visit that is being exchanged for the one that is due
  uint32_t logged;        // index of the innermost frame that is in the trace; all frames below it are, too
  uint64_t worth;         // ticks a call must last to be logged; all ones: none is
  uint32_t log_at;        // index of the next word of the trace in the arena
  uint32_t log_limit;     // the first word for which there is no room
  uint64_t log_time;      // of the latest word

  uint32_t overflow;  // calls above the last frame there was room for
  uint32_t nodes;     // chunk that new nodes come from
  uint32_t paths;     // nodes so far
  LocationState state;
  uint32_t threads;    // that used this place so far
  uint32_t logging;    // the thread is logging: events of a handler that comes now are not logged
  uint32_t log_kinds;  // which records are logged (LogKinds)
  uint32_t log_chunk;  // chunk that `log_at` is in
  uint64_t started;
  uint64_t repairs;     // frames closed because their return was skipped
  uint64_t unmatched;   // exits without an enter
  uint64_t unfinished;  // frames closed because their thread ended

  uint32_t root;           // node of the program
  uint32_t next_free;      // line of another location whose thread has ended
  uint32_t number;         // 0: the thread that started the measurement
  uint32_t thread_id;      // of the operating system
  uint64_t joined;         // OpenMP: the end of the region in which this thread worked last; its leader writes it
  uint32_t omp_thread;     // OpenMP number + 1 of a thread of a pool; 0: not a thread of a pool
  uint32_t log_first;      // first chunk of the part of its trace that is in memory
  uint32_t log_chunks;     // in which the trace is
  uint32_t log_free;       // chunk of a part of the trace that has been written; more behind it
  uint64_t flushed_words;  // of its trace, which are in the file
  uint64_t unlogged;       // events that should be in the trace and are not
  uint64_t log_stream;     // private: where the encoder is

  PendingVisit pending[kPendingVisits];

  // The CPU time of its threads (runtime/episode/effort.h), as of the last reading.
  uint64_t cpu_ns;         // all of its threads together; 0: never read
  uint64_t cpu_before_ns;  // of earlier threads, less the time that the present thread had taken when it came; may wrap
  uint64_t cpu_read_at;    // ticks of the reading
  uint64_t queued_ns;      // ready to run while others had the processor; read when a thread ends
  uint64_t cold_ticks;     // in cold functions: new call paths, room for more
  uint64_t far_ticks;      // mean time that a call waits for a call path that is in no cache; measured at the end
  uint32_t collectives;    // chunk of its collective calls (runtime/event/collectives.h); 0: no chunk
  uint32_t in_window;      // of EPK_TRACE, as of the latest call that ended; matters where kFollowWindows is set
  uint32_t locks_below;    // private: the call path in which a free lock was taken last,
  uint32_t locks_free;     // and the node that counts them there
};
static_assert(sizeof(Location) == 7 * base::kLineBytes);
static_assert(offsetof(Location, overflow) == base::kLineBytes);

enum class ProcessState : uint32_t { kStarting = 0, kOn, kFinishing, kDone };

// How a process ended, if it was still able to note it.
enum class Ending : uint32_t {
  kNone = 0,
  kExit,
  kQuickExit,
  kUnderscoreExit,
  kAbort,
  kSignal,
  kExec,
  kMpiFinalize,
  kMpiAbort
};

// The offset of a process's clock from that of rank 0, measured at `at_ns`. It is added to the process's own monotonic
// time.
struct ClockOffset {
  int64_t at_ns;      // own CLOCK_MONOTONIC_RAW
  int64_t offset_ns;  // to add
  int64_t error_ns;   // half the round trip it was measured with; 0: the same clock
};

inline constexpr uint32_t kKeptSwitches = 32;

// A switch of the trace: twice the ticks of it, and 1 if it was to on.
inline uint64_t SwitchWord(uint64_t ticks, bool on) { return ticks << 1 | (on ? 1 : 0); }

inline constexpr uint32_t kArenaIsLocked = 0x4b434f4c;  // "LOCK"

// The first page of the file.
struct ProcessHeader {
  base::ArenaHeader arena;
  uint32_t pid;
  uint32_t parent_pid;
  int32_t rank;  // in the job's MPI_COMM_WORLD
  ProcessState state;
  Ending ending;
  int32_t ending_value;  // exit status or signal
  base::Timer timer;
  uint32_t locations;          // made so far
  uint64_t start_ticks;        // when the program began, or when our library came into it
  base::ClockPair first_pair;  // the first reading of both clocks
  uint64_t start_unix_ns;      // CLOCK_REALTIME at that reading
  uint64_t end_ticks;          // 0 while running
  base::ClockPair pair[2];     // later readings; pair[pair_index] is whole
  uint32_t pair_index;
  uint32_t exhausted;           // errno of the first chunk that could not be allocated
  double pair_cost_ticks;       // calibrated: the time that one enter and exit add
  uint64_t dropped;             // events that came while the runtime worked on their thread, or after the thread's end
  uint64_t unmeasured_threads;  // threads without a location
  char boot_id[40];
  char host[72];
  uint32_t ranks;  // in its MPI_COMM_WORLD; 0: no MPI, as far as is known
  uint32_t clock_offsets;
  ClockOffset clock_offset[2];  // when MPI began, and when it ended; in between: definitions of type kClock
  // The trace's selection at the start of a location: ticks a call must last (all ones: no call is logged), kinds of
  // records, visits of each call path (0: any number).
  uint64_t trace_worth;
  uint32_t trace_kinds;
  uint32_t trace_level;  // of compression
  uint64_t trace_visits;
  uint64_t trace_bytes;  // of the file, taken so far; 0: no file
  uint32_t trace_flushes;
  int32_t trace_error;  // errno of the first block that could not be written; 0
  // Other processes may write these while the process runs (runtime/event/control.h).
  uint32_t control;          // ControlBits
  uint32_t flush_requests;   // each thread writes its trace when the number has changed since it last looked
  uint64_t trace_switched;   // ticks a call must last to be logged while the trace is on
  uint32_t switches;         // of the trace, on and off, so far; each thread notes them in its trace
  uint32_t first_locations;  // line of the first chunk of locations; each names the next
  // Calibrated, for visits that are not timed: the time that an empty visit measures, less the time that it takes
  // untimed; and the time that an untimed enter and exit add.
  double timed_bias_ticks;
  double untimed_cost_ticks;
  // The time that enter and exit add where no processor can predict the next callee, and the time that a pair added at
  // the end; 0: not known.
  double fan_cost_ticks;
  double end_pair_cost_ticks;
  uint64_t preemptions;  // of all threads: others took the processor from them
  // Further bits in the log_kinds of every location: kNoteCollectives, kFollowWindows.
  uint32_t collects;
  // Calibrated: the time that an enter and exit add to a function that does work: the least and the most of several
  // kinds of work; 0: not known.
  double behind_least_ticks, behind_most_ticks;
  // 1: the processor reads the clock so fast that a read hides little of the other work of an event.
  uint32_t hides_little;
  // kArenaIsLocked: while any process maps the arena, its file has an exclusive lock of flock. Anything else: that is
  // not known.
  uint32_t locked;
  // The latest switches of the trace: number n (0, 1 …) is at n % kKeptSwitches. Others may write them, too.
  uint64_t switched[kKeptSwitches];
};
static_assert(sizeof(ProcessHeader) <= 4096);

// Definition chunks hold records, each padded to 8 bytes; `used` of the chunk counts bytes.
enum class RecordType : uint16_t {
  kProgram = 1,       // path of the executable
  kCommand = 2,       // argument vector, each with its NUL
  kConfig = 3,        // the configuration in force, as text
  kModule = 4,        // ModuleRecord, build-id (hex), NUL, path
  kRegion = 5,        // RegionRecord, name, NUL, file (of a metric: its unit), NUL
  kNote = 6,          // a sentence for people
  kTitle = 7,         // EPK_TITLE, when set
  kCommunicator = 8,  // CommunicatorRecord, its runs, name, NUL
  kWindow = 9,        // WindowRecord, name, NUL
  kName = 10,         // NameRecord, name, NUL: replaces the name of its definition
  kTopology = 11,     // TopologyRecord, its dimensions, its name, NUL, the names of the dimensions, each with its NUL
  kClock = 12,        // ClockOffset: measured after the first and before the last of the process's header
  kFile = 13,         // FileUse (runtime/event/files.h), path, NUL
  kCounter = 16       // CounterRecord, name, NUL, unit, NUL, description or why it cannot be read, NUL
};

struct RecordHeader {
  RecordType type;
  uint16_t reserved;
  uint32_t bytes;  // of the payload, without padding
};

struct ModuleRecord {
  uint64_t bias;   // run-time address less address in the file
  uint64_t begin;  // of the code, as mapped
  uint64_t end;
};

enum class Role : uint16_t {
  kFunction = 0,
  kUser = 1,
  kPhase = 2,
  kArtificial = 3,
  kThread = 4,
  kParameter = 5,
  kMetric = 6
};

// The part of a program's machinery that a defined region belongs to.
enum class Paradigm : uint16_t { kUser = 0, kMpi = 1, kOpenMp = 2 };

struct RegionRecord {
  uint32_t region;
  int32_t line;
  Role role;
  Paradigm paradigm;
  uint16_t reserved[2];
};

// Ranks first, first + step, … : `count` of them.
struct RankRun {
  int32_t first;
  int32_t step;
  int32_t count;
};

// A communicator of MPI, when records mention it. 0 is MPI_COMM_WORLD and 1 MPI_COMM_SELF, without a record.
struct CommunicatorRecord {
  uint64_t id;           // the same in all of its processes, and in no other
  uint32_t number;       // in this process
  int32_t rank;          // own
  uint32_t own_runs;     // that follow: its processes as ranks of MPI_COMM_WORLD; -1: of another job
  uint32_t remote_runs;  // that follow these: of its remote group, if it has one
};

struct WindowRecord {
  uint64_t id;
  uint32_t number;
  uint32_t communicator;
};

struct NameRecord {
  uint32_t type;  // RecordType: kCommunicator (0 and 1, too) or kWindow
  uint32_t number;
};

// How the values of a counter combine.
enum class CounterKind : uint32_t {
  kSum = 0,      // counts since the event before are added
  kPeak = 1,     // the largest value since the event before
  kMissing = 2,  // the counter cannot be read
};

struct CounterRecord {
  uint32_t number;  // group * kCountersOfNode + place; all ones for a counter that cannot be read
  CounterKind kind;
  double scale;  // value times this is in the unit
};

// A Cartesian topology, and the place of this process in it. A later record with the same id replaces it.
struct TopologyRecord {
  uint64_t id;  // the same in all of its processes
  uint32_t dimensions;
  uint32_t reserved;
};

struct TopologyDimension {
  int32_t size;
  int32_t periodic;    // 0: not periodic
  int32_t coordinate;  // 0 .. size - 1
};

inline constexpr uint32_t kMostDimensions = 32;

inline ProcessHeader* Process() { return reinterpret_cast<ProcessHeader*>(base::arena_base); }

EPIK_HOT Node* NodeAt(uint32_t line) { return base::LineAt<Node>(line); }
EPIK_HOT Frame* FrameAt(uint32_t index) {
  return reinterpret_cast<Frame*>(base::arena_base + uint64_t{index} * sizeof(Frame));
}

}  // namespace epik::event

#endif  // EPIK_RUNTIME_EVENT_LAYOUT_H_
