// SPDX-License-Identifier: BSD-3-Clause
// Results on disk: a .cubex file, or an archive whose manifest names the operation and its inputs.
#ifndef EPIK_ANALYSIS_ALGEBRA_STORE_H_
#define EPIK_ANALYSIS_ALGEBRA_STORE_H_

#include <string>
#include <vector>

#include "analysis/algebra/combine.h"
#include "analysis/algebra/experiment.h"

namespace epik::algebra {

// The inputs of an operation.
struct Inputs {
  std::vector<std::string> paths;
  std::vector<Operand> operands;
  std::vector<archive::Archive> archives;  // one for each; without a manifest for .cubex files
  std::vector<std::string> notes;          // about content that could not be taken over
};

bool OpenInputs(const std::vector<std::string>& paths, Inputs* inputs, std::string* error);

// `command` is for the manifest: "mean of A B". A path that ends in .cubex is replaced in one step; any other path
// becomes a directory and must not exist yet.
bool Store(const Experiment& result, const std::string& command, const Inputs& inputs, const std::string& path,
           std::string* error);

// Reads, combines and writes.
bool CombineFiles(Operation operation, const std::vector<std::string>& paths, const std::string& output,
                  std::vector<std::string>* notes, std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_STORE_H_
