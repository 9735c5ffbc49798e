// SPDX-License-Identifier: BSD-3-Clause
#include "archive/otf2/words.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_map>

namespace epik::archive {

OTF2_RegionRole RoleOf(const std::string& role) {
  static const std::unordered_map<std::string, OTF2_RegionRole> kRoles = {
      {"function", OTF2_REGION_ROLE_FUNCTION},
      {"wrapper", OTF2_REGION_ROLE_WRAPPER},
      {"loop", OTF2_REGION_ROLE_LOOP},
      {"code", OTF2_REGION_ROLE_CODE},
      {"parallel", OTF2_REGION_ROLE_PARALLEL},
      {"sections", OTF2_REGION_ROLE_SECTIONS},
      {"section", OTF2_REGION_ROLE_SECTION},
      {"workshare", OTF2_REGION_ROLE_WORKSHARE},
      {"single", OTF2_REGION_ROLE_SINGLE},
      {"single sblock", OTF2_REGION_ROLE_SINGLE_SBLOCK},
      {"master", OTF2_REGION_ROLE_MASTER},
      {"critical", OTF2_REGION_ROLE_CRITICAL},
      {"critical sblock", OTF2_REGION_ROLE_CRITICAL_SBLOCK},
      {"atomic", OTF2_REGION_ROLE_ATOMIC},
      {"barrier", OTF2_REGION_ROLE_BARRIER},
      {"implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
      {"flush", OTF2_REGION_ROLE_FLUSH},
      {"ordered", OTF2_REGION_ROLE_ORDERED},
      {"ordered sblock", OTF2_REGION_ROLE_ORDERED_SBLOCK},
      {"task", OTF2_REGION_ROLE_TASK},
      {"task create", OTF2_REGION_ROLE_TASK_CREATE},
      {"taskwait", OTF2_REGION_ROLE_TASK_WAIT},
      {"task wait", OTF2_REGION_ROLE_TASK_WAIT},
      {"one2all", OTF2_REGION_ROLE_COLL_ONE2ALL},
      {"all2one", OTF2_REGION_ROLE_COLL_ALL2ONE},
      {"all2all", OTF2_REGION_ROLE_COLL_ALL2ALL},
      {"other collective", OTF2_REGION_ROLE_COLL_OTHER},
      {"point2point", OTF2_REGION_ROLE_POINT2POINT},
      {"file io", OTF2_REGION_ROLE_FILE_IO},
      {"rma", OTF2_REGION_ROLE_RMA},
      {"dynamic", OTF2_REGION_ROLE_CODE},
      {"dynamic phase", OTF2_REGION_ROLE_CODE},
      {"artificial", OTF2_REGION_ROLE_ARTIFICIAL},
      {kThreadRole, OTF2_REGION_ROLE_THREAD_CREATE},
      {"thread wait", OTF2_REGION_ROLE_THREAD_WAIT},
  };
  const auto found = kRoles.find(role);
  return found == kRoles.end() ? OTF2_RegionRole{OTF2_REGION_ROLE_UNKNOWN} : found->second;
}

OTF2_RegionFlag FlagsOf(const std::string& role) {
  if (role == "dynamic phase") return OTF2_REGION_FLAG_DYNAMIC | OTF2_REGION_FLAG_PHASE;
  return role == "dynamic" ? OTF2_REGION_FLAG_DYNAMIC : OTF2_REGION_FLAG_NONE;
}

OTF2_Paradigm ParadigmOf(const std::string& paradigm) {
  static const std::unordered_map<std::string, OTF2_Paradigm> kParadigms = {
      {"compiler", OTF2_PARADIGM_COMPILER}, {"user", OTF2_PARADIGM_USER},
      {"mpi", OTF2_PARADIGM_MPI},           {"openmp", OTF2_PARADIGM_OPENMP},
      {"pthread", OTF2_PARADIGM_PTHREAD},   {"measurement", OTF2_PARADIGM_MEASUREMENT_SYSTEM},
  };
  const auto found = kParadigms.find(paradigm);
  return found == kParadigms.end() ? OTF2_Paradigm{OTF2_PARADIGM_UNKNOWN} : found->second;
}

std::span<const ParadigmWord> Paradigms() {
  static constexpr ParadigmWord kParadigms[] = {
      {"mpi", "MPI", OTF2_PARADIGM_MPI, OTF2_PARADIGM_CLASS_PROCESS},
      {"openmp", "OpenMP", OTF2_PARADIGM_OPENMP, OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN},
      {"pthread", "POSIX threads", OTF2_PARADIGM_PTHREAD, OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT},
  };
  return kParadigms;
}

OTF2_CollectiveOp OperationOf(std::string name) {
  static const std::unordered_map<std::string_view, OTF2_CollectiveOp> kOperations = {
      {"barrier", OTF2_COLLECTIVE_OP_BARRIER},
      {"bcast", OTF2_COLLECTIVE_OP_BCAST},
      {"gather", OTF2_COLLECTIVE_OP_GATHER},
      {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
      {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
      {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
      {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
      {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
      {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
      {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
      {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
      {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
      {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
      {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
      {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
      {"scan", OTF2_COLLECTIVE_OP_SCAN},
      {"exscan", OTF2_COLLECTIVE_OP_EXSCAN},
  };
  if (name.starts_with("MPI")) name.erase(0, name.find('_') + 1);  // MPI_, MPIX_
  if (name.ends_with("_c")) name.erase(name.size() - 2);
  if (name.ends_with("_init")) name.erase(name.size() - 5);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  auto found = kOperations.find(name);
  if (found == kOperations.end() && name.starts_with("i")) found = kOperations.find(std::string_view(name).substr(1));
  // All other collective operations make communicators, windows or files.
  return found == kOperations.end() ? OTF2_CollectiveOp{OTF2_COLLECTIVE_OP_CREATE_HANDLE} : found->second;
}

CommCall OfCommunicator(std::string_view function) {
  static const std::unordered_map<std::string_view, CommCall> kCalls = {
      {"Comm_dup", CommCall::kMakes},
      {"Comm_dup_with_info", CommCall::kMakes},
      {"Comm_create", CommCall::kMakes},
      {"Comm_create_group", CommCall::kMakes},
      {"Comm_split", CommCall::kMakes},
      {"Comm_split_type", CommCall::kMakes},
      {"Comm_accept", CommCall::kMakes},
      {"Comm_connect", CommCall::kMakes},
      {"Comm_join", CommCall::kMakes},
      {"Comm_spawn", CommCall::kMakes},
      {"Comm_spawn_multiple", CommCall::kMakes},
      {"Comm_shrink", CommCall::kMakes},
      {"Intercomm_create", CommCall::kMakes},
      {"Intercomm_merge", CommCall::kMakes},
      {"Cart_create", CommCall::kMakes},
      {"Cart_sub", CommCall::kMakes},
      {"Graph_create", CommCall::kMakes},
      {"Dist_graph_create", CommCall::kMakes},
      {"Dist_graph_create_adjacent", CommCall::kMakes},
      {"Comm_free", CommCall::kFrees},
      {"Comm_disconnect", CommCall::kFrees},
  };
  const size_t prefix = function.find('_');  // MPI_, MPIX_
  if (!function.starts_with("MPI") || prefix == std::string_view::npos) return CommCall::kNone;
  const auto found = kCalls.find(function.substr(prefix + 1));
  return found == kCalls.end() ? CommCall::kNone : found->second;
}

OTF2_MetricType SourceOf(const std::string& metric, MetricName::Kind kind) {
  if (kind == MetricName::kUser) return OTF2_METRIC_TYPE_USER;
  if (metric.starts_with("papi::") || metric.starts_with("PAPI_")) return OTF2_METRIC_TYPE_PAPI;
  return metric.starts_with("rusage::") ? OTF2_METRIC_TYPE_RUSAGE : OTF2_METRIC_TYPE_OTHER;
}

OTF2_Type TypeOf(MetricName::Kind kind) { return kind == MetricName::kCount ? OTF2_TYPE_UINT64 : OTF2_TYPE_DOUBLE; }

}  // namespace epik::archive
