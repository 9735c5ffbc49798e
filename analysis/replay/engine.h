// SPDX-License-Identifier: BSD-3-Clause
// The inside of Replay, which keeps the states of states.h. Its parts are engine.cc (which location goes on), calls.cc
// (which operations a call completed), messages.cc, buffered.cc, parts.cc, posted.cc, requests.cc, collectives.cc,
// openmp.cc, tasks.cc, iterations.cc, mutexes.cc, threads.cc, signals.cc, windows.cc, window_locks.cc and
// management.cc.
#ifndef EPIK_ANALYSIS_REPLAY_ENGINE_H_
#define EPIK_ANALYSIS_REPLAY_ENGINE_H_

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/replay/channel.h"
#include "analysis/replay/flat_map.h"
#include "analysis/replay/interruptions.h"
#include "analysis/replay/pool.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/states.h"

namespace epik::replay {

class Engine {
 public:
  Engine(const World* world, std::vector<std::unique_ptr<EventSource>> sources, TimeModel* time,
         const std::vector<Observer*>& observers);
  void Run(const std::function<void(uint64_t)>& progress, const archive::TimeLimit& limit);

  Unmatched unmatched;
  Totals totals;

 private:
  // engine.cc
  bool Read(uint32_t location, LocationState* state);
  void Go(uint32_t location, const archive::TimeLimit& limit);
  void Queue(uint32_t location);
  void Halt(uint32_t location, Stop stop);
  void ForceOne();
  void Prune();
  void Enter(uint32_t location, LocationState* state);
  void Leave(uint32_t location, LocationState* state, int64_t ns, bool cut);
  void NoteLeftMpi(uint32_t location, const LocationState& state, const OpenFrame& left, int64_t ns);
  void NoteInterruption(uint32_t location, const LocationState& state, const OpenFrame& left, int64_t ns);
  bool Record(uint32_t location, LocationState* state);
  bool TakeMessage(uint32_t location, LocationState* state, int64_t ns);
  void TakeCollectiveCall(uint32_t location, LocationState* state);
  bool IsItsTurn(uint32_t location, uint64_t ticks) const;
  void WaitForTurn(uint32_t location, LocationState* state);
  void ComeToEnd(uint32_t location, LocationState* state);
  void FinishInTurn(uint32_t location, LocationState* state);
  void Finish(uint32_t location, LocationState* state);
  void NoteGap(uint32_t location);
  int64_t Ns(uint32_t location, uint64_t ticks) { return time_->Ns(location, ticks); }
  const Process& ProcessAt(uint32_t location) const { return world_.processes[world_.locations[location].process]; }
  ProcessState& StateAt(uint32_t location) { return processes_[world_.locations[location].process]; }
  void NoteViolation(int64_t by);

  // calls.cc
  uint32_t CallOfRecord(uint32_t location, LocationState* state, int64_t ns);
  CallBegin BeginOf(uint32_t location, const LocationState& state, int64_t ns) const;
  Operation OperationOf(uint32_t location, const LocationState& state) const;
  Call Describe(uint32_t location, const LocationState& state, int64_t ns) const;
  void EndRecord(uint32_t call);
  void LeaveCall(uint32_t call, int64_t leave, bool cut);
  void NoteTest(LocationState* state, const OpenFrame& open);
  void QueueSent(uint32_t call);
  void Settle(uint32_t call);
  void TellArrived(CallState* state);
  void TellArrived(const Call& call, std::span<const Arrival> arrivals);
  void TellSent(CallState* state);
  void TellSentInTurn(LocationState* location);
  void NoteProbe(uint32_t location, LocationState* state, const OpenFrame& open, int64_t leave);
  void NoteProbed(uint32_t location, LocationState* state);
  void TellProbe(LocationState* state, const Message& message, bool matched);
  Arrival ArrivalOf(const CallState::Part& part);

  // messages.cc
  void Send(uint32_t location, LocationState* state, int64_t ns, const uint64_t* field, bool has_request);
  void BeginSend(uint32_t location, LocationState* state, int64_t ns);
  void ReadySend(uint32_t location, LocationState* state, int64_t ns);
  void SendParts(uint32_t location, LocationState* state, int64_t ns, RequestState* request);
  void EndParts(uint32_t location, LocationState* state, int64_t ns, RequestState* request);
  void RefuseSend(uint32_t location, LocationState* state);
  void Buffer(uint32_t process, uint32_t message, int64_t ns);
  void EmptyBuffer(uint32_t location, LocationState* state, int64_t ns);
  void SendEnd(uint32_t location, LocationState* state, int64_t ns);
  bool Receive(uint32_t location, LocationState* state, int64_t ns, bool has_request);
  bool TakeSent(uint32_t location, LocationState* state, int64_t ns, const ChannelKey& key, Channel* channel,
                uint64_t* turn, uint32_t* number);
  void Unlist(uint32_t location, Channel* channel);
  bool StopForSend(uint32_t location, LocationState* state, Channel* channel, uint32_t sender, uint64_t turn);
  bool IsPartial(uint32_t sender, uint32_t receiver) const;
  Whole WholeOf(uint32_t location) const;
  bool SendsAreByOrder(const Channel& channel) const;
  uint64_t TurnOfReceive(uint64_t told, const Channel& channel, uint32_t location) const;
  uint32_t TakeSendOf(Channel* channel, uint64_t turn);
  uint32_t TakeReceiveOf(Channel* channel, uint64_t turn);
  void Match(uint32_t message, bool tell_sender);
  void Append(uint32_t* first, uint32_t* last, uint32_t message);
  void TakeOut(Channel* channel, uint32_t message);
  void SweepChannels();
  void CompleteSend(uint32_t location, LocationState* state, uint32_t message, int64_t ns);
  void NoteSize(uint32_t call, uint64_t bytes);  // of a message whose sending the call completed
  uint32_t TakeSend(Channel* channel, int64_t received, uint64_t bytes, bool checks, bool* later);
  uint32_t TakeReceive(Channel* channel, int64_t sent, uint64_t bytes, bool checks);
  void LoseReceive(uint32_t message, Reason reason);
  void LoseSend(uint32_t message, Reason reason);
  void Release(uint32_t message);
  uint32_t NewMessage();
  uint32_t ChannelOf(const ChannelKey& key);
  void TakeFor(uint32_t held);
  void Unite(uint32_t held, uint32_t message);
  void EndMessages();
  uint32_t CommunicatorOf(uint32_t location, uint64_t number) const;
  Reason WhyUnmatched(uint32_t other_process) const;
  void Attach(uint32_t message, uint32_t call, bool receives);
  bool KnowsAbsence(uint32_t location) const;
  Completion CompletionBy(const Call& call) const;
  void NoteAbsence(uint32_t location, MessageEnd* receive) const;

  // requests.cc
  RequestState* RequestOf(uint32_t location, uint64_t number);
  RequestState* NewRequest(uint32_t location, uint64_t number);
  void SettleRequest(uint32_t location, uint64_t number);
  void ForgetReceive(uint32_t location, uint64_t number);
  void TakePosted(uint32_t location, uint64_t number, MessageEnd* end);
  void Posted(uint32_t location, LocationState* state, int64_t ns, uint64_t number);
  void Cancelled(uint32_t location, LocationState* state);
  void FreeRequest(uint32_t location, LocationState* state, int64_t ns);
  PostedReceive PostedOf(uint32_t location, const RequestState& request) const;
  void ReceiveFreed(uint32_t location, LocationState* state, int64_t ns);
  void TakeFreed(uint32_t location, uint64_t number, int64_t ns, const PostedReceive& posted, uint64_t turn);

  // posted.cc
  void Post(uint32_t location, LocationState* state, RequestState* request);
  bool MustHold(const ProcessState& process, uint64_t place, uint32_t communicator, int32_t from, int32_t tag) const;
  void Hold(uint32_t process, uint64_t place, uint32_t message);
  void EndPosted(uint32_t process, uint64_t place);
  void TakeHeld(uint32_t process);
  void TakeAllHeld(uint32_t process);

  // collectives.cc
  void BeginCollective(uint32_t location, LocationState* state, int64_t ns);
  bool EndCollective(uint32_t location, LocationState* state, int64_t ns);
  void LeaveCollective(uint32_t location, LocationState* state);
  void TakePeers(uint32_t location, LocationState* state);
  void Arrive(uint32_t location, LocationState* state, int64_t ns);
  bool MayPass(uint32_t location, LocationState* state);
  Begun* BegunAt(ProcessState* process, uint64_t place);
  void Number(uint32_t process);
  void Join(uint32_t process, Begun* begun);
  void Complete(uint32_t collective);
  bool EvictEarly(uint32_t collective);
  void Evict(uint32_t collective, uint32_t member);
  void Tell(uint32_t collective);
  static void FindBack(Collective* collective);
  void CountUnknown(const Collective& collective);
  void GiveUp(const Begun& begun, Reason reason);
  void EndCollectives();
  uint32_t InstanceOf(uint32_t communicator, uint64_t number, const Begun& begun);
  uint64_t NumberOf(uint32_t process, const Begun& begun);
  CommunicatorState& StateOf(uint32_t communicator);
  void JoinJob(uint32_t location, const OpenFrame& open, int64_t enter, int64_t leave, bool cut);
  void EndJob();

  // management.cc
  void NoteManagement(uint32_t location, LocationState* state);
  void LeaveManagement(uint32_t location, const OpenFrame& open, int64_t ns);
  void TellManagement(Collective* meeting);
  void EndManagement();

  // openmp.cc
  void Fork(uint32_t location, LocationState* state);
  void Join(uint32_t location, LocationState* state);
  void NoteTeamSize(uint32_t location, const LocationState& state);
  void Team(uint32_t location, LocationState* state, int64_t ns);
  void ComeToBarrier(uint32_t location, LocationState* state, int64_t ns);
  void ComeToThreadBarrier(uint32_t location, LocationState* state, int64_t ns);
  GatheringState& Gather(uint32_t location, LocationState* state, int64_t ns, uint64_t team);
  void CloseBarrier(GatheringState* barrier);
  void TellUnknown(const GatheringState& barrier, uint32_t location);
  void LeaveBarrier(uint32_t location, const OpenFrame& open, int64_t ns);
  void NoteTask(uint32_t location, LocationState* state, const OpenFrame& open, int64_t ns);
  void Acquire(uint32_t location, LocationState* state, int64_t ns);
  void Free(uint32_t location, LocationState* state, int64_t ns);
  void TellAcquired(const LockState& lock, const Call& call);
  LockState& LockOf(uint32_t location, uint64_t number);

  // tasks.cc
  void TakeTask(uint32_t location, LocationState* state, int64_t ns);
  void CreateTask(uint32_t location, LocationState* state, int64_t ns);
  void NeedTasks(uint32_t location, const LocationState& state);
  void DetachTask(uint32_t location, const LocationState& state);
  void FulfilTask(uint32_t location, const LocationState& state, int64_t ns);
  void BeginTask(uint32_t location, LocationState* state, int64_t ns);
  static bool InterruptsWait(const LocationState& state);
  void PauseTask(uint32_t location, uint64_t number, int64_t ns);
  void ResumeTask(uint32_t location, LocationState* state);
  void EndTask(uint32_t location, uint64_t number, int64_t ns);
  static TaskState* LivingAbove(Tasks* tasks, TaskState* task);
  TaskRun* RunIn(LocationState* state);
  static OpenTaskWait* TaskWaitAround(LocationState* state);
  TaskReady LastAwaited(uint32_t location, const LocationState& state) const;
  void EndStretch(uint32_t location, LocationState* state, int64_t ns, const TaskRun* next);
  void EnterTaskWait(uint32_t location, LocationState* state);
  void LeaveTaskWait(uint32_t location, LocationState* state, int64_t ns);
  std::vector<TaskReady> TakeAwaited(uint32_t location, const LocationState& state);
  void ForgetTask(uint32_t location, uint64_t number);

  // iterations.cc
  void FinishIteration(uint32_t location, LocationState* state, int64_t ns);
  void NeedIteration(uint32_t location, LocationState* state, int64_t ns);

  // mutexes.cc
  void WantLock(uint32_t location, LocationState* state, int64_t ns);
  void GetLock(uint32_t location, LocationState* state, int64_t ns);
  void HoldLock(uint32_t location, const LocationState& state);
  void GiveLock(uint32_t location, const LocationState& state, int64_t ns);
  void TellOthers(uint32_t location, uint64_t lock, int64_t ns);

  // threads.cc
  bool BeginWait(uint32_t location, LocationState* state, int64_t ns, ThreadWait::Stretch first);
  void EndWait(uint32_t location, LocationState* state, int64_t ns);
  void CutWait(uint32_t location, LocationState* state, int64_t ns, bool cut);
  void TakeBirth(uint32_t location, LocationState* state, int64_t ns);
  void WantEnd(uint32_t location, LocationState* state, int64_t ns);
  void GetEnd(uint32_t location, LocationState* state, int64_t ns);

  // signals.cc
  void WantSignal(uint32_t location, LocationState* state, int64_t ns);
  void GiveSignal(uint32_t location, LocationState* state, int64_t ns);
  void GetSignal(uint32_t location, LocationState* state, int64_t ns);
  void LeaveSignal(uint32_t location);
  // windows.cc
  void SynchroniseWindow(uint32_t location, LocationState* state);
  void LockWindow(uint32_t location, LocationState* state);
  WindowState* WindowOf(uint32_t location, uint64_t number, uint32_t* communicator);
  void Access(uint32_t location, LocationState* state);
  void OpenEpoch(WindowState* window, const Call& call, int32_t partner);
  void Fence(uint32_t communicator, WindowState* window, const Call& call);
  void EndExposure(WindowState* window, const Call& call);
  void EndAccess(WindowState* window, const Call& call);
  void TellEpochs(WindowState::Pair* pair);
  void TellNeeds(WindowState::Needs* needs);
  void TellFence(const CommunicatorState& members, WindowState::Fence* fence);
  void EndWindows();
  // window_locks.cc
  void Unlock(uint32_t communicator, WindowState* window, const Call& call, int32_t target);
  std::pair<int64_t, int64_t> ReachedBy(uint32_t communicator, const WindowState& window) const;
  void TellLocks(WindowState* window, int64_t until);

  SignalState& SignalOf(uint32_t location, uint64_t object) { return StateAt(location).signals[object]; }

  const World& world_;
  TimeModel* time_;
  std::vector<Observer*> frames_, matched_, messages_wanted_, parts_wanted_, polled_, sent_, collectives_wanted_,
      teams_, threads_, windows_wanted_;
  std::vector<LocationState> locations_;
  std::vector<ProcessState> processes_;
  std::deque<uint32_t> runnable_;
  std::vector<uint32_t> ahead_;
  struct Halted {
    int64_t ns;
    uint32_t location, stops;
    bool operator<(const Halted& other) const { return ns != other.ns ? ns > other.ns : location > other.location; }
  };
  std::vector<Halted> halted_;  // a heap: the location that is furthest behind is on top
  uint32_t open_ = 0;           // locations that have not ended

  Interruptions interruptions_;
  Pool<CallState> calls_;
  Pool<MessageState> messages_;
  Pool<Channel> channels_;
  Pool<RequestState> requests_;
  Pool<CollectiveState> collectives_;
  Pool<GatheringState> gatherings_;
  std::vector<LockState> locks_;
  std::unordered_map<uint32_t, WindowState> windows_;
  FlatMap<ChannelKey> channel_of_;
  FlatMap<InstanceKey> instance_of_;
  size_t sweep_channels_at_ = 1 << 16;
  std::vector<CommunicatorState> communicators_;
  std::vector<Arrival> arrivals_;             // scratch
  std::vector<const Message*> sent_scratch_;  // scratch
  Collective init_, finalize_;
  std::map<ManagementKey, Collective> managed_;  // operations that some processes have not left
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_ENGINE_H_
