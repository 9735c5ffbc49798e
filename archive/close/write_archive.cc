// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/write_archive.h"

#include <algorithm>
#include <bit>

#include "archive/close/digest.h"
#include "archive/close/files_table.h"
#include "archive/close/one_clock.h"
#include "archive/close/origin.h"
#include "archive/close/ownership.h"
#include "archive/close/trace_backends.h"
#include "archive/close/write_traces.h"
#include "archive/cubex/writer.h"
#include "archive/directory/archive.h"
#include "archive/files/atomic_file.h"
#include "archive/metrics/imbalance_rows.h"
#include "config/report.h"
#include "config/settings.h"
#include "view/number.h"
#include "view/shell.h"

namespace epik::archive {
namespace {

bool IsTraced(const JobSummary& job) {
  return std::any_of(job.processes.begin(), job.processes.end(),
                     [](const ProcessFacts& facts) { return facts.numbers.traced != 0; });
}

std::string TitleOf(const JobSummary& job) {
  if (!job.processes.front().title.empty()) return job.processes.front().title;
  return job.manifest.program + "_" + std::to_string(job.manifest.ranks) + "x" + std::to_string(job.manifest.threads) +
         (IsTraced(job) ? "_trace" : "_sum");
}

// The work of rank 0: everything except publishing. These are the words of the manifest.
std::string ComputedInRun(const config::Settings& settings) {
  const bool waits = settings.waits && settings.summary;
  return std::string(waits ? "waits" : "") + (waits && settings.monitor_statistics ? " and " : "") +
         (settings.monitor_statistics ? "statistics" : "");
}

class Writer : public RowSink {
 public:
  explicit Writer(const WriteRequest& request) : request_(request) {}

  RowSink* Open(const JobSummary& job) {
    if (job.processes.empty()) {
      error_ = "no process of the job measured anything";
      return nullptr;
    }
    if (job.profile.call_paths.empty()) {
      is_empty_ = true;
      return nullptr;
    }
    job_ = job;
    time_.resize(job.profile.call_paths.size());
    time_metric_ = job.profile.FindMetric("time");
    visits_metric_ = job.profile.FindMetric("visits");
    settings_ = config::ReadConf(job.processes.front().configuration);
    summarized_ = !IsTraced(job) || settings_.summary;  // with a trace, the profile may be left out
    job_.manifest.computed_in_run = ComputedInRun(settings_);
    if (!settings_.machine_name.empty()) job_.profile.machine = settings_.machine_name;
    if (!summarized_) return this;
    Profile definitions = job_.profile;
    imbalance_.Open(request_.unfinished, &definitions);
    if (!cubex_.Open(request_.unfinished + "/summary.cubex") || !cubex_.Begin(definitions, {})) return nullptr;
    return this;
  }
  bool BeginMetric(uint32_t metric, const std::vector<bool>& used) override {
    metric_ = metric;
    return !summarized_ || cubex_.BeginMetric(metric, used);
  }
  bool Row(uint32_t path, const uint64_t* cells) override {
    if (metric_ == time_metric_) {
      for (size_t l = 0; l < job_.profile.locations.size(); ++l) time_[path] += std::bit_cast<double>(cells[l]);
    }
    if (metric_ == visits_metric_) Count(job_.profile.regions[job_.profile.call_paths[path].region], cells);
    return !summarized_ || (cubex_.AppendRow(cells) && imbalance_.Take(metric_, path, cells)) || Fail();
  }
  bool EndMetric() override { return !summarized_ || cubex_.EndMetric(); }

  bool Finish() {
    const std::string& folder = request_.unfinished;
    if (IsTraced(job_) && !WriteTraceDefinitions(job_, folder, &error_)) return false;
    if (summarized_ && !(imbalance_.Write(&cubex_) && cubex_.Finish())) return Fail();
    return WriteTraffic(folder + "/communication.csv") && WriteFiles(folder + "/io.csv") &&
           WriteFileAtomically(folder + "/epik.conf", job_.processes.front().configuration, &error_);
  }

  // The format that the user wants for the trace, if it is not EPIK's own.
  std::string TraceFormat() const { return IsTraced(job_) && !request_.hint.recovered ? TraceFormatOf(settings_) : ""; }
  const std::string& Program() const { return job_.manifest.program; }
  void SayTraceFormat(const std::string& format, const std::string& problem) {
    if (problem.empty()) {
      job_.manifest.trace.format = format;
    } else {
      trouble_ = "the trace could not be written as " + format + ", and is EPIK's own: " + problem;
      job_.manifest.notes.push_back(trouble_);
    }
  }

  // The finished archive whose trace is analysed and not kept; empty: none.
  std::string ToAnalyze(const WriteResult& result) const {
    const bool can = IsTraced(job_) && !request_.hint.recovered && !request_.hint.running &&
                     job_.manifest.trace.format == Manifest().trace.format;
    return can && settings_.analyze ? result.path : "";
  }
  void SayAnalyzed(const std::string& problem, WriteResult* result) {
    if (problem.empty()) {
      job_.manifest.trace.format = kAnalysisFormat;
      result->digest.push_back("the trace is analysed and not kept: epk report " + view::InShell(result->path));
    } else {
      job_.manifest.notes.push_back("the trace was not analysed: " + problem);
      result->digest.push_back("the trace is not analysed, and kept: " + problem);
    }
    WriteFileAtomically(result->path + "/manifest.json", job_.manifest.ToJson(), &error_);
  }

  bool Publish(WriteResult* result) {
    job_.manifest.title = job_.processes.front().title;
    if (!request_.hint.recovered) {  // a recovery may run in another folder
      job_.manifest.revision = RevisionAround(request_.parent);
      TakeHost();
    }
    if (!request_.damaged.empty()) {
      result->damage = "the memory of " + view::Plural(request_.damaged.size(), "process", "processes") +
                       " is damaged: the archive has what EPIK could read, and keeps the files in its folder " +
                       kDamagedName;
      job_.manifest.notes.push_back(result->damage);
    }
    if (!WriteFileAtomically(request_.unfinished + "/manifest.json", job_.manifest.ToJson(), &error_)) return false;
    const std::string title = TitleOf(job_) + (request_.hint.running ? "_snapshot" : "");
    if (!PublishDirectory(request_.unfinished, request_.parent, title, &result->path, &error_)) return false;
    // Not before: if the process is killed now, a whole archive is left, with or without remaining arenas.
    if (!request_.keep_arenas) RemoveArenas(result->path, request_.damaged);
    RemoveScopes(result->path);
    Manifest told = job_.manifest;
    if (!ToAnalyze(*result).empty()) told.trace.format = kAnalysisFormat;  // then the user need not analyse it
    const bool too_early = settings_.analyze && IsTraced(job_) && request_.hint.recovered;
    if (too_early) {
      trouble_ += std::string(trouble_.empty() ? "" : "; ") +
                  "the trace is not analysed (EPK_ANALYZE): the program did not end by itself";
    }
    result->digest =
        Digest(result->path, job_.profile, time_, told, summarized_ || settings_.trace.all, job_.lines_left_out);
    if (!trouble_.empty()) result->digest.push_back(trouble_);
    return true;
  }

  // There was no call in any process, so there will be no archive.
  bool is_empty() const { return is_empty_; }
  const std::string& error() const { return error_.empty() ? cubex_.error() : error_; }

 private:
  void TakeHost() {
    const HostClass host = ThisHost();
    job_.manifest.processor = host.processor;
    job_.manifest.processors = host.processors;
    std::string problem;
    if (FindCalibration(settings_.costs, host, &job_.manifest.costs, &problem) || problem.empty()) return;
    job_.manifest.notes.push_back(problem);
    trouble_ += (trouble_.empty() ? "" : "; ") + problem;
  }

  // Counts the regions that the adapters saw, for the manifest.
  void Count(const Region& region, const uint64_t* visits) {
    const bool is_mpi = region.paradigm == "mpi";
    if (!is_mpi && (region.paradigm != "openmp" || region.role != "parallel")) return;
    uint64_t& seen = is_mpi ? job_.manifest.mpi_calls : job_.manifest.openmp_regions;
    for (size_t l = 0; l < job_.profile.locations.size(); ++l) seen += visits[l];
  }

  bool Fail() {
    if (cubex_.error().empty()) error_ = "no room for the rows of the profile in " + request_.unfinished;
    return false;
  }

  // Writes the table of messages from rank to rank. There is no file when no message was sent.
  bool WriteTraffic(const std::string& path) {
    std::string text = "from,to,messages,bytes\n";
    const size_t heading = text.size();
    for (const ProcessFacts& facts : job_.processes) {
      for (const PeerTraffic& peer : facts.peers) {
        text += std::to_string(facts.numbers.rank) + "," + std::to_string(peer.rank) + "," +
                std::to_string(peer.messages) + "," + std::to_string(peer.bytes) + "\n";
      }
    }
    return text.size() == heading || WriteFileAtomically(path, text, &error_);
  }

  // Writes how each process used each file. There is no file when no process counted that (io::).
  bool WriteFiles(const std::string& path) {
    std::string text = FilesHeading();
    const size_t heading = text.size();
    for (const ProcessFacts& facts : job_.processes) {
      for (const FileDefinition& file : facts.files) text += LineOfFile(facts.numbers.rank, file);
    }
    return text.size() == heading || WriteFileAtomically(path, text, &error_);
  }

  const WriteRequest& request_;
  JobSummary job_;
  config::Settings settings_;
  bool summarized_ = true;
  bool is_empty_ = false;
  CubexWriter cubex_;
  ImbalanceRows imbalance_;
  std::vector<double> time_;  // exclusive, over all locations, by call path
  uint32_t metric_ = 0;
  uint32_t time_metric_ = 0;
  uint32_t visits_metric_ = 0;
  std::string error_;
  std::string trouble_;  // problems that are reported to people
};

// If a trace could not be completed, it becomes part of the archive as it is, and a note says so.
ProcessPart MakePartAndMap(ProcessImage image, const WriteRequest& request, ProcessMap* map) {
  if (image.load != nullptr) {
    const auto load = std::move(image.load);
    load(&image);
  }
  TraceEnd end;
  std::string problem;
  const bool whole = EndTrace(image, request.hint.running, request.unfinished, &end, &problem);
  *map = BeginMap(image, end);
  ProcessPart part = MakePart(std::move(image));
  if (!whole) DefinitionSet(&part.definitions).Note("the trace is not complete: " + problem);
  part.facts.numbers.trace_events = end.events;
  part.facts.numbers.trace_bytes = end.bytes;
  return part;
}

// Collective: converts the trace to the format that the user wants, if this can be done here.
void WriteTraceFormat(Group* group, const WriteRequest& request, int32_t rank, Writer* writer) {
  const std::string format = group->Broadcast(group->IsRoot() ? writer->TraceFormat() : "");
  if (format.empty()) return;
  std::string problem;
  const bool done = WriteInFormat(group, format, request.unfinished, rank, writer->Program(), &problem);
  if (!done && problem.empty()) problem = "another process could not write its part";
  if (group->IsRoot()) writer->SayTraceFormat(format, done ? "" : problem);
}

// Collective; call it when the archive is whole. The analysis takes the place of the trace. If the process is killed
// meanwhile, the trace stays.
void AnalyzeTrace(Group* group, bool good, int32_t rank, Writer* writer, WriteResult* result) {
  const std::string folder = group->Broadcast(group->IsRoot() && good ? writer->ToAnalyze(*result) : "");
  if (folder.empty()) return;
  std::string problem;
  const bool done = WriteInFormat(group, kAnalysisFormat, folder, rank, "", &problem);
  if (!done && problem.empty()) problem = "another process could not do its part";
  if (group->IsRoot()) writer->SayAnalyzed(done ? "" : problem, result);
}

// All processes get the same answer.
bool AnyTrace(Group* group, const std::vector<ProcessPart>& parts) {
  bool any = false;
  for (const ProcessPart& part : parts) any = any || part.facts.numbers.traced != 0;
  return !group->Agree(!any);
}

}  // namespace

bool WriteArchive(Group* group, std::vector<ProcessImage> images, const WriteRequest& request, WriteResult* result,
                  std::string* error) {
  ShareClocks(group, &images);
  std::vector<ProcessPart> parts;
  parts.reserve(images.size());
  std::vector<ProcessMap> maps(images.size());
  for (size_t i = 0; i < images.size(); ++i) {
    parts.push_back(MakePartAndMap(std::move(images[i]), request, &maps[i]));
  }
  images.clear();
  Writer writer(request);
  std::vector<Mapping> numbers;
  std::string problem;
  bool good = SummarizeJob(
      group, parts, request.hint, [&](const JobSummary& job) { return writer.Open(job); }, &numbers);
  const bool traced = AnyTrace(group, parts);
  if (traced) {
    for (size_t i = 0; i < numbers.size(); ++i) EndMap(parts[i], numbers[i], &maps[i]);
    good = WriteMaps(group, maps, request.unfinished, &problem) && good;
  }
  if (group->IsRoot()) good = good && writer.Finish();
  // The one process that does the work, or one of those that end together.
  if (traced && group->Agree(good)) {
    WriteTraceFormat(group, request, maps.empty() ? kNoRank : maps.front().rank, &writer);
  }
  if (group->IsRoot()) good = good && writer.Publish(result);
  if (traced) AnalyzeTrace(group, good, maps.empty() ? kNoRank : maps.front().rank, &writer, result);
  const bool nothing = group->IsRoot() && writer.is_empty();
  if (nothing && !request.keep_arenas && request.damaged.empty()) RemoveUnfinished(request.unfinished);
  if (!good) {
    *error = !writer.error().empty() ? writer.error()
             : !problem.empty()      ? problem
                                     : "the processes of the job lost contact";
  }
  if (group->Agree(good) || nothing) return true;
  if (error->empty()) *error = "rank 0 could not write the archive";
  return false;
}

}  // namespace epik::archive
