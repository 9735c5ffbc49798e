! SPDX-License-Identifier: BSD-3-Clause
! As reduction.c.
program main
  implicit none
  integer(8) :: total
  integer :: i
  total = 0
  !$omp parallel reduction(task, + : total) num_threads(4)
  !$omp single
  do i = 0, 999
    !$omp task in_reduction(+ : total) firstprivate(i)
    total = total + i
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  print '(i0)', total
end program
