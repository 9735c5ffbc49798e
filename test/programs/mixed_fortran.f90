! SPDX-License-Identifier: BSD-3-Clause
! The Fortran part of mixed.c.
module mixed_sums
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none

  interface
    function square(x) bind(c, name='CSquare')
      import :: c_double
      real(c_double), value :: x
      real(c_double) :: square
    end function square
  end interface

contains

  function sum_of_squares(values, n) bind(c) result(total)
    integer(c_int), value :: n
    real(c_double), intent(in) :: values(n)
    real(c_double) :: total
    integer :: i
    total = 0
    do i = 1, n
      total = total + square(values(i))
    end do
  end function sum_of_squares

end module mixed_sums
