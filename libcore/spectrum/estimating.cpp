#include "libcore/spectrum/estimating.hpp"

#include <algorithm>

#include "libcore/base/bytes.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

class TraceSink final : public EstimateSink {
 public:
  bool enough(ConstMatrixView, const DiagonalEvidence&) const override { return true; }
  void at(Index, ConstMatrixView, const DiagonalEvidence& evidence) override { trace = estimated_trace(evidence.raw); }
  void undefined(Index, const std::string& reason) override { fail(Status::not_converged, reason); }
  Estimate trace{};
};

}  // namespace

Index usual_probes(Index n) {
  return std::clamp<Index>(32768 / n, 7, 256);
}

Estimating::Estimating(ProblemPtr problem, ByteReader& in)
    : Factorization(std::move(problem)), accuracy_(in.number("the accuracy", 1)) {
  if (!(accuracy_ > 0)) fail(Status::corrupt, "the saved accuracy is ", accuracy_, ", which cannot be");
}

void Estimating::refuse(const char* what) {
  fail(Status::invalid_state, "the ITERATIVE route knows no ", what,
       ", which would take a solution for each point; set another route, or landmarks");
}

std::string Estimating::not_converged(double lambda, double accuracy, double wanted) {
  return text("at lambda = ", lambda, " the solution is certain to ", accuracy, " of its norm only, in place of ",
              wanted, " (FREERIDGE_ACCURACY); ask for less, or set a larger lambda or another route");
}

std::string Estimating::estimate_not_converged(double lambda, double accuracy, double wanted) {
  return text("at lambda = ", lambda, " a solution that estimates need is certain to ", accuracy,
              " of its norm only, in place of ", wanted,
              ", whatever FREERIDGE_ACCURACY asks for; set a larger lambda or another route");
}

Estimate Estimating::trace(double lambda) const {
  TraceSink sink;
  estimate(Array<double>{lambda}, 0, 0, usual_probes(problem().n()), sink);
  return sink.trace;
}

double EstimatingMaker::trace() const {
  std::unique_lock lock(mutex_, std::defer_lock);
  lock_patiently(lock);
  if (!trace_) trace_ = of_.trace(lambda_).value;
  return *trace_;
}

// H = I - P~
double EstimatingMaker::degrees_of_freedom() const {
  return static_cast<double>(of_.problem().n()) - trace();
}

}  // namespace freeridge
