// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/operands.h"

#include <algorithm>
#include <iterator>

#include "adapters/mpi/pmpi.h"
#include "flavour.h"

namespace epik::mpi {

namespace {

enum Kind : unsigned {
  kNothing = 0,
  kInteger = 1,
  kWhole = 2,
  kFloat = 4,
  kLogical = 8,
  kComplex = 16,
  kByte = 32,
  kPair = 64
};

struct TypeRow {
  MPI_Datatype type;
  unsigned kind;
};
struct OpRow {
  MPI_Op op;
  unsigned kinds;
};

// The compiler counts the rows of operands.inc, so both tables always have room for all of them.
#define OP(handle, datum, kinds)
#define TYPE(handle, datum, kind) +1
constexpr size_t kTypes = 0
#include "adapters/mpi/operands.inc"
    ;
#define TYPE(handle, datum, kind)
#define OP(handle, datum, kinds) +1
constexpr size_t kOps = 0
#include "adapters/mpi/operands.inc"
    ;

// Handles of Open MPI are addresses that only the loaded library knows, so KnowOperands fills the tables at run time.
TypeRow types[kTypes];
OpRow ops[kOps];
MPI_Datatype packed, integer;
MPI_Op band;
MPI_Request no_request;

}  // namespace

void KnowOperands() {
  TypeRow* type = types;
  OpRow* op = ops;
#define TYPE(handle, datum, kind) *type++ = {EPIK_NAMED(handle, datum), kind};
#define OP(handle, datum, kinds) *op++ = {EPIK_NAMED(handle, datum), kinds};
#include "adapters/mpi/operands.inc"
  packed = EPIK_NAMED(MPI_PACKED, "ompi_mpi_packed");
  integer = EPIK_NAMED(MPI_INT, "ompi_mpi_int");
  band = EPIK_NAMED(MPI_BAND, "ompi_mpi_op_band");
  no_request = EPIK_NAMED(MPI_REQUEST_NULL, "ompi_request_null");
}

MPI_Datatype PackedType() { return packed; }
MPI_Datatype IntType() { return integer; }
MPI_Op BandOp() { return band; }
MPI_Request NoRequest() { return no_request; }

bool IsDefined(MPI_Op op, MPI_Datatype type) {
  if (!IsType(type)) return false;
  const auto* row = std::find_if(std::begin(ops), std::end(ops), [&](const OpRow& r) { return r.op == op; });
  if (row == std::end(ops)) return true;  // an operation of the program
  const auto* known =
      std::find_if(std::begin(types), std::end(types), [&](const TypeRow& r) { return r.type == type; });
  // A type that the program made has no row: MPI's own operations are not defined for it.
  return known != std::end(types) && (row->kinds & known->kind) != 0;
}

bool Commutes(MPI_Op op) {
  int commutes = 0;
  return pmpi.Op_commutative(op, &commutes) == MPI_SUCCESS && commutes != 0;
}

Extent ExtentOf(int count, MPI_Datatype type) {
  MPI_Aint low = 0, step = 0, true_low = 0, true_bytes = 0;
  if (count <= 0) return {0, 0, true};
  pmpi.Type_get_extent(type, &low, &step);
  pmpi.Type_get_true_extent(type, &true_low, &true_bytes);
  int size = 0;
  pmpi.Type_size(type, &size);
  // An extent may be negative. Then the last element is the lowest one.
  const MPI_Aint last = (count - 1) * step;
  Extent extent;
  extent.low = true_low + std::min<MPI_Aint>(last, 0);
  extent.high = true_low + true_bytes + std::max<MPI_Aint>(last, 0);
  // Memory without holes can be copied as one block, without a call of MPI (tree_collectives.cc).
  extent.is_solid = size == step && size == true_bytes;
  return extent;
}

}  // namespace epik::mpi
