#include "libcore/losses/gradient_descent.hpp"

#include "libcore/base/checks.hpp"
#include "libcore/base/random.hpp"

namespace freeridge {
namespace {

constexpr Index reports = 1000;  // the fraction moves about so often in a call

class Descent {
 public:
  Descent(const LossOutputs& outputs, const LayoutView& x, const DescentPlan& plan)
      : o_(outputs), x_(x), plan_(plan), rule_(rule()), random_(plan.seed), w_(x.cols, 0.0), b_(plan.start_b) {
    if (plan.start != nullptr) w_.assign(plan.start, plan.start + x.cols);
    f_.resize(o_.n);
    g_.resize(o_.n);
    step_ = plan.step > 0 ? plan.step : default_step(o_, x_, plan_.intercept, plan_.batch);
    if (plan.batch == o_.n)
      gradient_.resize(x.cols);
    else
      prepare_batches();
    mean_ = w_;
    mean_b_ = b_;
  }
  DescentPath run(bool with_objective);

 private:
  StepRule rule() const {
    if (plan_.rule != StepRule::automatic) return plan_.rule;
    if (plan_.batch == o_.n && !has_corner(o_.loss)) return StepRule::constant;
    return o_.lambda > 0 ? StepRule::inverse : StepRule::root;
  }
  void prepare_batches();
  double length(Index t) const;
  void all_rows(double eta);
  void some_rows(double eta);
  void average(Index t);
  void record(Index l, bool with_objective, DescentPath& out);

  const LossOutputs& o_;
  const LayoutView& x_;
  const DescentPlan& plan_;
  const StepRule rule_;
  Random random_;
  double step_ = 0;
  Array<double> w_, mean_, gradient_;
  double b_, mean_b_ = 0;
  Array<double> f_, g_;
  Matrix copy_;           // x' where x comes by columns
  ConstMatrixView rows_;  // d x n: a row of x is a column here
  Array<Index> order_;
  Index next_ = 0;  // place in order_ where the next batch begins
};

void Descent::prepare_batches() {
  if (x_.layout == Layout::row_major) {
    rows_ = {x_.data, x_.cols, x_.rows, x_.ld};
  } else {
    copy_ = Matrix(x_.cols, x_.rows);
    transpose({x_.data, x_.rows, x_.cols, x_.ld}, copy_.view());
    rows_ = copy_.view();
  }
  order_ = consecutive(0, o_.n);
  next_ = o_.n;
}

double Descent::length(Index t) const {
  const double steps = static_cast<double>(plan_.done) + static_cast<double>(t);
  if (rule_ == StepRule::inverse) return step_ / (1 + step_ * o_.lambda * steps);
  return rule_ == StepRule::root ? step_ / std::sqrt(steps + 1) : step_;
}

void Descent::all_rows(double eta) {
  linear_values(x_, w_.data(), b_, f_);
  training_slopes(o_, f_, g_);
  linear_gradient(x_, g_, o_.lambda, w_.data(), gradient_.data());
  for (std::size_t k = 0; k < w_.size(); ++k) w_[k] -= eta * gradient_[k];
  if (plan_.intercept) b_ -= eta * sum_of(g_);
}

void Descent::some_rows(double eta) {
  if (next_ >= o_.n) {
    random_.shuffle(Span<Index>(order_), o_.n);
    worked(touched * static_cast<double>(o_.n));
    next_ = 0;
  }
  const Index d = x_.cols, count = std::min(plan_.batch, o_.n - next_);
  const double units = 20 * nanosecond + touched * static_cast<double>(d);
  for (Index k = 0; k < count; ++k) {
    const Index i = order_[next_ + k];
    g_[k] = o_.weight(i) * loss_slope(o_.loss, o_.y[i], dot(d, rows_.col(i), w_.data()) + b_);
    worked(units);
  }
  const double each = eta * (static_cast<double>(o_.n) / static_cast<double>(count)), shrink = 1 - eta * o_.lambda;
  double sum = 0;
  for (double& value : w_) value *= shrink;
  for (Index k = 0; k < count; ++k) {
    sum += g_[k];
    if (g_[k] == 0) continue;
    const double* row = rows_.col(order_[next_ + k]);
    const double amount = each * g_[k];
    for (Index j = 0; j < d; ++j) w_[j] -= amount * row[j];
    worked(units);
  }
  if (plan_.intercept) b_ -= each * sum;
  next_ += count;
}

// With weights 1, 2, ..., t: mean_t = mean_(t-1) + 2 / (t + 1) (w_t - mean_(t-1)).
void Descent::average(Index t) {
  const double share = 2 / (static_cast<double>(t) + 1);
  for (std::size_t k = 0; k < w_.size(); ++k) mean_[k] += share * (w_[k] - mean_[k]);
  mean_b_ += share * (b_ - mean_b_);
}

void Descent::record(Index l, bool with_objective, DescentPath& out) {
  const Array<double>& w = plan_.average ? mean_ : w_;
  const double b = plan_.average ? mean_b_ : b_;
  std::ranges::copy(w, out.w.col(l));
  out.b[l] = b;
  bool finite = std::isfinite(b) && all_finite(w);
  if (finite && with_objective) {
    linear_values(x_, w.data(), b, f_);
    out.objective[l] = training_loss(o_, f_) + (o_.lambda == 0 ? 0 : o_.lambda / 2 * dot(x_.cols, w.data(), w.data()));
    finite = std::isfinite(out.objective[l]);
  }
  if (!finite)
    fail(Status::not_finite, "the iterates overflow within ", plan_.steps[l], " steps: the step, ", step_,
         ", is too large");
}

DescentPath Descent::run(bool with_objective) {
  const auto count = static_cast<Index>(plan_.steps.size()), total = plan_.steps[count - 1];
  DescentPath out{Matrix(x_.cols, count), Array<double>(count), Array<double>(with_objective ? count : 0), step_};
  const Index stride = std::max<Index>(1, total / reports);
  for (Index l = 0, t = 0; l < count; ++l) {
    for (; t < plan_.steps[l]; ++t) {
      const double eta = length(t);
      plan_.batch == o_.n ? all_rows(eta) : some_rows(eta);
      if (plan_.average) average(t + 1);
      if (t % stride == 0) report(fraction(t, total));
    }
    record(l, with_objective, out);
  }
  report(1);
  return out;
}

void check_plan(const DescentPlan& plan, Index d) {
  if (plan.start != nullptr) require_finite("start_w", {plan.start, d, 1, d, Layout::col_major});
  if (!std::isfinite(plan.start_b)) fail(Status::not_finite, "start_b is ", plan.start_b, "; it must be finite");
  if (!std::isfinite(plan.step)) fail(Status::not_finite, "step is ", plan.step, "; it must be finite");
  if (plan.step < 0) fail(Status::invalid_argument, "step is ", plan.step, "; it must not be negative");
  if (plan.done < 0) fail(Status::invalid_argument, "done is ", plan.done, "; it must not be negative");
  for (std::size_t l = 0; l < plan.steps.size(); ++l)
    if (plan.steps[l] < 0 || (l > 0 && plan.steps[l] <= plan.steps[l - 1]))
      fail(Status::invalid_argument, "steps[", l, "] is ", plan.steps[l],
           "; numbers of steps must be >= 0 and ascending");
}

}  // namespace

DescentPath gradient_descent(const LossOutputs& outputs, const LayoutView& x, const DescentPlan& plan,
                             bool with_objective) {
  report(0);
  require_finite("x", x);
  check(outputs);
  check_plan(plan, x.cols);
  return Descent(outputs, x, plan).run(with_objective);
}

}  // namespace freeridge
