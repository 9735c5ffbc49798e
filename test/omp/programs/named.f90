! SPDX-License-Identifier: BSD-3-Clause
! As named.c.
program named
  implicit none
  integer, volatile :: total = 0
  integer :: i
  !$omp parallel private(i)
  do i = 1, 2
    !$omp critical (first)
    total = total + 1
    !$omp end critical (first)
  end do
  do i = 1, 3
    !$omp critical (second)
    total = total + 2
    !$omp end critical (second)
  end do
  !$omp critical
  total = total + 3
  !$omp end critical
  !$omp end parallel
end program
