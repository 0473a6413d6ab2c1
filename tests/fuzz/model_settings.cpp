// The setters of a model: what the fuzzer tells it, written down for its twin.
#include <algorithm>
#include <cstdio>

#include "fuzz/model_sequence.hpp"

namespace fuzz {

std::string chosen_kernel(Source& in) {
  char text[256];
  const double sigma = std::ldexp(1.0, static_cast<int>(in.from(-3, 4)));
  const std::uint8_t choice = in.byte();
  if (choice >= 248) {  // of labelled terms, or of all columns
    std::string labels;
    for (std::int64_t k = 0, d = in.below(5); k < d; ++k)
      labels += (k == 0 ? "[" : ", ") + std::to_string(in.from(k == 0 ? 0 : -1, 2));
    std::snprintf(text, sizeof text,
                  choice < 252 ? "additive(%s%sgaussian(sigma = %.17g))"
                  : choice < 254
                      ? "multiplicative(%s%s1 * constant() + 0.5 * periodic(period = 2, gaussian(sigma = %.17g)))"
                      : "additive(%s%speriodic(period = 3, laplacian(sigma = %.17g)))",
                  labels.c_str(), labels.empty() ? "" : "], ", sigma);
    return text;
  }
  switch (choice % 8) {
    case 0:
      std::snprintf(text, sizeof text, "gaussian(sigma = %.17g)", sigma);
      break;
    case 1:
      std::snprintf(text, sizeof text, "laplacian(sigma = %.17g)", sigma);
      break;
    case 2:
      std::snprintf(text, sizeof text, "matern(nu = 1.5, length = %.17g)", sigma);
      break;
    case 3:
      std::snprintf(text, sizeof text, "polynomial(degree = 2, scale = %.17g, offset = 1)", sigma);
      break;
    case 4:
      std::snprintf(text, sizeof text, "0.5 * linear() + 2 * gaussian(sigma = %.17g)", sigma);
      break;
    case 5:
      std::snprintf(text, sizeof text, "scaled([%.17g, 2], linear())", sigma);
      break;
    case 6:
      return "precomputed()";
    default:
      return "linear()";
  }
  return text;
}

void ModelSequence::set_kernel(Source& in) {
  const std::string text = chosen_kernel(in);
  Caller call;
  const KernelHandle kernel = parsed(text.c_str(), call);
  if (!worked(in, "freeridge_set_kernel", [&] { return freeridge_set_kernel(model_.get(), kernel.get()); })) return;
  told_.kernel = text;
  told_.unset();
}

// Data whose rows and columns may coincide, be constant or zero, in either layout and with gaps, or sparse; for a
// precomputed kernel a Gram matrix.
void ModelSequence::set_data(Source& in, bool borrow, bool sparse) {
  auto data = std::make_shared<Settings::Data>();
  data->n = in.from(1, 12), data->d = in.from(1, 4), data->t = in.from(1, 2);
  data->borrowed = borrow;
  data->layout = in.one_in(2) ? FREERIDGE_ROW_MAJOR : FREERIDGE_COL_MAJOR;
  const bool by_rows = data->layout == FREERIDGE_ROW_MAJOR;
  const std::int64_t gap = in.below(3);
  const bool gram = told_.kernel == "precomputed()" && !in.one_in(4);
  std::vector<double> points = in.tame(data->n * data->d);
  for (double& value : points)
    if (sparse && in.one_in(2)) value = 0;
  const auto point = [&, d = data->d](std::int64_t i, std::int64_t k) { return points[size_of(i * d + k)]; };
  const std::int64_t d = data->d;
  if (gram) data->d = data->n;
  data->ldx = (by_rows ? data->d : data->n) + gap, data->ldy = (by_rows ? data->t : data->n) + gap;
  data->x.assign(size_of(data->ldx, by_rows ? data->n : data->d), 77.0);
  data->y.assign(size_of(data->ldy, by_rows ? data->n : data->t), 77.0);
  const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t ld) {
    return size_of(by_rows ? i * ld + j : i + j * ld);
  };
  const bool classes = in.one_in(3);
  data->missing = told_.missing != 0;
  const bool some_missing = data->missing && in.one_in(2);
  for (std::int64_t i = 0; i < data->n; ++i) {
    for (std::int64_t k = 0; k < data->d; ++k) {
      double value = gram ? 0.0 : point(i, k);
      for (std::int64_t l = 0; gram && l < d; ++l) value += point(i, l) * point(k, l);
      data->x[at(i, k, data->ldx)] = value;
    }
    for (std::int64_t j = 0; j < data->t; ++j)
      data->y[at(i, j, data->ldy)] = classes ? (in.one_in(2) == (j == 0) ? 1.0 : -1.0) : in.tame();
    for (std::int64_t j = 0; some_missing && j < data->t; ++j)
      if (in.one_in(4)) data->y[at(i, j, data->ldy)] = std::numeric_limits<double>::quiet_NaN();
  }
  if (sparse) {
    support::Matrix x(data->n, data->d);
    for (std::int64_t i = 0; i < data->n; ++i)
      for (std::int64_t k = 0; k < data->d; ++k) x(i, k) = data->x[at(i, k, data->ldx)];
    data->sparse.emplace(x, in.one_in(2) ? FREERIDGE_CSC : FREERIDGE_CSR);
  }
  const char* const name = sparse || borrow ? "freeridge_set_points" : "freeridge_set_data";
  if (!worked(in, name, [&] { return give(model_.get(), *data); })) return;
  forget_data(std::move(data));
}

// Rows of a reader, which may fail at one of them, or hand out a number that is none.
void ModelSequence::set_reader(Source& in) {
  auto data = std::make_shared<Settings::Data>();
  data->read = true;
  data->missing = told_.missing != 0;
  data->n = in.from(1, 40), data->d = in.from(1, 4), data->t = in.from(1, 2);
  data->x = in.tame(data->n * data->d), data->y = in.tame(data->n * data->t);
  if (in.one_in(3))
    for (std::int64_t i = 0; i < data->n; ++i)
      data->weights.push_back(std::ldexp(1.0, static_cast<int>(in.from(-4, 4))));
  if (in.one_in(8)) data->fails_at = in.below(data->n);
  if (in.one_in(8)) (in.one_in(2) ? data->x : data->y).back() = std::numeric_limits<double>::infinity();
  if (!worked(in, "freeridge_set_points", [&] { return give(model_.get(), *data); })) return;
  forget_data(std::move(data));
}

void ModelSequence::set_missing(Source& in) {
  const auto on = static_cast<std::int32_t>(in.below(2));
  if (worked(in, "freeridge_set_parameter",
             [&] { return freeridge_set_parameter(model_.get(), FREERIDGE_MISSING, on); }))
    told_.missing = on;
}

void ModelSequence::forget_data(std::shared_ptr<const Settings::Data> next) {
  told_.data = std::move(next);
  told_.weights.clear(), told_.fixed.clear(), told_.groups.clear(), told_.gaps.clear(), told_.landmark_rows.clear();
  told_.landmarks = 0, told_.unpenalised = 0;
  told_.unset();
}

void ModelSequence::set_weights(Source& in) {
  std::vector<double> weights;
  if (!in.one_in(4))
    for (std::int64_t i = 0; i < (told_.data ? told_.data->n : 1); ++i)
      weights.push_back(in.one_in(16) ? in.tame() : std::ldexp(1.0, static_cast<int>(in.from(-6, 6))));
  if (!worked(in, "freeridge_set_weights", [&] { return freeridge_set_weights(model_.get(), or_null(weights)); }))
    return;
  told_.weights = std::move(weights);
  told_.unset();
}

// Some columns of few different numbers, so that they may depend on each other, or rows alone determine one.
void ModelSequence::set_fixed_effects(Source& in) {
  const std::int64_t n = told_.data ? told_.data->n : 1, q = in.below(4);
  if (told_.read()) {
    if (!worked(in, "freeridge_set_parameter",
                [&] { return freeridge_set_parameter(model_.get(), FREERIDGE_UNPENALISED, static_cast<double>(q)); }))
      return;
    told_.unpenalised = q;
    return told_.unset();
  }
  std::vector<double> fixed;
  for (std::int64_t k = 0; k < n * q; ++k)
    fixed.push_back(in.one_in(8) ? in.tame() : static_cast<double>(in.from(-1, 2)));
  Settings::Data none;
  none.n = none.d = 1;
  const Settings::Data& data = told_.data ? *told_.data : none;
  if (!worked(in, "freeridge_set_points", [&] { return give_unpenalised(model_.get(), data, fixed); })) return;
  told_.fixed = std::move(fixed);
  told_.unset();
}

void ModelSequence::set_groups(Source& in) {
  std::vector<std::int32_t> groups;
  if (!in.one_in(4))
    for (std::int64_t i = 0; i < (told_.data ? told_.data->n : 1); ++i)
      groups.push_back(static_cast<std::int32_t>(in.from(-1, 4)));
  std::int64_t divisions = 1;
  if (!groups.empty() && groups.front() == 4) {  // the same labels in another order as a second division
    const std::vector<std::int32_t> reversed(groups.rbegin(), groups.rend());
    groups.insert(groups.end(), reversed.begin(), reversed.end());
    divisions = 2;
  }
  std::vector<std::int32_t> gaps;
  if (!groups.empty() && groups.front() == 3) {
    gaps = groups;
    std::rotate(gaps.begin(), gaps.begin() + 1, gaps.end());  // the row before each
  }
  if (!worked(in, "freeridge_set_groups", [&] {
        return freeridge_set_groups(model_.get(), divisions, or_null(groups), gaps.empty() ? 0 : 1, or_null(gaps));
      }))
    return;
  told_.groups = std::move(groups);
  told_.gaps = std::move(gaps);
}

void ModelSequence::set_choice(Source& in) {
  const auto value = static_cast<std::int32_t>(in.from(-1, 6));
  const auto seed = static_cast<std::int64_t>(in.byte());
  freeridge_model* const model = model_.get();
  switch (in.byte() % 4) {
    case 0:
      if (!worked(in, "freeridge_set_parameter",
                  [&] { return freeridge_set_parameter(model, FREERIDGE_INTERCEPT, value); }))
        return;
      told_.intercept = value;
      break;
    case 1:
      if (!worked(in, "freeridge_set_parameter",
                  [&] { return freeridge_set_parameter(model, FREERIDGE_ROUTE, value); }))
        return;
      told_.route = value;
      break;
    case 2:
      if (!worked(in, "freeridge_set_parameter",
                  [&] { return freeridge_set_parameter(model, FREERIDGE_REDUCTION, value); }))
        return;
      told_.reduction = value;
      break;
    default:
      if (!worked(in, "freeridge_set_parameter",
                  [&] { return freeridge_set_parameter(model, FREERIDGE_LANDMARK_METHOD, value); }) ||
          !worked(in, "freeridge_set_parameter",
                  [&] { return freeridge_set_parameter(model, FREERIDGE_LANDMARK_SEED, static_cast<double>(seed)); }))
        return;
      told_.method = value, told_.seed = seed;
  }
  told_.unset();
}

void ModelSequence::set_landmarks(Source& in) {
  std::int64_t count = in.from(-1, 6);
  std::vector<std::int64_t> rows;
  if (in.one_in(2))
    for (std::int64_t k = 0; k < count; ++k) rows.push_back(in.one_in(16) ? in.from(-1, 12) : in.below(12));
  if (!worked(in, "freeridge_set_landmarks",
              [&] { return freeridge_set_landmarks(model_.get(), count, or_null(rows)); }))
    return;
  told_.landmarks = count, told_.landmark_rows = std::move(rows);
  told_.unset();
}

void ModelSequence::set_hints(Source& in) {
  const auto value = static_cast<std::int32_t>(in.from(-1, 6));
  freeridge_model* const model = model_.get();
  switch (in.byte() % 3) {
    case 0:
      if (worked(in, "freeridge_set_parameter", [&] {
            return freeridge_set_parameter(model, FREERIDGE_EXPECTED_LAMBDAS, static_cast<double>(value));
          }))
        told_.expected_lambdas = value;
      break;
    case 1:
      if (worked(in, "freeridge_set_parameter",
                 [&] { return freeridge_set_parameter(model, FREERIDGE_EXPECTED_CRITERION, value); }))
        told_.expected_criterion = value;
      break;
    default:
      if (worked(in, "freeridge_set_parameter",
                 [&] { return freeridge_set_parameter(model, FREERIDGE_REFINEMENT, value); }))
        told_.refinement = value;
  }
}

}  // namespace fuzz
