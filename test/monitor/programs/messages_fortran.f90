! SPDX-License-Identifier: BSD-3-Clause
! Messages and non-blocking operations from Fortran, by `use mpi` and by `use mpi_f08`, with a rank that is late.
subroutine old(round)
  use mpi
  implicit none
  integer, intent(in) :: round
  integer :: rank, ranks, error, left, right, in(8), out(8), requests(3)
  double precision :: until
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  out = rank
  until = MPI_Wtime() + 2d-4
  do while (rank == mod(round, ranks) .and. MPI_Wtime() < until)
  end do
  call MPI_Send(out, 8, MPI_INTEGER, right, 1, MPI_COMM_WORLD, error)
  call MPI_Recv(in, 8, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Irecv(in, 8, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1), error)
  call MPI_Iallreduce(rank, out, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2), error)
  call MPI_Isend(rank, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(3), error)
  call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
end subroutine old

subroutine new(round)
  use mpi_f08
  implicit none
  integer, intent(in) :: round
  integer :: rank, ranks, left, right, in(8), out(8)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  double precision :: until
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  out = rank
  until = MPI_Wtime() + 2d-4
  do while (rank == mod(round + 1, ranks) .and. MPI_Wtime() < until)
  end do
  call MPI_Send(out, 8, MPI_INTEGER, right, 3, MPI_COMM_WORLD)
  call MPI_Probe(left, 3, MPI_COMM_WORLD, status)
  call MPI_Recv(in, 8, MPI_INTEGER, left, 3, MPI_COMM_WORLD, status)
  call MPI_Ibarrier(MPI_COMM_WORLD, requests(1))
  call MPI_Wait(requests(1), status)
  call MPI_Recv_init(in, 8, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(1))
  call MPI_Send_init(out, 8, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(2))
  call MPI_Startall(2, requests)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))
end subroutine new

program messages
  use mpi
  implicit none
  integer :: error, round
  call MPI_Init(error)
  do round = 1, 20
    call old(round)
    call new(round)
  end do
  call MPI_Finalize(error)
end program messages
