// SPDX-License-Identifier: BSD-3-Clause
#include "flavour.h"

#include "adapters/mpi/pmpi.h"

namespace epik::mpi {

Constants constants;

namespace {

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

}  // namespace epik::mpi
