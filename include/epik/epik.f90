! SPDX-License-Identifier: BSD-3-Clause
!
! EPIK's user interface as a Fortran module: procedures, where epik.inc has macros. It has only interfaces. Compile this
! file once with your compiler (gfortran -fsyntax-only epik.f90 makes epik.mod). Link libepk.so; link no object of this file.
!
!   use epik
!   integer(epik_kind), save :: loop = 0
!   if (loop == 0) loop = epik_region("time loop")
!   call epik_enter(loop)
!   ...
!   call epik_exit(loop)
module epik
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_double
  implicit none
  private

  ! The kind of the numbers of regions and metrics; 0 is none.
  integer, parameter, public :: epik_kind = c_int32_t

  public :: epik_region, epik_phase, epik_enter, epik_exit
  public :: epik_parameter, epik_parameter_int, epik_parameter_string, epik_parameter_end
  public :: epik_metric, epik_metric_add
  public :: epik_pause, epik_resume, epik_is_measuring, epik_flush_trace, epik_trace
  public :: epik_group_enable, epik_group_disable

  ! A call path of its own for each value, until epik_parameter_end, another value, or the end of the region around it.
  interface epik_parameter
    subroutine epik_parameter_int(name, value)
      import :: c_int64_t
      character(len=*), intent(in) :: name
      integer(c_int64_t), intent(in) :: value
    end subroutine
    subroutine epik_parameter_string(name, value)
      character(len=*), intent(in) :: name, value
    end subroutine
  end interface

  interface
    ! The number of a region, made at the first call for this name; 0 when nothing is measured.
    function epik_region(name) result(region)
      import :: c_int32_t
      character(len=*), intent(in) :: name
      integer(c_int32_t) :: region
    end function

    ! The same for a phase, whose visits are told apart: call epik_parameter after epik_enter.
    function epik_phase(name) result(region)
      import :: c_int32_t
      character(len=*), intent(in) :: name
      integer(c_int32_t) :: region
    end function

    subroutine epik_enter(region) bind(C, name="epik_enter")
      import :: c_int32_t
      integer(c_int32_t), value :: region
    end subroutine

    subroutine epik_exit(region) bind(C, name="epik_exit")
      import :: c_int32_t
      integer(c_int32_t), value :: region
    end subroutine

    subroutine epik_parameter_end() bind(C, name="epik_parameter_end")
    end subroutine

    ! Adds a value of the program's own to the current call path; reports show the sum.
    function epik_metric(name, unit) result(metric)
      import :: c_int32_t
      character(len=*), intent(in) :: name, unit
      integer(c_int32_t) :: metric
    end function

    subroutine epik_metric_add(metric, value) bind(C, name="epik_metric_add")
      import :: c_int32_t, c_double
      integer(c_int32_t), value :: metric
      real(c_double), value :: value
    end subroutine

    ! This thread is not measured in between; its time is "paused".
    subroutine epik_pause() bind(C, name="epik_pause")
    end subroutine

    subroutine epik_resume() bind(C, name="epik_resume")
    end subroutine

    ! 1 while this thread is being measured.
    function epik_is_measuring() result(yes) bind(C, name="epik_is_measuring")
      import :: c_int
      integer(c_int) :: yes
    end function

    subroutine epik_flush_trace() bind(C, name="epik_flush_trace")
    end subroutine

    ! Switches the trace of all threads: 1 logs what EPK_TRACE selects, 0 logs nothing.
    subroutine epik_trace(on) bind(C, name="epik_trace")
      import :: c_int
      integer(c_int), value :: on
    end subroutine

    ! A group as in EPK_GROUPS ("solver::*", "mpi", "file=kernels.f90"): calls that are entered from now on are measured, or
    ! are part of their callers.
    subroutine epik_group_enable(group)
      character(len=*), intent(in) :: group
    end subroutine

    subroutine epik_group_disable(group)
      character(len=*), intent(in) :: group
    end subroutine
  end interface
end module epik
