! SPDX-License-Identifier: BSD-3-Clause
! A group that is switched by macros.     switched
#include "epik/epik.inc"
subroutine touch(i)
  integer, intent(in) :: i
  if (i < 0) print *, i
end subroutine

program switched
  integer :: i
  do i = 1, 5
    call touch(i)
  end do
  EPIK_GROUP_DISABLE("touch")
  do i = 1, 9
    call touch(i)
  end do
  EPIK_GROUP_ENABLE("touch")
  do i = 1, 7
    call touch(i)
  end do
end program
