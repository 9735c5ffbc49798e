! SPDX-License-Identifier: BSD-3-Clause
! Procedures of a module, contained, elemental and external ones.
module mesh
  implicit none
  real :: grid(100)
contains
  subroutine touch(i)
    integer, intent(in) :: i
    grid(i) = grid(i) + 1
  end subroutine touch
  subroutine sweep(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call touch(i)
    end do
    call inner()
  contains
    subroutine inner()
      integer :: k
      do k = 1, n
        if (grid(k) > 1e9) write (*, *) k
      end do
    end subroutine inner
  end subroutine sweep
  elemental real function twice(x)
    real, intent(in) :: x
    twice = 2 * x
  end function twice
end module mesh

real function outside(x)
  real, intent(in) :: x
  outside = x + 1
end function outside

program all
  use mesh
  real, external :: outside
  grid = 0
  call sweep(50)
  grid = twice(grid)
  print '(f8.1)', sum(grid) + outside(1.0)
end program all
