#include "mpi/team.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

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
  MPI_Comm_test_inter(comm, &between_groups);
  if (between_groups != 0)
    fail(Status::invalid_argument, "comm is an intercommunicator; it must be an intracommunicator");
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

Team::~Team() {
  if (!mpi_is_over()) MPI_Comm_free(&comm_);
}

void Team::agree(const Fault& own) const {
  struct {
    int status, rank;
  } worst{own.status, rank_};
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_2INT, MPI_MAXLOC, comm_);
  if (worst.status == 0) return;
  Fault fault = own;
  MPI_Bcast(fault.words, sizeof fault.words, MPI_CHAR, worst.rank, comm_);
  const std::string_view words = fault.words;
  const bool named = words.rfind("rank ", 0) == 0;  // agreed before
  if (named) throw Error(Status{worst.status}, std::string(words));
  throw Error(Status{worst.status}, text("rank ", worst.rank, ": ", words));
}

void Team::sum(Span<double> values) const {
  in_pieces(std::ssize(values), piece, [&](Index first, int count) {
    MPI_Allreduce(MPI_IN_PLACE, values.data() + first, count, MPI_DOUBLE, MPI_SUM, comm_);
  });
}

void Team::broadcast(Span<double> values) const {
  broadcast_bytes(values.data(), 8 * std::ssize(values));
}

void Team::broadcast_bytes(void* bytes, Index size) const {
  in_pieces(size, 8 * piece,
            [&](Index first, int count) { MPI_Bcast(static_cast<char*>(bytes) + first, count, MPI_BYTE, 0, comm_); });
}

void Team::require_same(std::uint64_t number, const char* words) const {
  std::uint64_t ends[2] = {number, ~number};  // the largest number, and of the complements: the smallest number
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MAX, comm_);
  together([&] {
    if (ends[0] != ~ends[1]) fail(Status::dimension_mismatch, words);
  });
}

}  // namespace freeridge::mpi
