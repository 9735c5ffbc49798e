! SPDX-License-Identifier: BSD-3-Clause
! Shallow water in a box, as one writes it in Fortran: a module, a subroutine for each term.     waves [STEPS [POINTS]]
module shallow_water
  implicit none
  integer, parameter :: real8 = selected_real_kind(15)
  real(real8), parameter :: gravity = 9.81_real8, depth = 1.0_real8
contains
  subroutine drop(height)
    real(real8), intent(inout) :: height(:, :)
    integer :: i, j, n
    n = size(height, 1)
    do j = 1, n
      do i = 1, n
        height(i, j) = exp(-real((i - n / 3)**2 + (j - n / 2)**2, real8) / (0.01_real8 * n * n))
      end do
    end do
  end subroutine drop

  subroutine push(height, east, north, step)
    real(real8), intent(in) :: height(:, :), step
    real(real8), intent(inout) :: east(:, :), north(:, :)
    integer :: j
    do j = 1, size(height, 2)
      call push_column(height(:, j), east(:, j), step)
      if (j > 1) call push_rows(height(:, j), height(:, j - 1), north(:, j), step)
    end do
  end subroutine push

  subroutine push_column(height, east, step)
    real(real8), intent(in) :: height(:), step
    real(real8), intent(inout) :: east(:)
    integer :: i
    do i = 2, size(height)
      east(i) = east(i) - step * gravity * (height(i) - height(i - 1))
    end do
  end subroutine push_column

  subroutine push_rows(height, before, north, step)
    real(real8), intent(in) :: height(:), before(:), step
    real(real8), intent(inout) :: north(:)
    integer :: i
    do i = 1, size(height)
      north(i) = north(i) - step * gravity * (height(i) - before(i))
    end do
  end subroutine push_rows

  subroutine flow(height, east, north, step)
    real(real8), intent(inout) :: height(:, :)
    real(real8), intent(in) :: east(:, :), north(:, :), step
    integer :: i, j, n
    n = size(height, 1)
    do j = 1, n - 1
      do i = 1, n - 1
        height(i, j) = height(i, j) - step * depth * (east(i + 1, j) - east(i, j) + north(i, j + 1) - north(i, j))
      end do
    end do
  end subroutine flow

  function energy(height, east, north) result(total)
    real(real8), intent(in) :: height(:, :), east(:, :), north(:, :)
    real(real8) :: total
    total = 0.5_real8 * (gravity * sum(height**2) + depth * sum(east**2 + north**2))
  end function energy
end module shallow_water

program waves
  use shallow_water
  implicit none
  real(real8), allocatable :: height(:, :), east(:, :), north(:, :)
  real(real8), parameter :: step = 0.1_real8
  integer :: steps, points, i
  character(20) :: word
  steps = 400
  points = 400
  call get_command_argument(1, word)
  if (word /= '') read (word, *) steps
  call get_command_argument(2, word)
  if (word /= '') read (word, *) points
  allocate (height(points, points), east(points, points), north(points, points))
  east = 0
  north = 0
  call drop(height)
  do i = 1, steps
    call push(height, east, north, step)
    call flow(height, east, north, step)
  end do
  print '(a, es13.6)', 'energy ', energy(height, east, north)
end program waves
