! SPDX-License-Identifier: BSD-3-Clause
! Constructs of Fortran. The comment at a directive says what a report has to name by its line.
program lines
  implicit none
  integer :: i, mine
  integer(8) :: total, sums
  real(16) :: fat
  total = 0
  sums = 0
  fat = 0
!$omp parallel reduction(+ : sums) private(mine)  ! here: implicit barrier, parallel
  call work(1)
!$omp barrier  ! here: barrier
  call work(2)
!$omp do schedule(static)  ! here: implicit barrier
  do i = 1, 8
    call work(i)
  end do
!$omp end do
!$omp do schedule(dynamic)  ! here: for dynamic, implicit barrier
  do i = 1, 8
    call work(i)
  end do
!$omp end do
!$omp do ordered & ! here: for ordered, implicit barrier
!$omp schedule(dynamic)
  do i = 1, 8
    call work(i)
!$omp ordered  ! here: ordered, ordered block
    call work(i)
!$omp end ordered
  end do
!$omp sections  ! here: implicit barrier, sections
!$omp section
  call work(3)
!$omp section
  call work(4)
!$omp end sections
!$omp single  ! here: implicit barrier, single
  call work(5)
!$omp end single
!$omp single  ! here: implicit barrier, single
  mine = 1
!$omp end single copyprivate(mine)
!$omp critical  ! here: critical, critical block
  total = total + 1
!$omp end critical
!$omp critical (cash)  ! here: critical block(cash), critical(cash)
  total = total + 2
!$omp end critical (cash)
!$omp single  ! here: implicit barrier, single
!$omp task  ! here: task, task create
  call work(6)
!$omp end task
!$omp task  ! here: task, task create
  call work(7)
!$omp end task
!$omp taskwait  ! here: taskwait
!$omp taskgroup  ! here: taskgroup, taskwait
!$omp task  ! here: task, task create
  call work(8)
!$omp end task
!$omp end taskgroup
!$omp taskloop grainsize(4)  ! here: task, taskloop, taskwait
  do i = 1, 8
    call work(i)
  end do
!$omp end taskloop
!$omp end single
!$omp workshare  ! here: implicit barrier, single
  sums = 3
!$omp end workshare
  sums = sums + mine
!$omp end parallel
!$omp parallel do schedule(guided)  ! here: for guided, implicit barrier, parallel
  do i = 1, 8
    call work(i)
  end do
!$omp end parallel do
  print *, total, sums
contains
  subroutine work(k)
    integer, intent(in) :: k
    integer, volatile :: seen
    seen = k
  end subroutine
end program
