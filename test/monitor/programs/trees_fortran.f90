! SPDX-License-Identifier: BSD-3-Clause
! EPIK's own collectives from Fortran, by `use mpi` and by `use mpi_f08`: sums in place, data from each root.
subroutine old(failures)
  use mpi
  implicit none
  integer, intent(inout) :: failures
  integer :: rank, ranks, error, root, sums(3), all(64), i
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  sums = (/1, rank, 2 * rank/)
  call MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (error /= MPI_SUCCESS .or. any(sums /= (/ranks, ranks * (ranks - 1) / 2, ranks * (ranks - 1)/))) failures = failures + 1
  do root = 0, ranks - 1
    sums(1) = merge(7 * root, -1, rank == root)
    call MPI_Bcast(sums, 1, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    if (sums(1) /= 7 * root) failures = failures + 1
    all = -1
    call MPI_Gather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    if (rank == root .and. any(all(1:ranks) /= (/(i, i = 0, ranks - 1)/))) failures = failures + 1
    sums(1) = rank
    if (rank == root) then
      call MPI_Reduce(MPI_IN_PLACE, sums, 1, MPI_INTEGER, MPI_MAX, root, MPI_COMM_WORLD, error)
      if (sums(1) /= ranks - 1) failures = failures + 1
    else
      call MPI_Reduce(sums, all, 1, MPI_INTEGER, MPI_MAX, root, MPI_COMM_WORLD, error)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
end subroutine old

subroutine new(failures)
  use mpi_f08
  implicit none
  integer, intent(inout) :: failures
  integer :: rank, ranks, all(64), i
  double precision :: value(2), total(2)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  value = (/dble(rank), 1d0/)
  call MPI_Allreduce(value, total, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (any(total /= (/dble(ranks * (ranks - 1) / 2), dble(ranks)/))) failures = failures + 1
  call MPI_Allreduce(MPI_IN_PLACE, value, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (any(total /= value)) failures = failures + 1
  all = -1
  call MPI_Allgather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD)
  if (any(all(1:ranks) /= (/(i, i = 0, ranks - 1)/))) failures = failures + 1
  call MPI_Barrier(MPI_COMM_WORLD)
end subroutine new

program trees
  use mpi
  implicit none
  integer :: error, failures, rank
  failures = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call old(failures)
  call new(failures)
  call MPI_Finalize(error)
  if (failures /= 0) stop 1
  if (rank == 0) print '(a)', 'good'
end program trees
