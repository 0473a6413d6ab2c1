// The object behind a freeridge_mpi_dense: the whole problem, which every rank has, the grid, and the factor.
#pragma once

#include <optional>

#include "freeridge_mpi.h"
#include "libcore/base/progress.hpp"
#include "libcore/select/criteria.hpp"
#include "mpi/dense_factor.hpp"
#include "mpi/wall.hpp"

namespace freeridge::mpi {

class Dense {
 public:
  // Comes first, on each rank by itself: copies the data, and adds them to `alike`. The sizes of the arguments have been
  // checked, their values are checked here.
  void take(KernelPtr kernel, const LayoutView& x, const LayoutView& y, const double* weights, bool intercept,
            Alike& alike);
  // Comes second. Collective, as the rest.
  void deal(Team&& team);

  const Team& team() const { return team_; }
  const Problem& problem() const { return *problem_; }
  Listener& listener() { return listener_; }
  freeridge_mpi_engine engine() const { return engine_; }
  Index bytes(freeridge_mpi_engine engine) const;
  DenseFactor& factor() const;

  // Answers are the same on all ranks.
  void factorize(freeridge_mpi_engine engine, Index expected_lambdas);
  // Answers with the reason for the first NaN.
  std::string scores(Criterion criterion, Span<const double> lambdas, Index first, MatrixView out) const;
  std::string errors(Span<const double> lambdas, MatrixView out) const;
  // The bytes of a saved predictor on rank 0; no bytes on other ranks.
  Array<unsigned char> predictor(Span<const double> lambdas) const;

 private:
  void require_share() const;
  double score(Criterion criterion, const Answer& answer, Index j) const;
  Array<unsigned char> saved(Span<const double> lambdas, const Matrix& c_tilde) const;

  Team team_;
  Matrix x_, y_;
  Array<double> weights_;
  std::optional<Problem> problem_;
  std::optional<Grid> grid_;
  std::optional<Dealing> dealing_;
  std::unique_ptr<DenseFactor> factor_;
  freeridge_mpi_engine engine_ = FREERIDGE_MPI_ENGINE_AUTO;
  Listener listener_;
};

}  // namespace freeridge::mpi
