// SPDX-License-Identifier: BSD-3-Clause
// The other processes of the job that run on this machine, by their arenas: mapped for reading, in chunks that are
// known to be there. Who is killed leaves them as they are.
#ifndef EPIK_RUNTIME_MONITOR_NEIGHBOURS_H_
#define EPIK_RUNTIME_MONITOR_NEIGHBOURS_H_

#include <cstdint>

#include "runtime/event/control.h"
#include "runtime/monitor/pending_waits.h"
#include "runtime/monitor/table.h"

namespace epik::episode {

// A communicator as the definitions of a process have it.
struct DefinedCommunicator {
  Membership members;
  const event::RankRun* runs;  // of its processes; of two groups, those of the own one
  uint32_t run_count;
  bool has_us;  // this process is in it
};

// An arena, this process's own too, read from its beginning on as it grows.
class ArenaReader {
 public:
  explicit ArenaReader(const event::MappedArena& arena) : arena_(arena) {}

  const event::MappedArena& arena() const { return arena_; }
  // Reads what came since the last time. REQUIRES: inside.
  void Update();

  // Lines of the chunks that hold rings.
  Table<uint32_t>& rings() { return rings_; }
  // Null: not defined so far.
  const DefinedCommunicator* Find(uint32_t number);
  const DefinedCommunicator* FindById(uint64_t id, uint32_t likely_number);
  void Clear();

 private:
  void ReadDefinitions();
  void AddCommunicator(const char* payload, uint32_t bytes);

  event::MappedArena arena_;
  uint32_t line_ = base::kFirstChunkLine;
  uint32_t definitions_ = 0;  // chunk that is read now
  uint32_t offset_ = 0;       // in it
  Table<uint32_t> rings_;
  Table<DefinedCommunicator> communicators_;  // by number; size 0: not defined
};

struct Neighbour {
  int32_t rank;
  event::MappedArena arena;
};

// Found by what the job's unfinished archive holds. Those that were found before stay. REQUIRES: inside.
void FindNeighbours(Table<Neighbour>* neighbours);
void ForgetNeighbours(Table<Neighbour>* neighbours);

// Whether all ranks of the runs are this process's or among them.
bool AreNeighbours(Table<Neighbour>& neighbours, const event::RankRun* runs, uint32_t count);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_MONITOR_NEIGHBOURS_H_
