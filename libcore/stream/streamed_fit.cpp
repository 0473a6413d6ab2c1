#include "libcore/stream/streamed_fit.hpp"

#include <algorithm>

namespace freeridge {
namespace {

// An expansion over the landmarks.
std::shared_ptr<const Predictor> expansion_at(const RowFeatures& features, const ReducedProblem& problem,
                                              Span<const double> lambdas) {
  const Index t = problem.rows().t();
  const Matrix z = features.kept();
  Matrix c(z.rows(), t);
  Array<double> b(t);
  problem.expansion(lambdas, c.view(), b);
  return std::make_shared<const Predictor>(
      features.kernel(),
      Prediction{*features.kernel(), z.rows(), z.cols(), t, lambdas, b, {}, {}, {}, layout_view(z), c.view(), {}, {}});
}

// A hyperplane, of x itself.
std::shared_ptr<const Predictor> hyperplane_at(const ReducedProblem& problem, Span<const double> lambdas) {
  const RowStack& rows = problem.rows();
  const Index d = rows.d(), t = rows.t();
  Matrix w(d, t), planes(d, t), intercepts(t, 1);
  Array<double> means = problem.means(), b;
  means.resize(d + t, 0.0);
  for (Index j = 0; j < t; ++j) {
    if (j == 0 || lambdas[j] != lambdas[j - 1]) problem.solve(lambdas.subspan(j, 1), planes.view(), intercepts.view());
    std::copy_n(planes.col(j), d, w.col(j));
    b.push_back(intercepts(j, 0));
  }
  const Span<const double> origin(means.data(), static_cast<std::size_t>(d)), level(means.data() + d, b.size());
  const KernelPtr kernel = linear_kernel();
  return std::make_shared<const Predictor>(
      kernel, Prediction{*kernel, rows.n(), d, t, lambdas, b, w.view(), origin, level, Rows(), {}, {}, {}});
}

}  // namespace

std::shared_ptr<const Predictor> predictor_at(const RowFeatures& features, const ReducedProblem& problem,
                                              Span<const double> lambdas) {
  return features.landmarks() ? expansion_at(features, problem, lambdas) : hyperplane_at(problem, lambdas);
}

}  // namespace freeridge
