// SPDX-License-Identifier: BSD-3-Clause
// The traces of an archive, for every tool that reads traces: definitions, one stream for each thread, and all events
// merged in order of time. Several threads may use it at the same time.
#ifndef EPIK_ARCHIVE_TRACE_TRACE_ARCHIVE_H_
#define EPIK_ARCHIVE_TRACE_TRACE_ARCHIVE_H_

#include <memory>
#include <mutex>
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
    ProcessFile file;
    Clock clock;                    // to nanoseconds since the job began
    std::vector<uint32_t> node_of;  // for each call path, one of its nodes; the first question fills it in
    std::once_flag asked;
  };
  struct Stream {
    uint32_t process;   // of processes()
    uint32_t number;    // of the thread within its process
    uint32_t location;  // index into definitions().profile.locations; kNone: the definitions lack this thread
  };

  // Opens an archive directory. False, with the reason, when it has no readable trace. If `only` is not negative, it
  // opens the trace of this rank alone.
  bool Open(const std::string& path, std::string* error, int32_t only = -1);

  const std::string& path() const { return path_; }  // without a slash at its end
  const TraceDefinitions& definitions() const { return definitions_; }
  const std::vector<std::unique_ptr<Process>>& processes() const { return processes_; }  // by rank
  const std::vector<Stream>& streams() const { return streams_; }                        // by rank, then number
  const std::vector<MetricName>& metrics() const { return metrics_; }  // of all processes, by rank, with duplicates
  const std::vector<std::string>& problems() const {
    return problems_;
  }  // sentences about traces that could not be read

  // The definition of a number in the trace of a process. kNone: the number is not known, or its call path was beyond
  // what the measurement recorded.
  uint32_t CallPath(uint32_t process, uint32_t node) const;
  uint32_t Region(uint32_t process, uint64_t number) const;
  uint32_t CommunicatorOf(uint32_t process, uint64_t number) const;
  uint32_t WindowOf(uint32_t process, uint64_t number) const;
  const MetricName* Metric(uint32_t process, uint64_t number) const;

  // The node of the caller; 0 when it is not known.
  uint32_t ParentOfNode(uint32_t process, uint32_t node) const;

  // Whether a call of `node` within `outer` is not a visit of its own, because the compiler made its function from an
  // OpenMP construct.
  bool HasFolded() const { return has_folded_; }
  bool Folds(uint32_t process, uint32_t outer, uint32_t node) const {
    if (!has_folded_ || node == outer) return false;
    const uint32_t path = CallPath(process, node);
    return path != kNone && path == CallPath(process, outer) && IsOfConstruct(process, node);
  }

  // The name of the region of a node; "(folded)" when its call path was not recorded.
  std::string_view NameOfNode(uint32_t process, uint32_t node) const;

 private:
  bool IsOfConstruct(uint32_t process, uint32_t node) const;

  std::string path_;
  TraceDefinitions definitions_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<Stream> streams_;
  std::vector<MetricName> metrics_;
  std::vector<std::string> problems_;
  bool has_folded_ = false;
  bool knows_folded_ = false;  // older traces do not tell which nodes these are
};

// All events of some streams, merged in order of time. Memory: one block for each stream that has begun.
class TraceReader {
 public:
  struct Item {
    Event event;
    uint32_t stream;     // of TraceArchive::streams()
    uint32_t call_path;  // of event.node
    int64_t ns;          // since the job began
  };

  // `archive` must outlive the reader. Without `streams`, it reads all.
  explicit TraceReader(const TraceArchive* archive, std::vector<uint32_t> streams = {});
  void Seek(int64_t ns) { merged_.Seek(ns); }
  bool Next(Item* item);
  // The open nodes in the stream of the last item, right after that item.
  const std::vector<uint32_t>& stack() const { return merged_.stack(); }
  // Sentences about the damage that was found so far.
  std::vector<std::string> Problems() const;

 private:
  bool Fold(Item* item) const;

  struct Known {
    uint32_t process = UINT32_MAX, node = 0, path = 0;
  };

  const TraceArchive* archive_;
  std::vector<uint32_t> streams_;
  MergedReader merged_;
  std::vector<Known> known_;  // call paths that were looked up lately
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_TRACE_ARCHIVE_H_
