// SPDX-License-Identifier: BSD-3-Clause
// Heat in a plate: a hybrid MPI + OpenMP program, small enough to read and real enough to measure.
//
//   heat [ROWS [COLUMNS [STEPS]]]
//
// The plate is cut into bands of rows, one for each rank; the threads of a rank share its band. A step exchanges the
// outermost rows with the neighbours, lets the material react and replaces every point by the mean of its neighbours.
// Every point is computed by the same expression whatever the number of ranks and threads, so the plate is the same to
// the last bit; only the sums over it (residual, checksum) depend on the order of addition, to about 1e-12.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// Gives a function its own row in the profile: the compiler may not inline it.
#define PART __attribute__((noinline))

enum { kResidualEvery = 10, kTagUp = 1, kTagDown = 2 };

static const double kHotEdge = 100.0;

typedef struct {
  int rows, columns;    // of the whole plate, without its edge
  int first, count;     // my band of it
  int above, below;     // neighbouring ranks, MPI_PROC_NULL at the ends
  double *now, *next;   // count + 2 rows of columns + 2 points
  double* heat_source;  // heat that the material adds in this step
} Plate;

static double* Row(const Plate* plate, double* field, int row) { return field + (size_t)row * (plate->columns + 2); }

static double* Allocate(size_t points) {
  double* memory = calloc(points, sizeof *memory);
  if (memory == NULL) {
    fprintf(stderr, "heat: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

// ---- the plate ------------------------------------------------------------------------------------------------------

static void MakePlate(Plate* plate, int rows, int columns) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  plate->rows = rows;
  plate->columns = columns;
  plate->first = (int)((long)rows * rank / ranks);
  plate->count = (int)((long)rows * (rank + 1) / ranks) - plate->first;
  plate->above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  plate->below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  const size_t points = (size_t)(plate->count + 2) * (columns + 2);
  plate->now = Allocate(points);
  plate->next = Allocate(points);
  plate->heat_source = Allocate(points);
}

static void FreePlate(Plate* plate) {
  free(plate->now);
  free(plate->next);
  free(plate->heat_source);
}

// The left edge is hot, the others are cold; inside there is a gentle wave.
static void SetStart(Plate* plate) {
  for (int row = 0; row <= plate->count + 1; ++row) {
    double *now = Row(plate, plate->now, row), *next = Row(plate, plate->next, row);
    const double y = (double)(plate->first + row) / (plate->rows + 1);
    for (int column = 0; column <= plate->columns + 1; ++column) {
      const double x = (double)column / (plate->columns + 1);
      now[column] = next[column] = column == 0 ? kHotEdge : 10 * x * (1 - x) * y * (1 - y);
    }
  }
}

// ---- a step ---------------------------------------------------------------------------------------------------------

static PART void StartExchange(Plate* plate, MPI_Request requests[4]) {
  double* field = plate->now;
  const int n = plate->columns + 2, last = plate->count;
  MPI_Irecv(Row(plate, field, 0), n, MPI_DOUBLE, plate->above, kTagDown, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(Row(plate, field, last + 1), n, MPI_DOUBLE, plate->below, kTagUp, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(Row(plate, field, 1), n, MPI_DOUBLE, plate->above, kTagUp, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(Row(plate, field, last), n, MPI_DOUBLE, plate->below, kTagDown, MPI_COMM_WORLD, &requests[3]);
}

// The composition of the material: how many reactions go on at a point of this row.
static int SitesOf(const Plate* plate, int row) {
  const double depth = (double)row / plate->rows;
  return depth < 0.6 ? 1 : depth < 0.8 ? 2 : 6;
}

// The heat that the material of a row gives off: the equilibrium of its reactions, found by iteration.
static PART void ReactMaterial(Plate* plate, int row) {
  const double* now = Row(plate, plate->now, row);
  double* source = Row(plate, plate->heat_source, row);
  const int sites = SitesOf(plate, plate->first + row);
  for (int column = 1; column <= plate->columns; ++column) {
    double reaction = 0.5;
    for (int site = 0; site < sites; ++site) {
      reaction = 0.5 * (reaction + exp(-reaction) * (1 + 1e-3 * now[column]));
    }
    source[column] = 1e-3 * reaction;
  }
}

static PART void React(Plate* plate) {
#pragma omp parallel for schedule(static)
  for (int row = 1; row <= plate->count; ++row) ReactMaterial(plate, row);
}

static PART void RelaxRow(Plate* plate, int row) {
  const double *above = Row(plate, plate->now, row - 1), *below = Row(plate, plate->now, row + 1);
  const double *now = Row(plate, plate->now, row), *source = Row(plate, plate->heat_source, row);
  double* next = Row(plate, plate->next, row);
  for (int column = 1; column <= plate->columns; ++column) {
    next[column] = 0.25 * (now[column - 1] + now[column + 1] + above[column] + below[column]) + source[column];
  }
}

// Rows that need no neighbour's data, while it is on its way; then the two that do.
static PART void Relax(Plate* plate, MPI_Request requests[4]) {
#pragma omp parallel for schedule(static)
  for (int row = 2; row < plate->count; ++row) RelaxRow(plate, row);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  RelaxRow(plate, 1);
  if (plate->count > 1) RelaxRow(plate, plate->count);
}

static PART void Step(Plate* plate) {
  MPI_Request requests[4];
  StartExchange(plate, requests);
  React(plate);
  Relax(plate, requests);
  double* swap = plate->now;
  plate->now = plate->next;
  plate->next = swap;
}

// ---- sums over the plate --------------------------------------------------------------------------------------------

// The largest change of the last step, on all ranks.
static double Residual(const Plate* plate) {
  double largest = 0;
#pragma omp parallel for reduction(max : largest)
  for (int row = 1; row <= plate->count; ++row) {
    const double *now = Row(plate, plate->now, row), *before = Row(plate, plate->next, row);
    for (int column = 1; column <= plate->columns; ++column)
      largest = fmax(largest, fabs(now[column] - before[column]));
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

static double Checksum(const Plate* plate) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int row = 1; row <= plate->count; ++row) {
    const double* now = Row(plate, plate->now, row);
    double of_row = 0;
    for (int column = 1; column <= plate->columns; ++column) of_row += now[column];
    sum += of_row;
  }
  double total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return total / ((double)plate->rows * plate->columns);
}

static int Argument(int argc, char** argv, int index, int otherwise) {
  return argc > index ? atoi(argv[index]) : otherwise;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rows = Argument(argc, argv, 1, 1200), columns = Argument(argc, argv, 2, 1200);
  const int steps = Argument(argc, argv, 3, 50);
  if (rows < ranks || columns < 1 || steps < 1) {
    if (rank == 0) fprintf(stderr, "usage: heat [ROWS [COLUMNS [STEPS]]]   with a row or more for each rank\n");
    MPI_Finalize();
    return 2;
  }
  Plate plate;
  MakePlate(&plate, rows, columns);
  SetStart(&plate);
  const double start = MPI_Wtime();
  double residual = 0;
  for (int step = 1; step <= steps; ++step) {
    Step(&plate);
    if (step % kResidualEvery == 0 || step == steps) residual = Residual(&plate);
  }
  const double checksum = Checksum(&plate);
  if (rank == 0) {
    printf("heat: %d x %d points, %d steps, %d ranks\n", rows, columns, steps, ranks);
    printf("residual %.6e\nchecksum %.9f\nseconds  %.3f\n", residual, checksum, MPI_Wtime() - start);
  }
  FreePlate(&plate);
  MPI_Finalize();
  return 0;
}
