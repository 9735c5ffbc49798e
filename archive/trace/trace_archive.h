// SPDX-License-Identifier: BSD-3-Clause
// The traces of an archive, for everything that looks at traces: definitions, one stream for each thread, and all
// events in the order of one time. Offline only.
#ifndef EPIK_ARCHIVE_TRACE_TRACE_ARCHIVE_H_
#define EPIK_ARCHIVE_TRACE_TRACE_ARCHIVE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/trace/maps.h"
#include "archive/trace/merged_reader.h"

namespace epik::archive {

class TraceArchive {
 public:
  struct Process {
    ProcessMap map;
    epilog::TraceFile file;
    epilog::Clock clock;            // to nanoseconds since the job began
    std::vector<uint32_t> node_of;  // by call path: one of its nodes; empty until somebody asks
  };
  struct Stream {
    uint32_t process;   // of processes()
    uint32_t number;    // of the thread within its process
    uint32_t location;  // of definitions().profile.locations; kNone: it is not named there
  };

  // An archive directory. False, with the reason, when it has no trace that can be read.
  // `only`: the trace of this rank alone, when it is not negative.
  bool Open(const std::string& path, std::string* error, int32_t only = -1);

  const TraceDefinitions& definitions() const { return definitions_; }
  const std::vector<std::unique_ptr<Process>>& processes() const { return processes_; }  // by rank
  const std::vector<Stream>& streams() const { return streams_; }                        // by rank, then number
  const std::vector<MetricName>& metrics() const { return metrics_; }  // of all processes, by rank; many are the same
  const std::vector<std::string>& problems() const { return problems_; }  // sentences: what could not be read

  // What a number in the trace of a process stands for; kNone: not known, or no call path (calls beyond what was
  // recorded).
  uint32_t CallPath(uint32_t process, uint32_t node) const;
  uint32_t Region(uint32_t process, uint64_t number) const;
  uint32_t CommunicatorOf(uint32_t process, uint64_t number) const;
  uint32_t WindowOf(uint32_t process, uint64_t number) const;
  const MetricName* Metric(uint32_t process, uint64_t number) const;

  // A node of the process that stands for the caller of this one; 0: not known.
  uint32_t ParentOfNode(uint32_t process, uint32_t node) const;

  // Whether a call of this node within one of `outer` is no call of its own: a function that a compiler made of an
  // OpenMP construct.
  bool HasFolded() const { return has_folded_; }
  bool Folds(uint32_t process, uint32_t outer, uint32_t node) const {
    if (!has_folded_) return false;
    const uint32_t path = CallPath(process, node);
    return path != epitome::kNone && path == CallPath(process, outer);
  }

  // The name of what is entered there; "(folded)" for what is no call path.
  std::string_view NameOfNode(uint32_t process, uint32_t node) const;

 private:
  std::string path_;
  TraceDefinitions definitions_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<Stream> streams_;
  std::vector<MetricName> metrics_;
  std::vector<std::string> problems_;
  bool has_folded_ = false;
};

// All events of some streams, merged. Memory: a block of each stream that is open.
class TraceReader {
 public:
  struct Item {
    epilog::Event event;
    uint32_t stream;     // of TraceArchive::streams()
    uint32_t call_path;  // of event.node
    int64_t ns;          // since the job began
  };

  // `archive` outlives the reader. Without `streams`: all.
  explicit TraceReader(const TraceArchive* archive, std::vector<uint32_t> streams = {});
  void Seek(int64_t ns) { merged_.Seek(ns); }
  bool Next(Item* item);
  // Nodes that are open in the stream of the last item, after it.
  const std::vector<uint32_t>& stack() const { return merged_.stack(); }
  // What was wrong in the streams so far.
  std::vector<std::string> Problems() const;

 private:
  bool Fold(Item* item) const;

  struct Known {
    uint32_t process = UINT32_MAX, node = 0, path = 0;
  };

  const TraceArchive* archive_;
  std::vector<uint32_t> streams_;
  epilog::MergedReader merged_;
  std::vector<Known> known_;  // call paths looked up lately
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_TRACE_ARCHIVE_H_
