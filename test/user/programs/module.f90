! SPDX-License-Identifier: BSD-3-Clause
program module_user
  use epik
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_double
  implicit none
  integer(epik_kind), save :: loop = 0, step = 0, items = 0
  integer :: n
  loop = epik_region("time loop   ")
  step = epik_phase("step")
  items = epik_metric("items", "1")
  call epik_enter(loop)
  do n = 1, 2
    call epik_enter(step)
    call epik_parameter("step", int(n, c_int64_t))
    call epik_metric_add(items, real(n, c_double))
    call epik_exit(step)
  end do
  call epik_parameter("kind", "small")
  call epik_metric_add(items, 8.0_c_double)
  call epik_parameter_end()
  call epik_pause()
  call epik_enter(step)
  call epik_exit(step)
  print '(i0)', epik_is_measuring()
  call epik_resume()
  call epik_exit(loop)
  call epik_flush_trace()
  print '(i0)', epik_is_measuring()
end program module_user
