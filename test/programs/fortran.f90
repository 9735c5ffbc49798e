! SPDX-License-Identifier: BSD-3-Clause
! Fortran: modules, a recursive function, contained procedures, an operator, an elemental function.     fortran
module grids
  implicit none
  private
  public :: grid, fill, smooth, mean, total, operator(+)

  type :: grid
    integer :: n = 0
    real(8), allocatable :: cell(:, :)
  end type grid

  interface operator(+)
    module procedure add
  end interface operator(+)

contains

  subroutine fill(g, n)
    type(grid), intent(out) :: g
    integer, intent(in) :: n
    integer :: i, j
    g%n = n
    allocate (g%cell(n, n))
    do j = 1, n
      do i = 1, n
        g%cell(i, j) = real(mod(i * j, 7), 8)
      end do
    end do
  end subroutine fill

  subroutine smooth(g, sweeps)
    type(grid), intent(inout) :: g
    integer, intent(in) :: sweeps
    integer :: sweep, j
    do sweep = 1, sweeps
      do j = 2, g%n - 1
        call smooth_column(j)
      end do
    end do

  contains

    subroutine smooth_column(column)
      integer, intent(in) :: column
      integer :: i
      do i = 2, g%n - 1
        g%cell(i, column) = mean(g%cell(i - 1, column), g%cell(i + 1, column), &
                                 g%cell(i, column - 1), g%cell(i, column + 1))
      end do
    end subroutine smooth_column

  end subroutine smooth

  elemental function mean(a, b, c, d) result(m)
    real(8), intent(in) :: a, b, c, d
    real(8) :: m
    m = 0.25d0 * (a + b + c + d)
  end function mean

  function add(a, b) result(c)
    type(grid), intent(in) :: a, b
    type(grid) :: c
    c%n = a%n
    allocate (c%cell(a%n, a%n))
    c%cell = a%cell + b%cell
  end function add

  real(8) function total(g)
    type(grid), intent(in) :: g
    total = sum(g%cell)
  end function total

end module grids

module numbers
  implicit none
  integer :: calls = 0  ! a side effect: without one the compiler computes equal calls once
contains

  recursive function hanoi(discs) result(moves)
    integer, intent(in) :: discs
    integer :: moves
    calls = calls + 1
    moves = 0
    if (discs > 0) moves = hanoi(discs - 1) + 1 + hanoi(discs - 1)
  end function hanoi

end module numbers

program fortran
  use grids
  use numbers, only: calls, hanoi
  implicit none
  type(grid) :: a, b, c
  call fill(a, 20)
  call fill(b, 20)
  call smooth(a, 10)
  c = a + b
  print '(a, f12.6)', 'total', total(c)
  print '(a, i0)', 'hanoi ', hanoi(10)
  print '(a, i0)', 'calls ', calls
end program fortran
