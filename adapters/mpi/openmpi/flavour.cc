// SPDX-License-Identifier: BSD-3-Clause
#include "flavour.h"

#include "adapters/mpi/pmpi.h"

namespace epik::mpi {

Constants constants;

namespace {

// The predefined types that programs send.
// clang-format off
constexpr const char* kTypes[] = {
    "ompi_mpi_byte", "ompi_mpi_char", "ompi_mpi_signed_char", "ompi_mpi_unsigned_char", "ompi_mpi_short",
    "ompi_mpi_unsigned_short", "ompi_mpi_int", "ompi_mpi_unsigned", "ompi_mpi_long", "ompi_mpi_unsigned_long",
    "ompi_mpi_long_long_int", "ompi_mpi_unsigned_long_long", "ompi_mpi_float", "ompi_mpi_double",
    "ompi_mpi_long_double", "ompi_mpi_int8_t", "ompi_mpi_uint8_t", "ompi_mpi_int16_t", "ompi_mpi_uint16_t",
    "ompi_mpi_int32_t", "ompi_mpi_uint32_t", "ompi_mpi_int64_t", "ompi_mpi_uint64_t", "ompi_mpi_aint", "ompi_mpi_count",
    "ompi_mpi_offset", "ompi_mpi_wchar", "ompi_mpi_packed", "ompi_mpi_c_bool", "ompi_mpi_cxx_bool",
    "ompi_mpi_c_complex", "ompi_mpi_c_float_complex", "ompi_mpi_c_double_complex", "ompi_mpi_2int",
    "ompi_mpi_float_int", "ompi_mpi_double_int", "ompi_mpi_long_int", "ompi_mpi_character", "ompi_mpi_logical",
    "ompi_mpi_integer", "ompi_mpi_integer4", "ompi_mpi_integer8", "ompi_mpi_2integer", "ompi_mpi_real",
    "ompi_mpi_real4", "ompi_mpi_real8", "ompi_mpi_2real", "ompi_mpi_dblprec", "ompi_mpi_2dblprec", "ompi_mpi_cplex",
    "ompi_mpi_dblcplex", "ompi_mpi_complex8", "ompi_mpi_complex16",
};
// clang-format on

template <class Pointer>
void Find(Pointer* place, const char* symbol) {
  *place = reinterpret_cast<Pointer>(FindDatum(symbol));
}

}  // namespace

void FindConstants() {
  Find(&constants.world, "ompi_mpi_comm_world");
  Find(&constants.self, "ompi_mpi_comm_self");
  Find(&constants.no_comm, "ompi_mpi_comm_null");
  Find(&constants.no_type, "ompi_mpi_datatype_null");
  Find(&constants.no_process, "ompi_message_no_proc");
  Find(&constants.byte, "ompi_mpi_byte");
  Find(&constants.errors_return, "ompi_mpi_errors_return");
  Find(&constants.no_op, "ompi_mpi_op_no_op");
  Find(&constants.empty, "ompi_request_empty");
  Find(&constants.fortran_in_place, "mpi_fortran_in_place_");
  Find(&constants.fortran_status_ignore, "mpi_fortran_status_ignore_");
  Find(&constants.fortran_statuses_ignore, "mpi_fortran_statuses_ignore_");
  Find(&constants.comm_of, "PMPI_Comm_f2c");
  Find(&constants.file_of, "PMPI_File_f2c");
  Find(&constants.group_of, "PMPI_Group_f2c");
  Find(&constants.message_of, "PMPI_Message_f2c");
  Find(&constants.op_of, "PMPI_Op_f2c");
  Find(&constants.request_of, "PMPI_Request_f2c");
  Find(&constants.request_number, "PMPI_Request_c2f");
  Find(&constants.type_of, "PMPI_Type_f2c");
  Find(&constants.window_of, "PMPI_Win_f2c");
}

// Two threads that come here at once write the same values.
void HoldSizes() {
  for (const char* symbol : kTypes) {
    auto* type = static_cast<MPI_Datatype>(FindDatum(symbol));
    MPI_Count size = 0;
    if (type == nullptr || pmpi.Type_size_x(type, &size) != MPI_SUCCESS) continue;
    constants.sizes.Add(type, static_cast<uint64_t>(size));
  }
}

}  // namespace epik::mpi
