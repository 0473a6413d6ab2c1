#include "fuzz/model_sequence.hpp"

#include <cstdio>

namespace fuzz {
namespace {

struct Cancel {
  int beats;  // left before it cancels; negative: never
  static std::int32_t heard(double, void* user) {
    auto& self = *static_cast<Cancel*>(user);
    return self.beats >= 0 && self.beats-- == 0 ? 1 : 0;
  }
};

void must(freeridge_status status, const char* what) {
  if (status != FREERIDGE_OK)
    wrong(std::string("a fresh model, told the same, answers ") + freeridge_status_name(status) + " to " + what + ": " +
          freeridge_last_error());
}

freeridge_status give(freeridge_model* model, const Settings::Data& data) {
  return (data.borrowed ? freeridge_set_data_view : freeridge_set_data)(
      model, data.layout, data.n, data.d, data.x.data(), data.ldx, data.t, data.y.data(), data.ldy);
}

template <class T>
const T* or_null(const std::vector<T>& values) {
  return values.empty() ? nullptr : values.data();
}

ModelHandle fresh(const Settings& told) {
  Caller call;
  const KernelHandle kernel = parsed(told.kernel.c_str(), call);
  freeridge_model* made = nullptr;
  must(freeridge_create(kernel.get(), &made), "create");
  ModelHandle out(made);
  must(freeridge_set_reduction(made, told.reduction), "set_reduction");
  must(freeridge_set_landmark_method(made, told.method, told.seed), "set_landmark_method");
  must(freeridge_set_route(made, told.route), "set_route");
  must(freeridge_set_intercept(made, told.intercept), "set_intercept");
  must(freeridge_set_refinement(made, told.refinement), "set_refinement");
  if (!told.data) return out;
  must(give(made, *told.data), "set_data");
  must(freeridge_set_weights(made, or_null(told.weights)), "set_weights");
  must(freeridge_set_landmarks(made, told.landmarks, or_null(told.landmark_rows)), "set_landmarks");
  if (told.factorized) {
    must(freeridge_set_expected_lambdas(made, told.factorized->expected_lambdas), "set_expected_lambdas");
    must(freeridge_set_expected_criterion(made, told.factorized->expected_criterion), "set_expected_criterion");
    must(freeridge_factorize(made), "factorize");
  }
  if (told.searched) {
    std::vector<double> lambda(size_of(told.data->t)), score(size_of(told.data->t));
    must(freeridge_set_groups(made, or_null(told.searched->groups)), "set_groups");
    must(freeridge_set_refinement(made, told.searched->refinement), "set_refinement");
    must(freeridge_select_lambda(made, told.searched->criterion, told.searched->low, told.searched->high, lambda.data(),
                                 score.data()),
         "select_lambda");
  }
  if (told.fitted) {
    must(freeridge_set_refinement(made, told.fitted->refinement), "set_refinement");
    must(freeridge_set_lambdas(made, told.fitted->lambdas.data()), "set_lambdas");
  }
  must(freeridge_set_refinement(made, told.refinement), "set_refinement");
  must(freeridge_set_groups(made, or_null(told.groups)), "set_groups");
  return out;
}

}  // namespace

std::string chosen_kernel(Source& in) {
  char text[256];
  const double sigma = std::ldexp(1.0, static_cast<int>(in.from(-3, 4)));
  switch (in.byte() % 8) {
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

ModelSequence::ModelSequence() {
  Source none(nullptr, 0);
  make(none);
}

void ModelSequence::make(Source& in) {
  Settings told;
  told.kernel = chosen_kernel(in);
  Caller call;
  Output<freeridge_model*> out(1);
  const KernelHandle kernel = parsed(told.kernel.c_str(), call);
  const auto status = call(
      "freeridge_create", 0, [&] { return freeridge_create(kernel.get(), out.get()); }, out);
  if (status != FREERIDGE_OK) wrong("freeridge_create");
  model_.reset(out.values[0]);
  told_ = std::move(told);
}

template <class Call, class... Output>
bool ModelSequence::worked(Source& in, const char* name, const Call& call, Output&... output) {
  Cancel cancel{in.one_in(8) ? static_cast<int>(in.below(16)) : -1};
  const bool scarce = in.one_in(32);
  freeridge_set_progress(model_.get(), Cancel::heard, &cancel);
  freeridge_set_memory_limit(model_.get(), scarce ? 1 : 0);
  Caller caller;
  caller.memory_may_lack = scarce;
  const freeridge_status status = caller(name, 0, call, output...);
  freeridge_set_memory_limit(model_.get(), 0);
  freeridge_set_progress(model_.get(), nullptr, nullptr);
  return status == FREERIDGE_OK;
}

void ModelSequence::set_kernel(Source& in) {
  const std::string text = chosen_kernel(in);
  Caller call;
  const KernelHandle kernel = parsed(text.c_str(), call);
  if (!worked(in, "freeridge_set_kernel", [&] { return freeridge_set_kernel(model_.get(), kernel.get()); })) return;
  told_.kernel = text;
  told_.unset();
}

// Data whose rows and columns may coincide, be constant or zero, in either layout and with gaps; for a precomputed
// kernel a Gram matrix.
void ModelSequence::set_data(Source& in, bool borrow) {
  auto data = std::make_shared<Settings::Data>();
  data->n = in.from(1, 12), data->d = in.from(1, 4), data->t = in.from(1, 2);
  data->borrowed = borrow;
  data->layout = in.one_in(2) ? FREERIDGE_ROW_MAJOR : FREERIDGE_COL_MAJOR;
  const bool by_rows = data->layout == FREERIDGE_ROW_MAJOR;
  const std::int64_t gap = in.below(3);
  const bool gram = told_.kernel == "precomputed()" && !in.one_in(4);
  const std::vector<double> points = in.tame(data->n * data->d);
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
  for (std::int64_t i = 0; i < data->n; ++i) {
    for (std::int64_t k = 0; k < data->d; ++k) {
      double value = gram ? 0.0 : point(i, k);
      for (std::int64_t l = 0; gram && l < d; ++l) value += point(i, l) * point(k, l);
      data->x[at(i, k, data->ldx)] = value;
    }
    for (std::int64_t j = 0; j < data->t; ++j)
      data->y[at(i, j, data->ldy)] = classes ? (in.one_in(2) == (j == 0) ? 1.0 : -1.0) : in.tame();
  }
  if (!worked(in, borrow ? "freeridge_set_data_view" : "freeridge_set_data", [&] { return give(model_.get(), *data); }))
    return;
  told_.data = std::move(data);
  told_.weights.clear(), told_.groups.clear(), told_.landmark_rows.clear();
  told_.landmarks = 0;
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

void ModelSequence::set_groups(Source& in) {
  std::vector<std::int32_t> groups;
  if (!in.one_in(4))
    for (std::int64_t i = 0; i < (told_.data ? told_.data->n : 1); ++i)
      groups.push_back(static_cast<std::int32_t>(in.from(-1, 4)));
  if (worked(in, "freeridge_set_groups", [&] { return freeridge_set_groups(model_.get(), or_null(groups)); }))
    told_.groups = std::move(groups);
}

void ModelSequence::set_choice(Source& in) {
  const auto value = static_cast<std::int32_t>(in.from(-1, 6));
  const auto seed = static_cast<std::int64_t>(in.byte());
  freeridge_model* const model = model_.get();
  switch (in.byte() % 4) {
    case 0:
      if (!worked(in, "freeridge_set_intercept", [&] { return freeridge_set_intercept(model, value); })) return;
      told_.intercept = value;
      break;
    case 1:
      if (!worked(in, "freeridge_set_route", [&] { return freeridge_set_route(model, value); })) return;
      told_.route = value;
      break;
    case 2:
      if (!worked(in, "freeridge_set_reduction", [&] { return freeridge_set_reduction(model, value); })) return;
      told_.reduction = value;
      break;
    default:
      if (!worked(in, "freeridge_set_landmark_method",
                  [&] { return freeridge_set_landmark_method(model, value, seed); }))
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
      if (worked(in, "freeridge_set_expected_lambdas", [&] { return freeridge_set_expected_lambdas(model, value); }))
        told_.expected_lambdas = value;
      break;
    case 1:
      if (worked(in, "freeridge_set_expected_criterion",
                 [&] { return freeridge_set_expected_criterion(model, value); }))
        told_.expected_criterion = value;
      break;
    default:
      if (worked(in, "freeridge_set_refinement", [&] { return freeridge_set_refinement(model, value); }))
        told_.refinement = value;
  }
}

void ModelSequence::factorize(Source& in) {
  if (!worked(in, "freeridge_factorize", [&] { return freeridge_factorize(model_.get()); })) return;
  told_.unset();
  told_.factorized = Settings::Factorized{told_.expected_lambdas, told_.expected_criterion};
}

void ModelSequence::set_lambda(Source& in) {
  const std::size_t t = told_.data ? size_of(told_.data->t) : 1;
  const bool one = in.one_in(2);
  std::vector<double> lambdas(t);
  for (double& lambda : lambdas)
    lambda = in.one_in(4) ? in.tame() : std::ldexp(1.0, static_cast<int>(in.from(-20, 20)));
  if (one) lambdas.assign(t, lambdas[0]);
  if (!worked(in, one ? "freeridge_set_lambda" : "freeridge_set_lambdas", [&] {
        return one ? freeridge_set_lambda(model_.get(), lambdas[0])
                   : freeridge_set_lambdas(model_.get(), lambdas.data());
      }))
    return;
  told_.fitted = Settings::Fitted{std::move(lambdas), told_.refinement};
}

void ModelSequence::select_lambda(Source& in) {
  const auto criterion = static_cast<std::int32_t>(in.from(0, 6));
  const double low = in.one_in(2) ? 0 : in.tame() / 8, high = low == 0 ? 0 : in.tame();
  Output<double> lambda(told_.data ? size_of(told_.data->t) : 1), score(lambda.values.size());
  if (!worked(
          in, "freeridge_select_lambda",
          [&] { return freeridge_select_lambda(model_.get(), criterion, low, high, lambda.get(), score.get()); },
          lambda, score))
    return;
  told_.searched = Settings::Searched{criterion, low, high, told_.groups, told_.refinement};
  told_.fitted = Settings::Fitted{{lambda.get(), lambda.get() + told_.data->t}, told_.refinement};
}

void ModelSequence::select_bandwidth(Source& in) {
  const auto criterion = static_cast<std::int32_t>(in.from(0, 6));
  const double low = in.one_in(2) ? 0 : in.tame(), high = low == 0 ? 0 : in.tame();
  const std::int64_t budget = in.from(2, 5);
  Output<double> sigma(1);
  if (!worked(
          in, "freeridge_select_bandwidth",
          [&] { return freeridge_select_bandwidth(model_.get(), criterion, low, high, budget, sigma.get()); }, sigma))
    return;
  std::int64_t used = 0;
  freeridge_get_bandwidth(model_.get(), nullptr, &used, nullptr, nullptr, nullptr, nullptr, nullptr);
  if (used < 1 || used > budget) wrong("freeridge_get_bandwidth: count");
  // The bandwidth is the number after the last "=" of all kernels that have one.
  char number[40];
  std::snprintf(number, sizeof number, "%.17g)", sigma.values[0]);
  told_.kernel = told_.kernel.substr(0, told_.kernel.rfind('=') + 2) + number;
  told_.unset();
  told_.factorized = Settings::Factorized{told_.expected_lambdas, told_.expected_criterion};
  told_.searched = Settings::Searched{criterion, 0, 0, told_.groups, told_.refinement};
  std::vector<double> lambdas(size_of(told_.data->t));
  freeridge_get_lambda(model_.get(), lambdas.data());
  told_.fitted = Settings::Fitted{std::move(lambdas), told_.refinement};
}

// Goes on with what was loaded; a loaded model owns its data.
void ModelSequence::save_and_load(Source&) {
  Caller call;
  const Bytes bytes = saved(model_.get(), false, call);
  ModelHandle other = bytes.empty() ? nullptr : loaded_model(bytes, call);
  if (!other) wrong("a model is not saved and loaded");
  if (saved(other.get(), false, call) != bytes) wrong("a loaded model is saved as other bytes");
  model_ = std::move(other);
}

// Goes on with a clone, after the model that it was made of is gone.
void ModelSequence::clone() {
  Caller call;
  ModelHandle other = cloned(model_.get(), call);
  if (!other) wrong("a model is not cloned");
  if (saved(other.get(), false, call) != saved(model_.get(), false, call)) wrong("a clone is saved as other bytes");
  model_ = std::move(other);
}

// A predictor predicts as the model it was made of.
void ModelSequence::predictor() const {
  Caller of_model, of_predictor, call;
  const Bytes bytes = saved(model_.get(), true, call);
  if (bytes.empty() != !told_.fitted)
    wrong("a predictor is saved, and the model is not fitted; or the other way round");
  if (bytes.empty()) return;
  const ModelHandle handle = loaded_model(bytes, call);
  if (!handle) wrong("a predictor does not load");
  of_predictor.of_a_predictor = true;
  ask(model_.get(), {}, of_model);
  ask(handle.get(), {}, of_predictor);
  for (std::size_t k = 0; k < of_model.answers.size(); ++k) {
    const Answer &before = of_model.answers[k], &after = of_predictor.answers[k];
    if (before.call == "freeridge_predict" && (before.status != after.status || before.bytes != after.bytes))
      wrong("a predictor predicts otherwise than its model");
  }
  if (saved(handle.get(), true, call) != bytes) wrong("a loaded predictor is saved as other bytes");
}

// Some answers alone: what is made by the first call that needs it is there for the next ones, or not.
void ModelSequence::ask_one(Source& in) const {
  const std::int64_t n = told_.data ? told_.data->n : 1, t = told_.data ? told_.data->t : 1;
  Caller call;
  Output<double> matrix(size_of(n, t)), df(size_of(t)), sizes(size_of(2, t)), scores(size_of(2, t));
  const freeridge_model* const model = model_.get();
  switch (in.byte() % 6) {
    case 0:
      call(
          "freeridge_loo", 0, [&] { return freeridge_loo(model, matrix.get(), n); }, matrix);
      break;
    case 1:
      call(
          "freeridge_get_leverage", 0, [&] { return freeridge_get_leverage(model, matrix.get(), n); }, matrix);
      break;
    case 2:
      call(
          "freeridge_get_fitted", 0, [&] { return freeridge_get_fitted(model, matrix.get(), n); }, matrix);
      break;
    case 3:
      call(
          "freeridge_degrees_of_freedom", 0, [&] { return freeridge_degrees_of_freedom(model, df.get(), nullptr); },
          df);
      break;
    case 4: {
      Output<std::int64_t> bytes(1);
      call(
          "freeridge_memory_required", 0, [&] { return freeridge_memory_required(model, bytes.get()); }, bytes);
      break;
    }
    default: {
      const std::int64_t curve[] = {1, 1 + in.below(4)};
      const auto criterion = static_cast<std::int32_t>(in.from(0, 6));
      call(
          "freeridge_landmark_curve", 0,
          [&] { return freeridge_landmark_curve(model, criterion, 2, curve, sizes.get(), scores.get(), 2); }, sizes,
          scores);
    }
  }
}

void ModelSequence::verify() const {
  Caller ours, theirs;
  const ModelHandle twin = fresh(told_);
  ask(model_.get(), {}, ours);
  ask(twin.get(), {}, theirs);
  const std::string other = difference(ours.answers, theirs.answers);
  if (!other.empty()) wrong("a fresh model that was told the same answers otherwise: (before: ours)\n" + other);
}

void ModelSequence::step(Source& in) {
  const std::uint8_t choice = in.byte();
  if (choice >= 242 && choice <= 244) return clone();
  switch (choice % 24) {
    case 0:
      return make(in);
    case 1:
      return set_kernel(in);
    case 2:
      return set_data(in, false);
    case 3:
      return set_data(in, true);
    case 4:
      return set_weights(in);
    case 5:
      return set_groups(in);
    case 6:
    case 7:
      return set_choice(in);
    case 8:
      return set_landmarks(in);
    case 9:
      return set_hints(in);
    case 10:
    case 11:
    case 12:
      return factorize(in);
    case 13:
    case 14:
    case 15:
      return set_lambda(in);
    case 16:
      return select_lambda(in);
    case 17:
      return select_bandwidth(in);
    case 18:
      return save_and_load(in);
    case 19:
      return predictor();
    case 20:
    case 21:
      return ask_one(in);
    case 22:
      return misuse(in);
    default:
      return verify();
  }
}

}  // namespace fuzz
