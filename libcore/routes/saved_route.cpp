#include "libcore/routes/saved_route.hpp"

namespace freeridge {
namespace {

// The part of column j of a p x p matrix that lies in the triangle.
template <class T>
Span<T> part_of_column(BasicView<T> a, Index j, Triangle triangle) {
  if (triangle == Triangle::upper) return {a.col(j), j + 1};
  return {a.col(j) + j, a.rows - j};
}

}  // namespace

FactorizationPtr load_factorization(ProblemPtr problem, Route route, ByteReader& in) {
  switch (route) {
    case Route::cholesky:
      return load_cholesky(std::move(problem), in);
    case Route::spectral:
      return load_spectral(std::move(problem), in);
    case Route::band:
      return load_band(std::move(problem), in);
    case Route::primal:
      return load_primal(std::move(problem), in);
    case Route::landmark:
      return load_landmark(std::move(problem), in);
    case Route::iterative:
      return load_iterative(std::move(problem), in);
    default:
      fail(Status::corrupt, "the saved route is ", static_cast<std::int32_t>(route), ", which has no factorization");
  }
}

void load_matrix(ByteReader& in, const char* name, double most, MatrixView a) {
  for (Index j = 0; j < a.cols; ++j) in.numbers(name, most, {a.col(j), a.rows});
}

void save_triangle(ByteWriter& out, ConstMatrixView a, Triangle triangle) {
  for (Index j = 0; j < a.cols; ++j) out.numbers(part_of_column(a, j, triangle));
}

void load_triangle(ByteReader& in, const char* name, MatrixView a, Triangle triangle) {
  for (Index j = 0; j < a.cols; ++j) in.numbers(name, any_finite, part_of_column(a, j, triangle));
}

Matrix load_triangle(ByteReader& in, const char* name, Index p, Triangle triangle) {
  in.require(name, triangle_numbers(p));
  Matrix out(p, p, 0.0);
  load_triangle(in, name, out.view(), triangle);
  return out;
}

Array<double> load_scales(ByteReader& in, const char* name, double most, Index count, bool positive) {
  Array<double> out = in.vector(name, most, count);
  for (const double value : out)
    if (value < 0 || (positive && value == 0))
      fail(Status::corrupt, "the saved bytes have ", value, " in ", name, ", which cannot be");
  return out;
}

}  // namespace freeridge
