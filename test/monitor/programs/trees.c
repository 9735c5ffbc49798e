// SPDX-License-Identifier: BSD-3-Clause
// EPIK's own collectives against MPI's and against a reference of fixed order: trees PARENTS, where PARENTS has the
// parent of each rank ("-,0,0"). PMPI_ functions are not wrapped, so they are MPI's.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 64, kMany = 40000 };

static int rank, size, failures, checks;
static int parents[kMost];
static unsigned long random_state = 1;

static unsigned Random(void) {
  return (unsigned)((random_state = random_state * 6364136223846793005u + 1442695040888963407u) >> 33);
}

static void Check(int good, const char* what, int detail) {
  ++checks;
  if (good) return;
  ++failures;
  fprintf(stderr, "rank %d: %s %d\n", rank, what, detail);
}

// The sum of the subtree of `at`, in the order that is promised: its own, then its children's by ascending rank.
static double SumOf(const double* values, int at) {
  double sum = values[at];
  for (int child = 0; child < size; ++child) {
    if (parents[child] == at) sum = sum + SumOf(values, child);
  }
  return sum;
}

static void FloatsHaveTheOrderOfTheTree(void) {
  for (int round = 0; round < 50; ++round) {
    double mine = (double)(Random() % 1000) * 1e-3, all[kMost], sum = 0;
    for (int r = 0; r <= rank; ++r) mine = mine * 1e3 + Random() % 7;
    for (unsigned shift = Random() % 40; shift > 0; --shift) mine *= -3;
    PMPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    int top = 0;
    while (parents[top] >= 0) ++top;
    const double expected = SumOf(all, top);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    Check(memcmp(&sum, &expected, sizeof sum) == 0, "bits of an allreduce", round);
    const int root = round % size;
    double at_root = mine;
    MPI_Reduce(rank == root ? MPI_IN_PLACE : &mine, &at_root, 1, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root) Check(memcmp(&at_root, &expected, sizeof sum) == 0, "bits of a reduce", round);
  }
}

static void IntegersAreThoseOfMpi(MPI_Comm comm) {
  static long in[kMany], out[kMany], expected[kMany];
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_BAND, MPI_BXOR, MPI_LOR};
  const int counts[] = {0, 1, 3, 1000, kMany};
  int of_comm, mine;
  MPI_Comm_size(comm, &of_comm);
  MPI_Comm_rank(comm, &mine);
  for (int o = 0; o < 7; ++o) {
    for (int c = 0; c < 5; ++c) {
      const int count = counts[c], root = (o + c) % of_comm;
      for (int i = 0; i < count; ++i) in[i] = (long)Random() - (1 << 30);
      memset(out, 7, sizeof out);
      memset(expected, 7, sizeof expected);
      PMPI_Allreduce(in, expected, count, MPI_LONG, ops[o], comm);
      MPI_Allreduce(in, out, count, MPI_LONG, ops[o], comm);
      Check(memcmp(out, expected, sizeof out) == 0, "allreduce", o * 10 + c);
      memcpy(out, in, sizeof out);
      MPI_Allreduce(MPI_IN_PLACE, out, count, MPI_LONG, ops[o], comm);
      Check(memcmp(out, expected, (size_t)count * sizeof(long)) == 0, "allreduce in place", o * 10 + c);
      memset(out, 9, sizeof out);
      MPI_Reduce(in, out, count, MPI_LONG, ops[o], root, comm);
      if (mine != root) memset(expected, 9, sizeof expected);
      Check(memcmp(out, expected, (size_t)count * sizeof(long)) == 0, "reduce", o * 10 + c);
      MPI_Barrier(comm);
    }
  }
  struct {
    double value;
    int place;
  } a = {(double)(Random() % 4), mine}, b, d;
  PMPI_Allreduce(&a, &b, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  MPI_Allreduce(&a, &d, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  Check(b.value == d.value && b.place == d.place, "maxloc", 0);
}

// 2 × 2 matrices modulo a prime: associative, and does not commute.
typedef struct {
  int m[2][2];
} Matrix;

static void Multiply(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)type;
  for (int n = 0; n < *count; ++n) {
    const Matrix a = ((Matrix*)left)[n], b = ((Matrix*)right)[n];
    for (int i = 0; i < 4; ++i) {
      ((Matrix*)right)[n].m[i / 2][i % 2] = (a.m[i / 2][0] * b.m[0][i % 2] + a.m[i / 2][1] * b.m[1][i % 2]) % 9973;
    }
  }
}

static void AddBackwards(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)type;
  for (int n = 0; n < *count; ++n) ((int*)right)[-n] += ((int*)left)[-n];
}

// Elements with a hole, of a type that begins before its address.
typedef struct {
  int a, hole, b;
} Holed;

static void AddHoled(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)type;
  for (int n = 0; n < *count; ++n) {
    const Holed* from = (Holed*)((char*)left - 4) + n;
    Holed* to = (Holed*)((char*)right - 4) + n;
    to->a += from->a;
    to->b += from->b;
  }
}

// Elements that lie one before the other. Open MPI 4 and MPICH 4 themselves fail at them.
static void Backwards(MPI_Comm comm) {
  int of_comm, in[4] = {1, 2, 3, 4}, out[4] = {0};
  MPI_Comm_size(comm, &of_comm);
  MPI_Datatype one, back;
  MPI_Op add;
  MPI_Type_contiguous(1, MPI_INT, &one);
  MPI_Type_create_resized(one, 0, -(MPI_Aint)sizeof(int), &back);
  MPI_Type_commit(&back);
  MPI_Op_create(AddBackwards, 1, &add);
  MPI_Allreduce(in + 3, out + 3, 3, back, add, comm);
  for (int i = 0; i < 4; ++i) Check(out[i] == (i == 0 ? 0 : of_comm * in[i]), "elements that go back", i);
  MPI_Op_free(&add);
  MPI_Type_free(&back);
  MPI_Type_free(&one);
}

static void OperationsOfTheProgram(MPI_Comm comm) {
  int mine, of_comm;
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &of_comm);
  MPI_Datatype matrix, holed;
  MPI_Op multiply, add;
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_create(Multiply, 0, &multiply);
  Matrix a[5], b[5], c[5];
  for (int i = 0; i < 20; ++i) a[i / 4].m[i / 2 % 2][i % 2] = (int)(Random() % 9973);
  PMPI_Allreduce(a, b, 5, matrix, multiply, comm);
  MPI_Allreduce(a, c, 5, matrix, multiply, comm);
  Check(memcmp(b, c, sizeof b) == 0, "matrices", 0);
  for (int root = 0; root < of_comm; ++root) {
    memset(c, 0, sizeof c);
    MPI_Reduce(a, c, 5, matrix, multiply, root, comm);
    if (mine == root) Check(memcmp(b, c, sizeof b) == 0, "matrices at a root", root);
  }
  int lengths[] = {1, 1};
  MPI_Aint places[] = {-4, 4};
  MPI_Datatype ints[] = {MPI_INT, MPI_INT}, sized;
  MPI_Type_create_struct(2, lengths, places, ints, &sized);
  MPI_Type_create_resized(sized, -4, sizeof(Holed), &holed);
  MPI_Type_commit(&holed);
  MPI_Op_create(AddHoled, 1, &add);
  Holed in[3], out[3], expected[3];
  for (int i = 0; i < 3; ++i) in[i] = (Holed){(int)(Random() % 100), -1, (int)(Random() % 100)};
  memset(out, 5, sizeof out);
  memset(expected, 5, sizeof expected);
  PMPI_Allreduce((char*)in + 4, (char*)expected + 4, 3, holed, add, comm);
  MPI_Allreduce((char*)in + 4, (char*)out + 4, 3, holed, add, comm);
  Check(memcmp(out, expected, sizeof out) == 0, "elements with a hole", 0);
  memcpy(out, in, sizeof out);
  MPI_Allreduce(MPI_IN_PLACE, (char*)out + 4, 3, holed, add, comm);
  Check(out[2].b == expected[2].b && out[1].hole == -1, "elements with a hole, in place", 0);
  MPI_Op_free(&multiply);
  MPI_Op_free(&add);
  MPI_Type_free(&matrix);
  MPI_Type_free(&holed);
  MPI_Type_free(&sized);
}

// MPI_BOTTOM is a null pointer in C. Where nothing is sent, and where only the root receives, a buffer may be one, too.
static void FromBottom(MPI_Comm comm, int root, int mine, int of_comm) {
  int own = 100 + mine, all[kMost];
  MPI_Aint address;
  MPI_Datatype absolute;
  MPI_Get_address(&own, &address);
  MPI_Type_create_hindexed(1, (int[]){1}, &address, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  memset(all, 0, sizeof all);
  MPI_Allgather(MPI_BOTTOM, 1, absolute, all, 1, MPI_INT, comm);
  for (int i = 0; i < of_comm; ++i) Check(all[i] == 100 + i, "allgather from the bottom", i);
  memset(all, 0, sizeof all);
  const int is_root = mine == root;
  MPI_Gather(MPI_BOTTOM, 1, absolute, is_root ? all : NULL, is_root, is_root ? MPI_INT : MPI_DATATYPE_NULL, root, comm);
  for (int i = 0; is_root && i < of_comm; ++i) Check(all[i] == 100 + i, "gather from the bottom", i);
  MPI_Gather(NULL, 0, MPI_INT, is_root ? all : NULL, 0, is_root ? MPI_INT : MPI_DATATYPE_NULL, root, comm);
  MPI_Type_free(&absolute);
  MPI_Get_address(all, &address);
  MPI_Type_create_hindexed(1, (int[]){1}, &address, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  memset(all, 0, sizeof all);
  MPI_Allgather(&own, 1, MPI_INT, MPI_BOTTOM, 1, absolute, comm);
  for (int i = 0; i < of_comm; ++i) Check(all[i] == 100 + i, "allgather to the bottom", i);
  MPI_Type_free(&absolute);
}

static void DataMoves(MPI_Comm comm) {
  int mine, of_comm;
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &of_comm);
  MPI_Datatype column;
  MPI_Type_vector(5, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int root = 0; root < of_comm; ++root) {
    int strided[15], packed[5];
    for (int i = 0; i < 15; ++i) strided[i] = mine == root ? 100 * root + i : -1;
    for (int i = 0; i < 5; ++i) packed[i] = -1;
    // One type at the root, another at the other ranks.
    if (mine == root)
      MPI_Bcast(strided, 1, column, root, comm);
    else
      MPI_Bcast(packed, 5, MPI_INT, root, comm);
    for (int i = 0; i < 5 && mine != root; ++i) Check(packed[i] == 100 * root + 3 * i, "bcast", root);
    for (int i = 0; i < 15; ++i) strided[i] = 1000 * mine + i;
    int all[5 * kMost], expected[5 * kMost];
    memset(all, 3, sizeof all);
    memset(expected, 3, sizeof expected);
    PMPI_Gather(strided, 1, column, expected, 5, MPI_INT, root, comm);
    MPI_Gather(strided, 1, column, all, 5, MPI_INT, root, comm);
    Check(memcmp(all, expected, sizeof all) == 0, "gather", root);
    if (mine == root) {
      memset(all, 3, sizeof all);
      for (int i = 0; i < 5; ++i) all[5 * mine + i] = 1000 * mine + 3 * i;
    }
    MPI_Gather(mine == root ? MPI_IN_PLACE : strided, 1, column, all, 5, MPI_INT, root, comm);
    Check(memcmp(all, expected, sizeof all) == 0, "gather in place", root);
    PMPI_Allgather(strided, 1, column, expected, 5, MPI_INT, comm);
    memset(all, 3, sizeof all);
    MPI_Allgather(strided, 1, column, all, 5, MPI_INT, comm);
    Check(memcmp(all, expected, (size_t)of_comm * 20) == 0, "allgather", root);
    memset(all, 3, sizeof all);
    for (int i = 0; i < 5; ++i) all[5 * mine + i] = 1000 * mine + 3 * i;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 5, MPI_INT, comm);
    Check(memcmp(all, expected, (size_t)of_comm * 20) == 0, "allgather in place", root);
    MPI_Gather(strided, 0, MPI_INT, all, 0, MPI_INT, root, comm);
    FromBottom(comm, root, mine, of_comm);
  }
  MPI_Type_free(&column);
}

static void CommunicatorsOfAllKinds(void) {
  MPI_Comm half, copy, cart, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  IntegersAreThoseOfMpi(half);
  DataMoves(half);
  OperationsOfTheProgram(half);
  int of_half, sum = 0, one = 1;
  MPI_Comm_size(half, &of_half);
  // More than have a tree at a time: a tree goes with its communicator.
  for (int i = 0; i < 150; ++i) {
    MPI_Comm_dup(i % 2 ? half : MPI_COMM_WORLD, &copy);
    if (i % 10 == 0) MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, copy);  // needs no room, and there is none yet
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
    Check(sum == (i % 2 ? of_half : size), "a copy", i);
    MPI_Comm_free(&copy);
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  Check(sum == 1, "self", 0);
  int periods = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &cart);
  MPI_Bcast(&one, 1, MPI_INT, size - 1, cart);
  // The first of a half is the highest of its ranks.
  const int other = (size - 1) % 2 != rank % 2 ? size - 1 : size - 2;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 3, &inter);
  MPI_Barrier(inter);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
  Check(sum == size - of_half, "between groups", sum);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&cart);
  MPI_Comm_free(&half);
}

static void ErrorsAreErrors(void) {
  MPI_Comm copy;
  int value = 1, sum = 0, class_ = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  int error;
  for (int root = size; root < size + 2; ++root) {
    error = MPI_Bcast(&value, 1, MPI_INT, root, copy);
    MPI_Error_class(error, &class_);
    Check(class_ == MPI_ERR_ROOT, "a root that is not there", class_);
  }
  error = MPI_Allreduce(&value, &sum, 1, MPI_FLOAT, MPI_BAND, copy);
  MPI_Error_class(error, &class_);
  Check(class_ == MPI_ERR_OP, "an operation that is not defined", class_);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, copy);
  Check(sum == size, "after errors", sum);
  MPI_Comm_free(&copy);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  random_state += 977u * (unsigned)rank;
  int at = 0;
  for (char* word = strtok(argv[1], ","); word != NULL; word = strtok(NULL, ",")) {
    parents[at++] = *word == '-' ? -1 : atoi(word);
  }
  FloatsHaveTheOrderOfTheTree();
  IntegersAreThoseOfMpi(MPI_COMM_WORLD);
  OperationsOfTheProgram(MPI_COMM_WORLD);
  Backwards(MPI_COMM_WORLD);
  DataMoves(MPI_COMM_WORLD);
  CommunicatorsOfAllKinds();
  ErrorsAreErrors();
  int all = 0;
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) printf("%d checks, %d failures\n", checks, all);
  return all != 0;
}
