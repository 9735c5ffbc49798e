! SPDX-License-Identifier: BSD-3-Clause
program fortran
  use omp_lib
  implicit none
  integer :: i, total, sets
  integer(omp_lock_kind) :: lock
  total = 0
  sets = 0
  call omp_init_lock(lock)
  !$omp parallel do schedule(dynamic) reduction(+:total)
  do i = 1, 50
    total = total + i
  end do
  !$omp end parallel do
  !$omp parallel
  do i = 1, 10
    call omp_set_lock(lock)
    sets = sets + 1
    call omp_unset_lock(lock)
  end do
  !$omp single
  !$omp task
  total = total + 1
  !$omp end task
  !$omp end single
  !$omp end parallel
  call omp_destroy_lock(lock)
  print '(a,i0)', 'total ', total
  print '(a,i0)', 'sets ', sets
end program fortran
