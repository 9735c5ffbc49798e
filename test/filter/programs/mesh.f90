! SPDX-License-Identifier: BSD-3-Clause
! A module, contained and external procedures.     mesh
module mesh
  implicit none
contains
  subroutine touch(x, i)
    real(8), intent(inout) :: x(:)
    integer, intent(in) :: i
    x(i) = x(i) + 1
  end subroutine touch
  subroutine sweep(x)
    real(8), intent(inout) :: x(:)
    integer :: i
    do i = 1, size(x)
      call touch(x, i)
    end do
  end subroutine sweep
end module mesh

program main_program
  use mesh
  implicit none
  real(8) :: x(300)
  integer :: k
  x = 0
  do k = 1, 7
    call sweep(x)
    call outside(x)
  end do
  print '(f0.1)', sum(x)
end program main_program

subroutine outside(x)
  real(8), intent(inout) :: x(300)
  x(1) = x(1) - 1
end subroutine outside
