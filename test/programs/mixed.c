// SPDX-License-Identifier: BSD-3-Clause
// C calls C++ calls Fortran calls C: mixed.c, mixed_cxx.cc, mixed_fortran.f90.     mixed [N]
#include <stdio.h>
#include <stdlib.h>

double CxxMean(int n);  // C++
double CSquare(double x);

// Called back from Fortran.
double CSquare(double x) { return x * x; }

int main(int argc, char** argv) {
  printf("mean %.6f\n", CxxMean(argc > 1 ? atoi(argv[1]) : 100));
  return 0;
}
