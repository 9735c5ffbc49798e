// SPDX-License-Identifier: BSD-3-Clause
#include "report/trace/paraver.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ctime>
#include <map>
#include <set>
#include <string_view>

#include "archive/files/atomic_file.h"
#include "archive/profile/region_class.h"
#include "archive/trace/record_names.h"
#include "archive/trace/record_text.h"
#include "report/sink.h"
#include "report/trace/sorted_lines.h"

namespace epik::report {

using archive::Frame;
using archive::TraceVisitor;
using archive::WalkResult;

using archive::TraceArchive;
using event::RecordKind;

namespace {

// The numbers of Extrae, which Paraver's configurations know.
enum State {
  kIdle,
  kRunning,
  kWaitingMessage = 3,
  kBlockingSend,
  kSynchronization,
  kTest,
  kForkJoin,
  kWait,
  kImmediateSend = 10,
  kImmediateReceive,
  kInputOutput,
  kGroup,
  kTracingOff,
  kOthers,
  kSendReceive
};
constexpr const char* kStates[] = {"Idle",
                                   "Running",
                                   "Not created",
                                   "Waiting a message",
                                   "Blocking Send",
                                   "Synchronization",
                                   "Test/Probe",
                                   "Scheduling and Fork/Join",
                                   "Wait/WaitAll",
                                   "Blocked",
                                   "Immediate Send",
                                   "Immediate Receive",
                                   "I/O",
                                   "Group Communication",
                                   "Tracing Disabled",
                                   "Others",
                                   "Send Receive"};
constexpr uint32_t kFunction = 60000019, kPointToPoint = 50000001, kCollective = 50000002, kOtherMpi = 50000003;
constexpr uint32_t kSent = 50100001, kReceived = 50100002, kRoot = 50100003, kCommunicator = 50100004;
constexpr uint32_t kFirstMetric = 70000000, kFirstParameter = 71000000;

// A label ends with its line.
std::string InOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

bool IsCollective(const archive::Region& region) {
  return region.role == "barrier" || region.role == "one2all" || region.role == "all2one" || region.role == "all2all" ||
         region.role == "other collective";
}

// Returns 0 for regions that are not MPI's.
uint32_t MpiType(const archive::Region& region) {
  if (region.paradigm != "mpi") return 0;
  const std::string_view metric = archive::TimeMetricOf(region);
  const bool of_messages = metric == "mpi_point2point" || metric.starts_with("mpi_request");
  return of_messages ? kPointToPoint : IsCollective(region) ? kCollective : kOtherMpi;
}

State MpiState(const archive::Region& region) {
  std::string_view name = region.name;
  if (name.starts_with("MPI")) name.remove_prefix(name.find('_') + 1);  // MPI_, MPIX_
  if (name.ends_with("_c")) name.remove_suffix(2);
  if (region.role == "barrier") return kSynchronization;
  if (IsCollective(region)) return kGroup;
  if (region.role == "file io") return kInputOutput;
  if (name.starts_with("Wait")) return kWait;
  if (name.starts_with("Test") || name.ends_with("robe")) return kTest;
  if (name.starts_with("Sendrecv")) return kSendReceive;
  if (name == "Recv" || name == "Mrecv") return kWaitingMessage;
  if (name == "Irecv" || name == "Imrecv") return kImmediateReceive;
  if (name.ends_with("send")) return name.starts_with("I") ? kImmediateSend : kBlockingSend;
  return name.ends_with("Send") ? kBlockingSend : kOthers;
}

State StateOf(const archive::Region& region) {
  if (region.paradigm == "mpi") return MpiState(region);
  if (region.paradigm == "measurement" && region.name == "measurement") return kTracingOff;
  if (region.paradigm == "openmp") {
    if (region.role.ends_with("barrier") || region.role == "taskwait" || region.role == "critical") {
      return kSynchronization;
    }
    if (region.role == "parallel") return kForkJoin;
  }
  return kRunning;
}

// Applications, tasks and threads with the numbers of Paraver, which begin with 1.
class Places {
 public:
  explicit Places(const TracePart& part) : text_(part.archive->streams().size()) {
    const archive::Profile& profile = part.archive->definitions().profile;
    std::map<uint32_t, uint32_t> node_of;  // number in the definitions -> number in Paraver
    uint32_t cpu = 0;
    for (const uint32_t s : part.streams) {
      const uint32_t process = part.archive->streams()[s].process;
      if (tasks_.empty() || tasks_.back().process != process) {
        uint32_t node = 0;
        for (const archive::Process& known : profile.processes) {
          if (known.rank == RankOf(part, s)) node = known.host;
        }
        const auto at = node_of.emplace(node, static_cast<uint32_t>(node_of.size())).first->second;
        if (at == nodes_.size()) nodes_.push_back({node < profile.hosts.size() ? profile.hosts[node].name : "node", 0});
        tasks_.push_back({process, RankOf(part, s), at, {}});
      }
      Task& task = tasks_.back();
      task.threads.push_back(part.archive->streams()[s].number);
      ++nodes_[task.node].second;
      text_[s] =
          std::to_string(++cpu) + ":1:" + std::to_string(tasks_.size()) + ":" + std::to_string(task.threads.size());
    }
  }

  const std::string& Text(uint32_t stream) const { return text_[stream]; }  // cpu:application:task:thread

  std::string Header(uint64_t duration) const {
    char date[40];
    const time_t now = std::time(nullptr);
    struct tm parts {};
    localtime_r(&now, &parts);
    std::strftime(date, sizeof date, "%d/%m/%Y at %H:%M", &parts);
    std::string text = "#Paraver (" + std::string(date) + "):" + std::to_string(duration) +
                       "_ns:" + std::to_string(nodes_.size()) + "(";
    for (size_t n = 0; n < nodes_.size(); ++n) text += (n > 0 ? "," : "") + std::to_string(nodes_[n].second);
    text += "):1:" + std::to_string(tasks_.size()) + "(";
    for (size_t t = 0; t < tasks_.size(); ++t) {
      text += (t > 0 ? "," : "") + std::to_string(tasks_[t].threads.size()) + ":" + std::to_string(tasks_[t].node + 1);
    }
    return text + ")\n";
  }

  std::string Rows() const {
    std::string cpus, tasks, threads, nodes;
    size_t count = 0;
    for (const Task& task : tasks_) {
      tasks += "rank " + std::to_string(task.rank) + "\n";
      for (const uint32_t thread : task.threads) {
        cpus += std::to_string(++count) + "." + InOneLine(nodes_[task.node].first) + "\n";
        threads += "rank " + std::to_string(task.rank) + " thread " + std::to_string(thread) + "\n";
      }
    }
    for (const auto& [name, unused] : nodes_) nodes += InOneLine(name) + "\n";
    const auto level = [](const char* name, size_t size, const std::string& lines) {
      return std::string("LEVEL ") + name + " SIZE " + std::to_string(size) + "\n" + lines + "\n";
    };
    return level("CPU", count, cpus) + level("NODE", nodes_.size(), nodes) + level("TASK", tasks_.size(), tasks) +
           level("THREAD", count, threads);
  }

 private:
  struct Task {
    uint32_t process;
    int32_t rank;
    uint32_t node;
    std::vector<uint32_t> threads;
  };
  std::vector<std::string> text_;  // by stream
  std::vector<Task> tasks_;
  std::vector<std::pair<std::string, uint32_t>> nodes_;  // name and number of threads
};

// Paraver's values are whole numbers. The values of a metric are written times the least power of 1000 that keeps them,
// up to one part in 100 000.
class Scale {
 public:
  void Add(double value) {
    if (!std::isfinite(value)) return;
    most_ = std::max(most_, std::fabs(value));
    for (size_t f = 0; f < std::size(kFactors); ++f) {
      const double scaled = std::fabs(value) * kFactors[f];
      keeps_[f] = keeps_[f] && std::fabs(std::round(scaled) - scaled) <= scaled * 1e-5;
    }
  }
  double Factor() const {
    double factor = 1;
    for (size_t f = 0; f < std::size(kFactors) && most_ * kFactors[f] < kMost; ++f) {
      factor = kFactors[f];
      if (keeps_[f]) break;
    }
    return factor;
  }
  static bool Fits(double scaled) { return std::isfinite(scaled) && std::fabs(scaled) < kLargest; }

 private:
  static constexpr double kFactors[] = {1, 1e3, 1e6, 1e9};
  static constexpr double kMost = 9e15, kLargest = 9e18;  // whole numbers of double; of 64 bits
  double most_ = 0;
  bool keeps_[std::size(kFactors)] = {true, true, true, true};
};

// Reads the values of the program's metrics, before they are written.
class ScaleFinder : public TraceVisitor {
 public:
  explicit ScaleFinder(const TracePart& part) : part_(part) {}
  void Enter(uint32_t, int64_t, const Frame&) override {}
  void Leave(uint32_t, int64_t, const Frame&) override {}
  void Message(const archive::Message&) override {}
  void Record(uint32_t stream, int64_t, const archive::Event& event) override {
    if (event.kind != RecordKind::kMetric) return;
    const uint32_t process = part_.archive->streams()[stream].process;
    scales_[RegionOfField(*part_.archive, process, event.field[0])].Add(std::bit_cast<double>(event.field[1]));
  }

  // By name of the metric.
  std::map<std::string, double> Factors() const {
    std::map<std::string, double> factors;
    for (const auto& [name, scale] : scales_) factors[name] = scale.Factor();
    return factors;
  }

 private:
  const TracePart& part_;
  std::map<std::string, Scale> scales_;
};

std::map<std::string, double> FactorsOf(const TracePart& part) {
  if (part.archive->metrics().empty()) return {};
  ScaleFinder finder(part);
  Walk(part, &finder);
  return finder.Factors();
}

class ParaverWriter : public TraceVisitor {
 public:
  explicit ParaverWriter(const TracePart& part)
      : part_(part),
        factors_(FactorsOf(part)),
        places_(part),
        origin_(FirstNs(part)),
        open_(part.archive->streams().size()),
        state_(open_.size()) {}

  void Enter(uint32_t stream, int64_t ns, const Frame& frame) override {
    const uint32_t region = RegionOf(frame);
    open_[stream].push_back(region);
    std::string values = Value(kFunction, region + 1);
    if (const uint32_t type = TypeOf(region)) values += Value(type, region + 1);
    Event(stream, ns, values);
    Become(stream, ns, StateIn(region));
  }

  void Leave(uint32_t stream, int64_t ns, const Frame&) override {
    std::vector<uint32_t>& open = open_[stream];
    if (open.empty()) return;
    const uint32_t region = open.back();
    open.pop_back();
    std::string values = Value(kFunction, open.empty() ? 0 : open.back() + 1);
    if (const uint32_t type = TypeOf(region))
      values += Value(type, open.empty() || TypeOf(open.back()) != type ? 0 : open.back() + 1);
    Event(stream, ns, values);
    Become(stream, ns, open.empty() ? kIdle : StateIn(open.back()));
  }

  void Record(uint32_t stream, int64_t ns, const archive::Event& event) override {
    const uint32_t process = part_.archive->streams()[stream].process;
    switch (event.kind) {
      case RecordKind::kCollectiveEnd: {
        const auto root = static_cast<int64_t>(event.field[2]);
        Event(stream, ns,
              Value(kSent, event.field[3]) + Value(kReceived, event.field[4]) +
                  (root < 0 ? "" : Value(kRoot, static_cast<uint64_t>(root) + 1)) +
                  Value(kCommunicator, uint64_t{part_.archive->CommunicatorOf(process, event.field[1])} + 1));
        return;
      }
      case RecordKind::kMetric: {
        const std::string name = RegionOfField(*part_.archive, process, event.field[0]);
        const double value = std::bit_cast<double>(event.field[1]) * FactorOf(name);
        if (!Scale::Fits(value)) {
          ++values_left_out_[name];
          return;
        }
        const uint32_t type = kFirstMetric + metrics_.emplace(name, metrics_.size()).first->second;
        Event(stream, ns, Value(type, static_cast<uint64_t>(std::llround(value))));
        return;
      }
      case RecordKind::kParameter: {
        const std::string name = RegionOfField(*part_.archive, process, event.field[0]);
        Event(stream, ns,
              Value(kFirstParameter + parameters_.emplace(name, parameters_.size()).first->second, event.field[1]));
        return;
      }
      case RecordKind::kFlushBegin: Become(stream, ns, kTracingOff); return;
      case RecordKind::kSwitched: state_[stream].is_off = event.field[0] == 0; [[fallthrough]];
      case RecordKind::kFlushEnd:
        Become(stream, ns, open_[stream].empty() ? kIdle : StateIn(open_[stream].back()));
        return;
      // Message and calls show these.
      case RecordKind::kSend:
      case RecordKind::kReceive:
      case RecordKind::kSendBegin:
      case RecordKind::kSendEnd:
      case RecordKind::kReceiveBegin:
      case RecordKind::kReceivePosted:
      case RecordKind::kCollectivePosted:
      case RecordKind::kCollectivePeers:
      case RecordKind::kCollectiveCall:
      case RecordKind::kCommCreated:
      case RecordKind::kProbe:
      case RecordKind::kTurn:
      case RecordKind::kTurnSince:
      case RecordKind::kSendMode:
      case RecordKind::kTruncated:
      case RecordKind::kCollectiveFailed:
      case RecordKind::kSendRefused:
      case RecordKind::kFreedReceived:
      case RecordKind::kBufferEmpty:
      case RecordKind::kSendReady:
      case RecordKind::kReceiveEnd:
      case RecordKind::kRequestTest:
      case RecordKind::kCollectiveBegin:
      case RecordKind::kBarrier:
      case RecordKind::kTaskWait:
      case RecordKind::kAt: return;
      default: ++left_out_[event.kind];
    }
  }

  void Message(const archive::Message& message) override {
    const std::string sent = std::to_string(Time(message.send.ns));
    const std::string received = std::to_string(Time(message.receive.ns));
    lines_.Add(message.send.ns, "3:" + places_.Text(message.send.stream) + ":" + sent + ":" + sent + ":" +
                                    places_.Text(message.receive.stream) + ":" + received + ":" + received + ":" +
                                    std::to_string(message.receive.bytes) + ":" + std::to_string(message.tag) + "\n");
  }

  std::string Header() const { return places_.Header(Time(LastNs(part_))); }
  std::string Rows() const { return places_.Rows(); }
  SortedLines& lines() { return lines_; }

  // Sentences about what the files lack, or have in another form.
  void AddNotes(std::vector<std::string>* notes) const {
    uint64_t all = 0;
    std::string kinds;
    for (const auto& [kind, count] : left_out_) {
      all += count;
      kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(archive::NameOf(kind).name);
    }
    if (all > 0) {
      notes->push_back("left out: " + std::to_string(all) + " records that are not written to Paraver: " + kinds);
    }
    for (const auto& [name, count] : values_left_out_) {
      notes->push_back("left out: " + std::to_string(count) + " values of " + name +
                       " that are no numbers or too large for Paraver");
    }
    for (const auto& [name, number] : metrics_) {
      if (FactorOf(name) == 1) continue;
      notes->push_back("Paraver has whole numbers only: the values of " + name + " are written times " +
                       FactorText(name));
    }
  }

  std::string Meanings() const {
    std::string text =
        "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\nLOOK_BACK           100\n"
        "SPEED               1\nFLAG_ICONS          ENABLED\nNUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n"
        "DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\nSTATES\n";
    for (size_t s = 0; s < std::size(kStates); ++s) text += std::to_string(s) + "    " + kStates[s] + "\n";
    std::string values[4];  // functions, then types of MPI
    const std::vector<archive::Region>& regions = part_.archive->definitions().profile.regions;
    for (uint32_t r = 0; r <= regions.size(); ++r) {
      const std::string name = r < regions.size() ? regions[r].name : "(folded)";
      const std::string line = std::to_string(r + 1) + "   " + InOneLine(name) + "\n";
      values[0] += line;
      if (const uint32_t type = TypeOf(r)) values[type - kPointToPoint + 1] += line;
    }
    const auto type = [&](int color, uint32_t number, std::string_view name, const std::string& meaning) {
      text += "\n\nEVENT_TYPE\n" + std::to_string(color) + "    " + std::to_string(number) + "    " +
              InOneLine(std::string(name)) + "\n";
      if (!meaning.empty()) text += "VALUES\n0   End\n" + meaning;
    };
    type(9, kFunction, "User function", values[0]);
    type(9, kPointToPoint, "MPI Point-to-point", values[1]);
    type(9, kCollective, "MPI Collective Comm", values[2]);
    type(9, kOtherMpi, "MPI Other", values[3]);
    type(1, kSent, "Send Size in MPI Global OP", "");
    type(1, kReceived, "Recv Size in MPI Global OP", "");
    type(1, kRoot, "Root in MPI Global OP", "");
    type(1, kCommunicator, "Communicator in MPI Global OP", "");
    for (const auto& [name, number] : metrics_) type(7, kFirstMetric + number, Label(name), "");
    for (const auto& [name, number] : parameters_) type(7, kFirstParameter + number, name, "");
    return text + "\n";
  }

 private:
  struct Since {
    State state = kIdle;
    int64_t ns = INT64_MIN;
    bool is_off = false;  // the trace was switched off
  };

  double FactorOf(const std::string& name) const {
    const auto found = factors_.find(name);
    return found == factors_.end() ? 1 : found->second;
  }
  std::string FactorText(const std::string& name) const { return std::to_string(std::llround(FactorOf(name))); }
  // The name of a metric with its unit, and with the factor of its values.
  std::string Label(const std::string& name) const {
    std::string label = name;
    for (const archive::MetricName& metric : part_.archive->metrics()) {
      if (metric.name != name || metric.unit.empty()) continue;
      label += " [" + metric.unit + "]";
      break;
    }
    return FactorOf(name) == 1 ? label : label + " x " + FactorText(name);
  }

  int64_t Time(int64_t ns) const { return std::max<int64_t>(ns - origin_, 0); }
  static std::string Value(uint32_t type, uint64_t value) {
    return ":" + std::to_string(type) + ":" + std::to_string(static_cast<int64_t>(value));
  }
  void Event(uint32_t stream, int64_t ns, const std::string& values) {
    lines_.Add(ns, "2:" + places_.Text(stream) + ":" + std::to_string(Time(ns)) + values + "\n");
  }

  // Equal neighbours become one.
  void Become(uint32_t stream, int64_t ns, State state) {
    Since& since = state_[stream];
    if (since.is_off) state = kTracingOff;
    if (since.state == state) return;
    if (since.ns != INT64_MIN && since.ns < ns) {
      lines_.Add(since.ns, "1:" + places_.Text(stream) + ":" + std::to_string(Time(since.ns)) + ":" +
                               std::to_string(Time(ns)) + ":" + std::to_string(since.state) + "\n");
    }
    since.state = state;
    since.ns = ns;
  }

  const archive::Profile& profile() const { return part_.archive->definitions().profile; }
  uint32_t RegionOf(const Frame& frame) const {
    return frame.call_path == archive::kNone ? static_cast<uint32_t>(profile().regions.size())
                                             : profile().call_paths[frame.call_path].region;
  }
  uint32_t TypeOf(uint32_t region) const {
    return region < profile().regions.size() ? MpiType(profile().regions[region]) : 0;
  }
  State StateIn(uint32_t region) const {
    return region < profile().regions.size() ? StateOf(profile().regions[region]) : kRunning;
  }

  const TracePart& part_;
  std::map<std::string, double> factors_;  // of the values of metrics, by name
  Places places_;
  int64_t origin_;
  std::vector<std::vector<uint32_t>> open_;  // by stream
  std::vector<Since> state_;
  std::map<std::string, uint32_t> metrics_, parameters_;
  SortedLines lines_;
  std::map<RecordKind, uint64_t> left_out_;
  std::map<std::string, uint64_t> values_left_out_;  // by metric
};

bool WriteFile(const std::string& path, const std::string& text, std::string* error) {
  archive::AtomicFile file;
  return file.Open(path, error) && file.Write(text.data(), text.size(), error) && file.Commit(/*sync=*/false, error);
}

}  // namespace

bool WriteParaver(const TracePart& part, const std::string& path, std::vector<std::string>* notes, std::string* error) {
  const std::string stem = path.ends_with(".prv") ? path.substr(0, path.size() - 4) : path;
  ParaverWriter writer(part);
  const WalkResult result = Walk(part, &writer);
  *notes = result.problems;
  writer.AddNotes(notes);
  if (result.unmatched > 0) {
    notes->push_back("left out: " + std::to_string(result.unmatched) +
                     " sends and receives whose other end is not here");
  }
  archive::AtomicFile file;
  bool good = file.Open(stem + ".prv", error);
  const Sink sink = [&](std::string_view text) { good = good && file.Write(text.data(), text.size(), error); };
  sink(writer.Header());
  if (!writer.lines().Write(sink) && good) {
    *error = "temporary files cannot be written";
    good = false;
  }
  return good && file.Commit(/*sync=*/false, error) && WriteFile(stem + ".pcf", writer.Meanings(), error) &&
         WriteFile(stem + ".row", writer.Rows(), error);
}

}  // namespace epik::report
