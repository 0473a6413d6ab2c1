#include "mpi/team.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "freeridge.h"

namespace freeridge::mpi {
namespace {

constexpr Index piece = Index{1} << 27;  // numbers, or eights of bytes, of one message

template <class Send>
void in_pieces(Index count, Index most, const Send& send) {
  for (Index first = 0; first < count; first += most) send(first, static_cast<int>(std::min(most, count - first)));
}

}  // namespace

void Fault::set(Status why, const char* what) noexcept {
  status = static_cast<std::int32_t>(why);
  std::snprintf(words, sizeof words, "%s", what);
}

void require_success(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, words, &length) != MPI_SUCCESS) words[0] = 0;
  fail(Status::io, call, " fails: ", std::string_view(words), " (code ", code, ")");
}

void require_buffer() {
  thread_local bool told = false;
  if (told) return;
  std::int32_t threads = 0;
  if (const freeridge_status status = freeridge_get_threads(&threads); status != FREERIDGE_OK)
    throw Error(Status{status}, freeridge_last_error());
  told = true;
}

bool mpi_is_over() {
  int over = 0;
  MPI_Finalized(&over);
  return over != 0;
}

void require_mpi() {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun == 0) fail(Status::invalid_state, "MPI has not begun; call MPI_Init first");
  if (mpi_is_over()) fail(Status::invalid_state, "MPI is over; make this call before MPI_Finalize");
}

Team::Team(MPI_Comm comm) {
  require_mpi();
  if (comm == MPI_COMM_NULL) fail(Status::invalid_argument, "comm is MPI_COMM_NULL");
  int between_groups = 0;
  require_success(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  if (between_groups != 0)
    fail(Status::invalid_argument, "comm is an intercommunicator; it must be an intracommunicator");
  require_success(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  require_success(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  require_success(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

Team::~Team() {
  if (comm_ != MPI_COMM_NULL && !mpi_is_over()) MPI_Comm_free(&comm_);
}

Team& Team::operator=(Team&& other) noexcept {
  std::swap(comm_, other.comm_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

void Team::agree(const Fault& own) const {
  struct {
    int status, rank;
  } worst{own.status, rank_};
  require_success(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_2INT, MPI_MAXLOC, comm_), "MPI_Allreduce");
  if (worst.status == 0) return;
  Fault fault = own;
  require_success(MPI_Bcast(fault.words, sizeof fault.words, MPI_CHAR, worst.rank, comm_), "MPI_Bcast");
  const std::string_view words = fault.words;
  const bool named = words.rfind("rank ", 0) == 0;  // agreed before
  if (named) throw Error(Status{worst.status}, std::string(words));
  throw Error(Status{worst.status}, text("rank ", worst.rank, ": ", words));
}

void Team::sum(Span<double> values) const {
  in_pieces(std::ssize(values), piece, [&](Index first, int count) {
    require_success(MPI_Allreduce(MPI_IN_PLACE, values.data() + first, count, MPI_DOUBLE, MPI_SUM, comm_),
                    "MPI_Allreduce");
  });
}

void Team::broadcast(Span<double> values) const {
  broadcast_bytes(values.data(), 8 * std::ssize(values));
}

void Team::broadcast_bytes(void* bytes, Index size) const {
  in_pieces(size, 8 * piece, [&](Index first, int count) {
    require_success(MPI_Bcast(static_cast<char*>(bytes) + first, count, MPI_BYTE, 0, comm_), "MPI_Bcast");
  });
}

void Team::count(Index own, Index& before, Index& all) const {
  std::int64_t one = own, sum = 0;
  require_success(MPI_Exscan(&one, &sum, 1, MPI_INT64_T, MPI_SUM, comm_), "MPI_Exscan");
  before = rank_ > 0 ? sum : 0;
  require_success(MPI_Allreduce(&one, &sum, 1, MPI_INT64_T, MPI_SUM, comm_), "MPI_Allreduce");
  all = sum;
}

Index Team::first_that_differs(Span<const std::uint64_t> numbers) const {
  const Index count = std::ssize(numbers);
  Array<std::uint64_t> ends;  // the largest numbers, and of the complements: the smallest numbers
  together([&] {
    ends.assign(numbers.begin(), numbers.end());
    for (const std::uint64_t number : numbers) ends.push_back(~number);
  });
  require_success(MPI_Allreduce(MPI_IN_PLACE, ends.data(), static_cast<int>(2 * count), MPI_UINT64_T, MPI_MAX, comm_),
                  "MPI_Allreduce");
  for (Index k = 0; k < count; ++k)
    if (ends[k] != ~ends[count + k]) return k;
  return -1;
}

}  // namespace freeridge::mpi
