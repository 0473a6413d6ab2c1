// The ranks of a communicator, and how they agree:
//     together(body)   body() on each rank by itself; afterwards all ranks go on, or all throw the same error: that of
//                      the largest status (of equal ones of the lowest rank), with that rank's words
// Code between two messages that can throw must stand within a `together`: otherwise the other ranks would wait for
// ever. A request for memory can throw: functions are handed on by std::ref, of which a std::function needs none. Messages of more than 32 bits can count are sent in pieces.
#pragma once

#include <mpi.h>

#include <new>
#include <utility>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge::mpi {

// A status and one sentence, without memory of its own; status 0: none.
struct Fault {
  std::int32_t status = 0;
  char words[960] = "";

  void set(Status why, const char* what) noexcept;
};

// Runs body(), and answers with the error that it throws.
template <class Body>
Fault fault_of(const Body& body) noexcept {
  Fault fault;
  try {
    body();
  } catch (const Error& error) {
    fault.set(error.status(), error.what());
  } catch (const std::bad_alloc&) {
    fault.set(Status::out_of_memory, "out of memory");
  } catch (const std::exception& error) {
    fault.set(Status::internal, error.what());
  } catch (...) {
    fault.set(Status::internal, "an unknown exception");
  }
  return fault;
}

// Before what a thread computes first: OUT_OF_MEMORY where OpenBLAS cannot have its buffer. The caller's library knows
// which buffers there are.
void require_buffer();

class Team {
 public:
  Team() = default;  // of no ranks
  // A copy of the caller's communicator: collective. Throws INVALID_STATE without MPI, INVALID_ARGUMENT.
  explicit Team(MPI_Comm comm);
  Team(Team&& other) noexcept { *this = std::move(other); }
  Team& operator=(Team&& other) noexcept;
  ~Team();

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_; }

  template <class Body>
  void together(const Body& body) const {
    agree(fault_of([&] {
      require_buffer();
      body();
    }));
  }
  // The second half of together.
  void agree(const Fault& own) const;

  // values = their sum over all ranks
  void sum(Span<double> values) const;
  // values = those of rank 0
  void broadcast(Span<double> values) const;
  void broadcast_bytes(void* bytes, Index size) const;
  // own = the sum of the ranks before, all = that of all ranks
  void count(Index own, Index& before, Index& all) const;
  // The first place where the ranks have different numbers, the same on all of them; -1: none.
  Index first_that_differs(Span<const std::uint64_t> numbers) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

// Throws IO where a call of MPI answers with an error, as it does where the communicator's handler is
// MPI_ERRORS_RETURN. What other ranks have of that message is not known: the communicator is of no use afterwards.
void require_success(int code, const char* call);

// Throws INVALID_STATE before MPI_Init and after MPI_Finalize.
void require_mpi();
bool mpi_is_over();

}  // namespace freeridge::mpi
