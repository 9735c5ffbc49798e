! SPDX-License-Identifier: BSD-3-Clause
! A group that is switched by the module's procedures.     switched_module
subroutine touch(i)
  integer, intent(in) :: i
  if (i < 0) print *, i
end subroutine

program switched_module
  use epik
  integer :: i
  character(len=12) :: group = "touch"
  do i = 1, 5
    call touch(i)
  end do
  call epik_group_disable(group)
  do i = 1, 9
    call touch(i)
  end do
  call epik_group_enable("touch")
  do i = 1, 7
    call touch(i)
  end do
end program
