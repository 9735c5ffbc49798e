! SPDX-License-Identifier: BSD-3-Clause
! The same program by each Fortran binding: -DBINDING=1 mpif.h, 2 use mpi, 3 use mpi_f08. It counts what it does.
#if BINDING == 3
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define ONE_STATUS
#define COMMUNICATOR type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define WINDOW_HANDLE type(MPI_Win)
#define IERROR
#else
#define REQUEST integer
#define STATUS integer
#define ONE_STATUS (MPI_STATUS_SIZE)
#define COMMUNICATOR integer
#define DATATYPE integer
#define WINDOW_HANDLE integer
#define IERROR , ierror
#endif

module counting
  implicit none
  character(40) :: names(200), metrics(200)
  integer(8) :: bytes(200) = 0, times(200) = 0
  integer :: known = 0
contains
  subroutine did(name, metric, size)
    character(*), intent(in) :: name, metric
    integer, intent(in) :: size
    integer :: i
    do i = 1, known
      if (names(i) == 'MPI_' // name .and. metrics(i) == metric) exit
    end do
    if (i > known) then
      known = i
      names(i) = 'MPI_' // name
      metrics(i) = metric
    end if
    bytes(i) = bytes(i) + size
    times(i) = times(i) + 1
  end subroutine did

  subroutine visit(name)
    character(*), intent(in) :: name
    call did(name, 'visits', 0)
  end subroutine visit

  subroutine write_counts(rank)
    integer, intent(in) :: rank
    character(1000) :: folder, path
    integer :: i, status
    call get_environment_variable('COUNT_FOLDER', folder, status=status)
    if (status /= 0) return
    write (path, '(a, a, i0)') trim(folder), '/', rank
    open (10, file=trim(path))
    do i = 1, known
      write (10, '(a, 1x, a, 1x, i0, 1x, i0)') trim(names(i)), trim(metrics(i)), bytes(i), times(i)
    end do
    close (10)
  end subroutine write_counts
end module counting

program bindings
#if BINDING == 2
  use mpi
#elif BINDING == 3
  use mpi_f08
#endif
  use, intrinsic :: iso_c_binding, only: c_ptr
  use counting
  implicit none
#if BINDING == 1
  include 'mpif.h'
#endif
  integer :: rank, size, next, before, i, done, place, ierror
  integer, asynchronous :: out(100), in(100)
  integer :: indices(2), counts(64), offsets(64), sum
  logical :: flag
  REQUEST :: requests(2)
  STATUS :: one ONE_STATUS
#if BINDING == 3
  STATUS :: both(2)
#else
  STATUS :: both(MPI_STATUS_SIZE, 2)
#endif
  COMMUNICATOR :: comm
  DATATYPE :: types(64)
  character(MPI_MAX_PROCESSOR_NAME) :: host
  integer :: length
  DATATYPE :: there, here
  WINDOW_HANDLE :: window
  type(c_ptr) :: memory
  integer(MPI_ADDRESS_KIND) :: anywhere

  call MPI_Init(ierror); call visit('Init')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank IERROR); call visit('Comm_rank')
  call MPI_Comm_size(MPI_COMM_WORLD, size IERROR); call visit('Comm_size')
  call MPI_Comm_dup(MPI_COMM_WORLD, comm IERROR); call visit('Comm_dup')
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  out = rank

  ! One by one.
  call MPI_Irecv(in, 100, MPI_INTEGER, before, 1, comm, requests(1) IERROR); call visit('Irecv')
  call MPI_Send(out, 10 + rank, MPI_INTEGER, next, 1, comm IERROR); call visit('Send')
  call did('Send', 'sent', (10 + rank) * 4)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE IERROR); call visit('Wait')
  call did('Wait', 'received', (10 + before) * 4)
  call MPI_Isend(out, 3, MPI_INTEGER, next, 2, comm, requests(1) IERROR); call visit('Isend')
  call did('Isend', 'sent', 12)
  call MPI_Recv(in, 100, MPI_INTEGER, MPI_ANY_SOURCE, 2, comm, one IERROR); call visit('Recv')
  call did('Recv', 'received', 12)
  call MPI_Wait(requests(1), one IERROR); call visit('Wait')
  call MPI_Sendrecv(out, 4, MPI_INTEGER, next, 3, in, 100, MPI_INTEGER, before, 3, comm, MPI_STATUS_IGNORE IERROR)
  call visit('Sendrecv')
  call did('Sendrecv', 'sent', 16)
  call did('Sendrecv', 'received', 16)
  call MPI_Send(out, 1, MPI_INTEGER, MPI_PROC_NULL, 1, comm IERROR); call visit('Send')

  ! Several at once.
  call post(10)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERROR); call visit('Waitall')
  call did('Waitall', 'received', 20)
  call post(11)
  call MPI_Waitall(2, requests, both IERROR); call visit('Waitall')
  call did('Waitall', 'received', 20)
  call post(12)
  do i = 1, 2
    call MPI_Waitany(2, requests, place, MPI_STATUS_IGNORE IERROR); call visit('Waitany')
  end do
  call did('Waitany', 'received', 20)
  call post(13)
  i = 0
  do while (i < 2)
    call MPI_Testsome(2, requests, done, indices, MPI_STATUSES_IGNORE IERROR); call visit('Testsome')
    i = i + done
  end do
  call did('Testsome', 'received', 20)
  call post(14)
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(2, requests, flag, both IERROR); call visit('Testall')
  end do
  call did('Testall', 'received', 20)

  ! Persistent.
  call MPI_Recv_init(in, 100, MPI_INTEGER, before, 20, comm, requests(1) IERROR); call visit('Recv_init')
  call MPI_Send_init(out, 6, MPI_INTEGER, next, 20, comm, requests(2) IERROR); call visit('Send_init')
  do i = 1, 3
    call MPI_Startall(2, requests IERROR); call visit('Startall')
    call did('Startall', 'sent', 24)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERROR); call visit('Waitall')
    call did('Waitall', 'received', 24)
  end do
  ! The receive at each place: its message must not be taken for that of a request beside it.
  do place = 1, 2
    if (place == 2) requests = requests([2, 1])
    call by_places()
  end do
  call MPI_Request_free(requests(1) IERROR); call visit('Request_free')
  call MPI_Request_free(requests(2) IERROR); call visit('Request_free')

  ! Collectives.
  do i = 1, size
    counts(i) = i
    offsets(i) = 0
    types(i) = MPI_INTEGER
  end do
  sum = size * (size + 1) / 2
  call MPI_Barrier(comm IERROR); call visit('Barrier')
  call MPI_Bcast(out, 5, MPI_INTEGER, 0, comm IERROR); call visit('Bcast')
  call moved('Bcast', merge(20, 0, rank == 0), merge(0, 20, rank == 0))
  call MPI_Allreduce(out, in, 5, MPI_INTEGER, MPI_SUM, comm IERROR); call visit('Allreduce')
  call moved('Allreduce', 20, 20)
  call MPI_Allreduce(MPI_IN_PLACE, in, 5, MPI_INTEGER, MPI_SUM, comm IERROR); call visit('Allreduce')
  call moved('Allreduce', 20, 20)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, in, 2, MPI_INTEGER, comm IERROR); call visit('Allgather')
  call moved('Allgather', merge(8, 0, size > 1), 8 * (size - 1))
  call MPI_Alltoallw(out, counts, offsets, types, in, [(rank + 1, i = 1, size)], offsets, types, comm IERROR)
  call visit('Alltoallw')
  call moved('Alltoallw', sum * 4, size * (rank + 1) * 4)
  call MPI_Iallreduce(out, in, 5, MPI_INTEGER, MPI_SUM, comm, requests(1) IERROR); call visit('Iallreduce')
  call moved('Iallreduce', 20, 20)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE IERROR); call visit('Wait')

  ! Arguments that are ignored: in place, at others than the root, of operations that change nothing.
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, -7, MPI_DATATYPE_NULL, in, 2, MPI_INTEGER, 0, comm IERROR)
  else
    call MPI_Gather(out, 2, MPI_INTEGER, in, -7, MPI_DATATYPE_NULL, 0, comm IERROR)
  end if
  call visit('Gather')
  call moved('Gather', merge(0, 8, rank == 0), merge(8 * (size - 1), 0, rank == 0))
  call MPI_Allgather(MPI_IN_PLACE, -7, MPI_DATATYPE_NULL, in, 2, MPI_INTEGER, comm IERROR); call visit('Allgather')
  call moved('Allgather', merge(8, 0, size > 1), 8 * (size - 1))
  call MPI_Win_allocate(40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, memory, window IERROR); call visit('Win_allocate')
  call MPI_Win_lock_all(0, window IERROR); call visit('Win_lock_all')
  call MPI_Get_accumulate(out, 3, MPI_DATATYPE_NULL, in, 7, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 7, MPI_INTEGER, &
                          MPI_NO_OP, window IERROR)
  call visit('Get_accumulate')
  call did('Get_accumulate', 'got', 28)
  call MPI_Fetch_and_op(out, in, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, MPI_NO_OP, window IERROR)
  call visit('Fetch_and_op')
  call did('Fetch_and_op', 'got', 4)
  call MPI_Win_unlock_all(window IERROR); call visit('Win_unlock_all')
  call MPI_Win_free(window IERROR); call visit('Win_free')

  ! Buffers that only their types know: MPI_BOTTOM must arrive as what it is in C.
  there = absolute(out(2:6))
  here = absolute(in(11:15))
  out = rank
  in = -1
  call MPI_Sendrecv(MPI_BOTTOM, 1, there, next, 30, MPI_BOTTOM, 1, here, before, 30, comm, MPI_STATUS_IGNORE IERROR)
  call visit('Sendrecv')
  call did('Sendrecv', 'sent', 20)
  call did('Sendrecv', 'received', 20)
  call expect_in(before)
  call MPI_Irecv(MPI_BOTTOM, 1, here, before, 31, comm, requests(1) IERROR); call visit('Irecv')
  out = rank + 100
  call MPI_Send(MPI_BOTTOM, 1, there, next, 31, comm IERROR); call visit('Send')
  call did('Send', 'sent', 20)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE IERROR); call visit('Wait')
  call did('Wait', 'received', 20)
  call expect_in(before + 100)
  if (rank == 0) in(11:15) = 4711
  call MPI_Bcast(MPI_BOTTOM, 1, here, 0, comm IERROR); call visit('Bcast')
  call moved('Bcast', merge(20, 0, rank == 0), merge(0, 20, rank == 0))
  call expect_in(4711)
  call MPI_Type_free(there IERROR); call visit('Type_free')
  call MPI_Type_free(here IERROR); call visit('Type_free')

  ! Character lengths and double precision results.
  call MPI_Comm_set_name(comm, 'ring' IERROR)
  call MPI_Comm_get_name(comm, host, length IERROR)
  if (rank == 0) print '(a, i0)', host(1:length), length
  if (MPI_Wtime() < 0) print *, 'no time'
  call MPI_Comm_free(comm IERROR); call visit('Comm_free')
  call MPI_Finalize(ierror); call visit('Finalize')
  call write_counts(rank)

contains
  subroutine post(tag)
    integer, intent(in) :: tag
    call MPI_Irecv(in, 100, MPI_INTEGER, before, tag, comm, requests(1) IERROR); call visit('Irecv')
    call MPI_Isend(out, 5, MPI_INTEGER, next, tag, comm, requests(2) IERROR); call visit('Isend')
    call did('Isend', 'sent', 20)
  end subroutine post

  ! Calls that say by places which requests have completed.
  subroutine by_places()
    integer :: completed, place
    call start()
    do completed = 1, 2
      call MPI_Waitany(2, requests, place, MPI_STATUS_IGNORE IERROR); call visit('Waitany')
    end do
    call did('Waitany', 'received', 24)
    call start()
    completed = 0
    do while (completed < 2)
      call MPI_Waitsome(2, requests, done, indices, both IERROR); call visit('Waitsome')
      completed = completed + done
    end do
    call did('Waitsome', 'received', 24)
    call start()
    completed = 0
    do while (completed < 2)
      call MPI_Testany(2, requests, place, flag, one IERROR); call visit('Testany')
      if (flag) completed = completed + 1
    end do
    call did('Testany', 'received', 24)
    call start()
    completed = 0
    do while (completed < 2)
      call MPI_Testsome(2, requests, done, indices, MPI_STATUSES_IGNORE IERROR); call visit('Testsome')
      completed = completed + done
    end do
    call did('Testsome', 'received', 24)
  end subroutine by_places

  subroutine start()
    call MPI_Startall(2, requests IERROR); call visit('Startall')
    call did('Startall', 'sent', 24)
  end subroutine start

  DATATYPE function absolute(buffer)
    integer, intent(in), asynchronous, target :: buffer(5)
    integer(MPI_ADDRESS_KIND) :: address(1)
    call MPI_Get_address(buffer, address(1) IERROR); call visit('Get_address')
    call MPI_Type_create_hindexed(1, [5], address, MPI_INTEGER, absolute IERROR); call visit('Type_create_hindexed')
    call MPI_Type_commit(absolute IERROR); call visit('Type_commit')
  end function absolute

  subroutine expect_in(value)
    integer, intent(in) :: value
    call MPI_Get_address(in, anywhere IERROR); call visit('Get_address')  ! the compiler cannot know who wrote it
    if (any(in(11:15) /= value) .or. in(10) /= -1 .or. in(16) /= -1) error stop 'MPI_BOTTOM is somewhere else'
  end subroutine expect_in

  subroutine moved(name, into, from)
    character(*), intent(in) :: name
    integer, intent(in) :: into, from
    call did(name, 'coll_out', into)
    call did(name, 'coll_in', from)
  end subroutine moved
end program bindings
