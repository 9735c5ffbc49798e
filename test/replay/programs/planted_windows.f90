! SPDX-License-Identifier: BSD-3-Clause
! What planted_windows.c does, for some of it, through Fortran's own bindings.
module times
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
contains
  integer(8) function now()
    integer(8) :: count, rate
    call system_clock(count, rate)
    now = count * (1000000000_8 / rate)
  end function
end module

program planted
  use mpi
  use times
  implicit none
  integer :: rank, error, ignored, window, memory(16)
  integer(kind=MPI_ADDRESS_KIND) :: bytes
  integer(8) :: begin
  character(len=32) :: name
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  write (name, '(a,i0,a)') 'planted.', rank, '.log'
  open (unit=10, file=name)
  call win_create()
  call fence_begin()
  call fence()
  call win_free()
  begin = now()
  call note('ends', 'MPI_Finalize')
  close (10)
  call MPI_Finalize(error)
contains
  subroutine note(experiment, call_name)
    character(len=*), intent(in) :: experiment, call_name
    write (10, '(a,1x,a,1x,i0,1x,i0)') experiment, call_name, begin, now()
  end subroutine
  subroutine win_create()
    bytes = 64
    if (rank == 2) ignored = usleep(60000)
    begin = now()
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
    call note('win_create', 'MPI_Win_create')
  end subroutine
  subroutine fence_begin()
    begin = now()
    call MPI_Win_fence(0, window, error)
    call note('fence_begin', 'MPI_Win_fence')
  end subroutine
  subroutine fence()
    if (rank == 1) ignored = usleep(60000)
    begin = now()
    call MPI_Win_fence(0, window, error)
    call note('fence', 'MPI_Win_fence')
  end subroutine
  subroutine win_free()
    if (rank == 3) ignored = usleep(60000)
    begin = now()
    call MPI_Win_free(window, error)
    call note('win_free', 'MPI_Win_free')
  end subroutine
end program
