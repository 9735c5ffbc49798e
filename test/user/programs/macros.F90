! SPDX-License-Identifier: BSD-3-Clause
#include "epik/epik.inc"
module shared
  implicit none
contains
  subroutine work(n)
    integer, intent(in) :: n
    EPIK_FUNC_REG("work")
    EPIK_FUNC_START()
    EPIK_METRIC("items", "1", n)
    EPIK_FUNC_END()
  end subroutine work
end module shared

program macros
  use shared
  implicit none
  integer :: n
  EPIK_USER_REG(loop, "time loop")
  EPIK_USER_REG(step, 'step')
  EPIK_USER_REG(never, "never")
  EPIK_USER_END(never)
  EPIK_USER_START(loop)
  do n = 1, 3
    EPIK_PHASE_START(step, n)
    call work(n)
    EPIK_PHASE_END(step)
  end do
  do n = 10, 20, 10
    EPIK_PARAMETER("size", n)
    call work(n)
  end do
  EPIK_PAUSE_START()
  call work(99)
  EPIK_PAUSE_END()
  EPIK_USER_END(loop)
  EPIK_USER_END(loop)
  EPIK_FLUSH_TRACE()
  print '(a)', 'done'
end program macros
