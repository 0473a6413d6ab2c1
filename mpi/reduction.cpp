#include "mpi/reduction.hpp"

namespace freeridge::mpi {
namespace {

// The state of this thread's reduction. An MPI_Op gets nothing but the elements, and cannot report an error.
struct Reducing {
  const Join& join;
  Fault fault;
};
thread_local Reducing* reducing = nullptr;

// The reduction has one element, whose size may be beyond what `count` and `type` can say.
void join_elements(void* in, void* inout, int* count, MPI_Datatype* type) {
  static_cast<void>(count);
  static_cast<void>(type);
  if (reducing->fault.status == 0) reducing->fault = fault_of([&] { reducing->join(in, inout); });
}

void reduce_words(const Team& team, void* element, Index words, const Join& join) {
  MPI_Datatype word = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  team.together([&] {
    require_success(MPI_Type_contiguous(8, MPI_BYTE, &word), "MPI_Type_contiguous");
    require_success(MPI_Type_contiguous(static_cast<int>(words), word, &all), "MPI_Type_contiguous");
    require_success(MPI_Type_commit(&all), "MPI_Type_commit");
    require_success(MPI_Op_create(join_elements, 0, &op), "MPI_Op_create");
  });
  Reducing own{join, {}};
  reducing = &own;
  const bool first = team.rank() == 0;
  const int code = MPI_Reduce(first ? MPI_IN_PLACE : element, first ? element : nullptr, 1, all, op, 0, team.comm());
  reducing = nullptr;
  MPI_Op_free(&op);
  MPI_Type_free(&all);
  MPI_Type_free(&word);
  require_success(code, "MPI_Reduce");
  team.agree(own.fault);
}

}  // namespace

void reduce(const Team& team, Array<unsigned char>& element, const Join& join) {
  const std::size_t size = element.size();
  team.together([&] { element.resize((size + 7) / 8 * 8); });
  reduce_words(team, element.data(), std::ssize(element) / 8, join);
  element.resize(size);
}

void reduce(const Team& team, Array<double>& element, const Join& join) {
  reduce_words(team, element.data(), std::ssize(element), join);
}

}  // namespace freeridge::mpi
