! SPDX-License-Identifier: BSD-3-Clause
! What chain.c does, through Fortran's own bindings.
program chained
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer :: rank, error, ignored
  character(len=32) :: name
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  write (name, '(a,i0,a)') 'chain.', rank, '.log'
  open (unit=10, file=name)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call chain()
  call together()
  close (10)
  call MPI_Finalize(error)
contains
  integer(8) function now()
    integer(8) :: count, rate
    call system_clock(count, rate)
    now = count * (1000000000_8 / rate)
  end function
  subroutine assemble()
    integer(8) :: begin
    begin = now()
    ignored = usleep(120000)
    write (10, '(a,1x,i0,1x,i0)') 'assemble', begin, now()
  end subroutine
  subroutine refine()
    integer(8) :: begin
    begin = now()
    ignored = usleep(80000)
    write (10, '(a,1x,i0,1x,i0)') 'refine', begin, now()
  end subroutine
  subroutine chain()
    integer :: x, request, status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 1), requests(1)
    x = 0
    if (rank == 0) then
      call assemble()
      call MPI_Send(x, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, error)
    else if (rank == 1) then
      call MPI_Recv(x, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, error)
      call MPI_Send(x, 1, MPI_INTEGER, 2, 1, MPI_COMM_WORLD, error)
    else if (rank == 2) then
      call MPI_Irecv(x, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, request, error)
      requests(1) = request
      call MPI_Waitall(1, requests, statuses, error)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine
  subroutine together()
    integer :: x, y
    x = 0
    if (rank == 3) call refine()
    call MPI_Allreduce(x, y, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  end subroutine
end program
