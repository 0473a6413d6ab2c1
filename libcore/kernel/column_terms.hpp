// Kernels of terms of the columns: one kernel, inner(x_t, z_t), of the columns x_t of each term t = 1, ..., m. Terms are
// single columns, or the columns with equal labels (those of a factor); columns with a negative label are in none.
// What they do with the values: additive.hpp, multiplicative.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/one_pass.hpp"

namespace freeridge {

// The points of a term: where they stand if its columns are neighbours, else copied.
class TermPoints {
 public:
  TermPoints(ConstMatrixView x, Span<const Index> columns);
  ConstMatrixView view() const { return view_; }

 private:
  Matrix space_;
  ConstMatrixView view_;
};

class ColumnTerms : public Kernel, public ValuesWithGradient {
 public:
  bool differentiable() const override { return inner_->differentiable(); }
  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    add_gradient(a, b, s, to, nullptr);
  }
  double add_value_and_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s,
                                    const LogGradient& to) const override {
    double value = 0;
    add_gradient(a, b, s, to, &value);
    return value;
  }

  Index parameter_count() const override { return 1; }
  KernelParameter parameter(Index /*i*/) const override { return {"label", label_, true, true}; }
  Span<const KernelPtr> parts() const override { return {&inner_, 1}; }
  KernelPtr rebuilt(Span<const double> /*numbers*/, Array<KernelPtr> parts) const override {
    return of_inner(std::move(parts[0]));
  }
  void describe(KernelText& out) const override;
  Extent extent() const override { return extent_; }
  void check_features(Index d) const override;
  std::optional<double> bandwidth() const override { return inner_->bandwidth(); }
  KernelPtr with_bandwidth(double sigma) const override {
    KernelPtr inner = inner_->with_bandwidth(sigma);
    return inner ? of_inner(std::move(inner)) : nullptr;
  }

 protected:
  // label: one for each column, 0, 1, ... in the order of their first columns, -1: in no term. Empty: each column is a
  // term.
  ColumnTerms(KernelPtr inner, Array<double> label);

  // The same kernel of another inner one.
  virtual KernelPtr of_inner(KernelPtr inner) const = 0;
  // Adds the derivatives; value: <S, K> is added to it, NULL: not asked for.
  virtual void add_gradient(ConstMatrixView a, ConstMatrixView b, ConstMatrixView s, const LogGradient& to,
                            double* value) const = 0;

  Index term_count(Index d) const { return label_.empty() ? d : std::ssize(terms_); }
  template <class Take>
  void each_term(Index d, const Take& take) const {
    if (!label_.empty())
      for (const Array<Index>& columns : terms_) take(Span<const Index>(columns));
    else
      for (Index k = 0; k < d; ++k) take(Span<const Index>(&k, 1));
  }
  // inner(x_t, z_t) of each term.
  template <class Take>
  void each_twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z, const Take& take) const {
    Array<DoubleDouble> left, right;
    each_term(std::ssize(x), [&](Span<const Index> columns) {
      left.clear();
      right.clear();
      for (const Index k : columns) {
        left.push_back(x[k]);
        right.push_back(z[k]);
      }
      take(inner_->twofold(left, right));
    });
  }
  // Hands the terms of the derivative of inner on the columns of a term to `take`, as those of a function of all
  // columns. q is used up.
  void slopes_of_term(Span<const Index> columns, ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor,
                      const TakeSlope& take) const;
  // Adds the derivatives of weight <S, inner> on the columns of a term, and answers <S, inner> where it is wanted. room:
  // like S, overwritten; it may be S itself.
  double add_gradient_of_term(Span<const Index> columns, const std::optional<OneFeature>& fast, ConstMatrixView a,
                              ConstMatrixView b, ConstMatrixView s, MatrixView room, const LogGradient& to,
                              bool value) const;

  KernelPtr inner_;
  Array<double> label_;  // as a parameter: numbers

 private:
  Array<Array<Index>> terms_;
  Extent extent_;
};

// Makes a kernel of terms. label: one for each column; empty: each column is a term, whatever d. Throws
// INVALID_ARGUMENT for a precomputed kernel, a kernel with scaled ones in it, and where no label is >= 0;
// DIMENSION_MISMATCH where inner does not fit a term.
Array<double> checked_labels(const char* kind, const Kernel& inner, Span<const std::int32_t> label);
template <class Terms>
KernelPtr kernel_of_terms(const char* kind, KernelPtr inner, Span<const std::int32_t> label) {
  Array<double> canonical = checked_labels(kind, *inner, label);
  auto out = std::make_shared<Terms>(std::move(inner), std::move(canonical));
  if (!label.empty()) out->check_features(std::ssize(label));
  return out;
}

}  // namespace freeridge
