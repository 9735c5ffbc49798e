// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/algebra/store.h"

#include <algorithm>
#include <filesystem>

#include "archive/directory/new_archive.h"
#include "archive/files/atomic_file.h"
#include "view/number.h"

namespace epik::algebra {

using archive::Manifest;
using archive::Profile;

namespace {

bool IsCubex(const std::string& path) { return path.size() > 6 && path.ends_with(".cubex"); }

// A result of the algebra is not a run: facts about how one of its inputs ran and was measured are not true of it. It
// keeps the program and the machine of the first input, the longest wall time, and a note with the command.
Manifest MakeManifest(const Profile& definitions, const std::string& command, const Inputs& inputs) {
  Manifest manifest;
  manifest.ended = "";
  for (const archive::Archive& archive : inputs.archives) {
    if (!archive.has_manifest) continue;
    const Manifest& run = archive.manifest;
    manifest.wall_seconds = std::max(manifest.wall_seconds, run.wall_seconds);
    if (!manifest.program.empty()) continue;
    manifest.program = run.program;
    manifest.title = run.title;
    manifest.revision = run.revision;
    manifest.host = run.host;
    manifest.processor = run.processor;
    manifest.processors = run.processors;
    manifest.started = run.started;
    manifest.timer = run.timer;
    manifest.ticks_per_second = run.ticks_per_second;
  }
  if (manifest.program.empty()) manifest.program = std::filesystem::path(inputs.paths[0]).stem().string();
  manifest.ranks = static_cast<int>(definitions.processes.size());
  manifest.threads = 1;
  for (const archive::Location& location : definitions.locations) {
    manifest.threads = std::max(manifest.threads, location.thread + 1);
  }
  manifest.notes = {command};
  manifest.notes.insert(manifest.notes.end(), inputs.notes.begin(), inputs.notes.end());
  return manifest;
}

bool WriteInto(const std::string& folder, const Experiment& result, const Manifest& manifest, std::string* error) {
  return WriteCubex(result, folder + "/" + archive::kSummaryName, {}, error) &&
         archive::WriteFileAtomically(folder + "/" + archive::kManifestName, manifest.ToJson(), error);
}

// A thread that one run lacks counts there as one that did nothing.
void NoteSizes(Inputs* inputs) {
  const size_t first = inputs->operands[0]->definitions().locations.size();
  for (size_t i = 1; i < inputs->operands.size(); ++i) {
    const size_t threads = inputs->operands[i]->definitions().locations.size();
    if (threads == first) continue;
    inputs->notes.push_back("the runs are not alike: " + inputs->paths[i] + " has " + view::Plural(threads, "thread") +
                            ", " + inputs->paths[0] + " " + view::Count(first));
  }
}

}  // namespace

bool OpenInputs(const std::vector<std::string>& paths, Inputs* inputs, std::string* error) {
  for (const std::string& path : paths) {
    archive::Archive archive;
    Operand operand = OpenExperiment(path, &archive, &inputs->notes, error);
    if (operand == nullptr) return false;
    inputs->paths.push_back(path);
    inputs->operands.push_back(std::move(operand));
    inputs->archives.push_back(std::move(archive));
  }
  return true;
}

bool Store(const Experiment& result, const std::string& command, const Inputs& inputs, const std::string& path,
           std::string* error) {
  if (IsCubex(path)) return WriteCubex(result, path, {}, error);
  archive::NewArchive made;
  if (made.Open(path, error)) {
    return WriteInto(made.path(), result, MakeManifest(result.definitions(), command, inputs), error) &&
           made.Commit(error);
  }
  if (std::filesystem::exists(std::filesystem::symlink_status(path))) *error += ", or one that ends in .cubex";
  return false;
}

bool CombineFiles(Operation operation, const std::vector<std::string>& paths, const std::string& output,
                  std::vector<std::string>* notes, std::string* error) {
  Inputs inputs;
  if (!OpenInputs(paths, &inputs, error)) return false;
  NoteSizes(&inputs);
  const Operand result = Combine(operation, inputs.operands, &inputs.notes, error);
  *notes = inputs.notes;
  if (result == nullptr) return false;
  std::string command = std::string(OperationName(operation)) + " of";
  for (const std::string& path : paths) command += " " + path;
  return Store(*result, command, inputs, output, error);
}

}  // namespace epik::algebra
