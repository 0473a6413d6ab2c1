#include "fuzz/model_sequence.hpp"

#include <cstdio>

#include "support/search.hpp"

namespace fuzz {

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
  const auto status = ASK(freeridge_create, 0, kernel.get(), out);
  if (status != FREERIDGE_OK) wrong("freeridge_create");
  model_.reset(out.values[0]);
  told_ = std::move(told);
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
  told_.searched = Settings::Searched{criterion, low, high, told_.groups, told_.gaps, told_.refinement};
  told_.fitted = Settings::Fitted{{lambda.get(), lambda.get() + told_.data->t}, told_.refinement};
  learn_again();
}

// Left-out errors with the choice included. A fresh model that was told the outcome of a choice has none.
void ModelSequence::learn_again() const {
  const std::int64_t n = told_.data->n;
  Output<double> errors(size_of(n, told_.data->t)), change(size_of(n)), freedom(1);
  Caller call;
  const std::vector<double> zeros(size_of(told_.data->d), 0.0);
  const support::Points point = support::at(FREERIDGE_COL_MAJOR, 1, told_.data->d, zeros.data());
  Output<double> lower(size_of(told_.data->t)), upper(lower);
  for (const std::int64_t folds : {0, 2}) {
    ASK(freeridge_loo_learnt, Caller::may_be_nan, model_.get(), folds, 1, errors, n, change, freedom);
    ASK(freeridge_predict_jackknife, Caller::may_be_nan | Caller::may_be_inf, model_.get(), &point.fields, 0.8, folds,
        1, FREERIDGE_COL_MAJOR, lower, upper, 1);
  }
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
  const std::size_t place = told_.kernel.rfind('=') + 2;
  told_.kernel = told_.kernel.substr(0, place) + number + told_.kernel.substr(told_.kernel.find(')', place) + 1);
  told_.unset();
  told_.factorized = Settings::Factorized{told_.expected_lambdas, told_.expected_criterion};
  told_.searched = Settings::Searched{criterion, 0, 0, told_.groups, told_.gaps, told_.refinement};
  told_.bandwidth_searched = true;
  std::vector<double> lambdas(size_of(told_.data->t));
  freeridge_get_lambda(model_.get(), lambdas.data());
  told_.fitted = Settings::Fitted{std::move(lambdas), told_.refinement};
  learn_again();
}

void ModelSequence::select_kernel(Source& in) {
  const auto criterion = static_cast<std::int32_t>(in.from(0, 6));
  Caller call;
  const KernelHandle kernel = parsed(told_.kernel.c_str(), call);
  std::int64_t count = 0;
  freeridge_kernel_get_hyperparameters(kernel.get(), &count, nullptr);
  std::vector<std::int32_t> label;
  for (std::int64_t i = 0; i < count && !in.one_in(2); ++i) label.push_back(static_cast<std::int32_t>(in.from(-1, 2)));
  label.resize(label.empty() ? 0 : size_of(count), -1);
  const double shrinkage = in.one_in(2) ? 0 : in.tame();
  const std::int64_t rows = in.from(0, 9), seed = in.byte(), evaluations = in.from(-1, 6);
  Output<double> score(1);
  if (!worked(
          in, "freeridge_select_kernel",
          [&] {
            return freeridge_select_kernel(model_.get(), criterion, or_null(label), shrinkage, rows, seed, evaluations,
                                           score.get());
          },
          score))
    return;
  freeridge_kernel* learnt = nullptr;
  freeridge_get_kernel(model_.get(), &learnt);
  const KernelHandle owned(learnt);
  std::int64_t length = 0;
  freeridge_kernel_describe(learnt, 0, nullptr, &length);
  std::string text(size_of(length) + 1, ' ');
  freeridge_kernel_describe(learnt, length + 1, text.data(), &length);
  text.pop_back();
  told_.kernel = text;
  told_.unset();
  told_.factorized = Settings::Factorized{told_.expected_lambdas, told_.expected_criterion};
  freeridge_search search = support::no_search();
  freeridge_get_search(model_.get(), &search);
  std::vector<double> range(size_of(search.count));  // the ends of the range that was searched are exact
  search.lambdas = range.data();
  freeridge_get_search(model_.get(), &search);
  told_.searched =
      Settings::Searched{criterion, range.front(), range.back(), told_.groups, told_.gaps, told_.refinement};
  told_.kernel_searched = true;
  std::vector<double> lambdas(size_of(told_.data->t));
  freeridge_get_lambda(model_.get(), lambdas.data());
  told_.fitted = Settings::Fitted{std::move(lambdas), told_.refinement};
  learn_again();
}

// Goes on with what was loaded; a loaded model owns its data.
void ModelSequence::save_and_load(Source&) {
  Caller call;
  const Bytes bytes = saved(model_.get(), false, call);
  if (told_.read()) {
    if (!bytes.empty()) wrong("a model is saved whose rows are a reader's");
    return;
  }
  ModelHandle other = bytes.empty() ? nullptr : loaded_model(bytes, call);
  if (!other) wrong("a model is not saved and loaded");
  if (saved(other.get(), false, call) != bytes) wrong("a loaded model is saved as other bytes");
  model_ = std::move(other);
  told_.bandwidth_searched = told_.kernel_searched = false;
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
  of_model.missing_values = of_predictor.missing_values = missing_values();
  ask(model_.get(), {}, of_model);
  ask(handle.get(), {}, of_predictor);
  for (std::size_t k = 0; k < of_model.answers.size(); ++k) {
    const Answer &before = of_model.answers[k], &after = of_predictor.answers[k];
    // With lambdas a predictor answers INVALID_STATE.
    const bool predicts = before.call == "freeridge_predict" ||
                          (before.call == "freeridge_predict_points" && after.status != FREERIDGE_INVALID_STATE);
    if (predicts && (before.status != after.status || before.bytes != after.bytes))
      wrong("a predictor predicts otherwise than its model");
  }
  if (saved(handle.get(), true, call) != bytes) wrong("a loaded predictor is saved as other bytes");
}

// Some answers alone: what is made by the first call that needs it is there for the next ones, or not.
void ModelSequence::ask_one(Source& in) const {
  const std::int64_t n = told_.data ? told_.data->n : 1, t = told_.data ? told_.data->t : 1;
  Caller call;
  call.missing_values = missing_values();
  Output<double> matrix(size_of(n, t)), df(size_of(t)), sizes(size_of(2, t)), scores(size_of(2, t));
  const freeridge_model* const model = model_.get();
  switch (in.byte() % 6) {
    case 0:
      ASK(freeridge_loo, 0, model, matrix, n);
      break;
    case 1:
      ASK(freeridge_get_leverage, 0, model, matrix, n);
      break;
    case 2:
      ASK(freeridge_get_fitted, 0, model, matrix, n);
      break;
    case 3:
      ASK(freeridge_degrees_of_freedom, 0, model, df, nullptr);
      break;
    case 4: {
      Output<std::int64_t> bytes(1);
      ASK(freeridge_memory_required, 0, model, bytes);
      break;
    }
    default: {
      const std::int64_t curve[] = {1, 1 + in.below(4)};
      const auto criterion = static_cast<std::int32_t>(in.from(0, 6));
      ASK(freeridge_landmark_curve, 0, model, criterion, 2, curve, sizes, scores, 2);
    }
  }
}

void ModelSequence::verify() const {
  Caller ours, theirs;
  ours.missing_values = theirs.missing_values = missing_values();
  const ModelHandle twin = fresh(told_);
  Questions questions;
  questions.bandwidth_search = !told_.bandwidth_searched;
  questions.kernel_search = !told_.kernel_searched;
  ask(model_.get(), questions, ours);
  ask(twin.get(), questions, theirs);
  const std::string other = difference(ours.answers, theirs.answers);
  if (!other.empty()) wrong("a fresh model that was told the same answers otherwise: (before: ours)\n" + other);
}

void ModelSequence::step(Source& in) {
  const std::uint8_t choice = in.byte();
  if (choice >= 242 && choice <= 244) return clone();
  if (choice >= 245 && choice <= 248) return set_data(in, choice % 2 == 0, true);
  if (choice == 249) return misuse_sparse(in);
  if (choice == 250) return select_kernel(in);
  if (choice == 251 || choice == 252) return set_fixed_effects(in);
  if (choice == 253) return set_missing(in);
  if (choice == 254 || choice == 255) return set_reader(in);
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
