! SPDX-License-Identifier: BSD-3-Clause
! What planted.c does, for some of it, through Fortran's own bindings.
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
  integer :: rank, error, x, y, ignored, status(MPI_STATUS_SIZE)
  integer(8) :: begin
  character(len=32) :: name
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  write (name, '(a,i0,a)') 'planted.', rank, '.log'
  open (unit=10, file=name)
  x = rank
  call late_sender()
  call allreduce()
  begin = now()
  call note('ends', 'MPI_Finalize')
  close (10)
  call MPI_Finalize(error)
contains
  subroutine note(experiment, call_name)
    character(len=*), intent(in) :: experiment, call_name
    write (10, '(a,1x,a,1x,i0,1x,i0)') experiment, call_name, begin, now()
  end subroutine
  subroutine late_sender()
    if (rank == 0) then
      ignored = usleep(80000)
      begin = now()
      call MPI_Send(x, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, error)
      call note('late_sender', 'MPI_Send')
    else if (rank == 1) then
      begin = now()
      call MPI_Recv(x, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, error)
      call note('late_sender', 'MPI_Recv')
    end if
  end subroutine
  subroutine allreduce()
    if (rank == 2) ignored = usleep(200000)
    begin = now()
    call MPI_Allreduce(x, y, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call note('allreduce', 'MPI_Allreduce')
  end subroutine
end program
