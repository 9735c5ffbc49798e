! SPDX-License-Identifier: BSD-3-Clause
! As reduction.c, but for taskloops of another type of counter, which Fortran has not.
program main
  use omp_lib
  implicit none
  integer, parameter :: threads = 4, many = 999
  print '(i0)', in_region(), in_loop(), in_dynamic_loop(), in_sections(), in_taskgroup(), in_taskloop(), in_detached_tasks()

contains

  integer(8) function in_region() result(total)
    integer :: i
    total = 0
    !$omp parallel reduction(task, + : total) num_threads(threads)
    !$omp single
    do i = 0, many
      !$omp task in_reduction(+ : total) firstprivate(i)
      total = total + i
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
  end function

  integer(8) function in_loop() result(total)
    integer :: i
    total = 0
    !$omp parallel do reduction(task, + : total) num_threads(threads)
    do i = 0, many
      !$omp task in_reduction(+ : total) firstprivate(i)
      total = total + i
      !$omp end task
    end do
    !$omp end parallel do
  end function

  integer(8) function in_dynamic_loop() result(total)
    integer :: i
    total = 0
    !$omp parallel num_threads(threads)
    !$omp do schedule(dynamic) reduction(task, + : total)
    do i = 0, many
      !$omp task in_reduction(+ : total) firstprivate(i)
      total = total + i
      !$omp end task
    end do
    !$omp end do
    !$omp end parallel
  end function

  integer(8) function in_sections() result(total)
    integer :: i
    total = 0
    !$omp parallel sections reduction(task, + : total) num_threads(threads) private(i)
    !$omp section
    do i = 0, many / 2
      !$omp task in_reduction(+ : total) firstprivate(i)
      total = total + i
      !$omp end task
    end do
    !$omp section
    do i = many / 2 + 1, many
      !$omp task in_reduction(+ : total) firstprivate(i)
      total = total + i
      !$omp end task
    end do
    !$omp end parallel sections
  end function

  integer(8) function in_taskgroup() result(total)
    integer :: i
    total = 0
    !$omp parallel num_threads(threads)
    !$omp single
    !$omp taskgroup task_reduction(+ : total)
    do i = 0, many
      !$omp task in_reduction(+ : total) firstprivate(i)
      total = total + i
      !$omp end task
    end do
    !$omp end taskgroup
    !$omp end single
    !$omp end parallel
  end function

  integer(8) function in_taskloop() result(total)
    integer :: i
    total = 0
    !$omp parallel num_threads(threads)
    !$omp single
    !$omp taskloop reduction(+ : total) grainsize(7)
    do i = 0, many
      total = total + i
    end do
    !$omp end taskloop
    !$omp end single
    !$omp end parallel
  end function

  integer(8) function in_detached_tasks() result(total)
    integer :: i
    integer(omp_event_handle_kind) :: event
    total = 0
    !$omp parallel num_threads(threads)
    !$omp single
    do i = 0, many
      !$omp task detach(event) shared(total) firstprivate(i)
      !$omp atomic
      total = total + i
      call omp_fulfill_event(event)
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
  end function
end program
