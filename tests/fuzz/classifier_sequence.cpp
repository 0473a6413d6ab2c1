#include "fuzz/model_sequence.hpp"
#include "fuzz/other_sequences.hpp"

namespace fuzz {

ClassifierSequence::ClassifierSequence() {
  Source none(nullptr, 0);
  make(none);
}

void ClassifierSequence::make(Source& in) {
  const std::string text = chosen_kernel(in);
  const std::int32_t loss = in.one_in(2) ? FREERIDGE_LOSS_HINGE : FREERIDGE_LOSS_LOGISTIC;
  Caller call;
  Output<freeridge_classifier*> out(1);
  const KernelHandle kernel = parsed(text.c_str(), call);
  const auto status = ASK(freeridge_classifier_create, 0, kernel.get(), loss, out);
  if (status != FREERIDGE_OK) wrong("freeridge_classifier_create");
  handle_.reset(out.values[0]);
  n_ = 0, d_ = 1, loss_ = loss, tolerance_ = 1e-8, fitted_ = false;
  before_.clear();
}

void ClassifierSequence::set_data(Source& in) {
  const std::int64_t n = in.from(1, 10), d = in.from(1, 3);
  const std::vector<double> x = in.tame(n * d);
  std::vector<double> y;
  for (std::int64_t i = 0; i < n; ++i) y.push_back(in.one_in(32) ? in.tame() : in.one_in(2) ? 1.0 : -1.0);
  Caller call;
  if (ASK(freeridge_classifier_set_data, 0, handle_.get(), support::at(FREERIDGE_COL_MAJOR, n, d, x.data()),
          y.data()) != FREERIDGE_OK)
    return;
  n_ = n, d_ = d, fitted_ = false;
  before_.clear();
}

void ClassifierSequence::set_weights(Source& in) {
  const bool none = in.one_in(4);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < std::max<std::int64_t>(n_, 1); ++i)
    weights.push_back(in.one_in(16) ? in.tame() : std::ldexp(1.0, static_cast<int>(in.from(-4, 4))));
  Caller call;
  if (ASK(freeridge_classifier_set_weights, 0, handle_.get(), none ? nullptr : weights.data()) != FREERIDGE_OK) return;
  fitted_ = false;
  before_.clear();
}

void ClassifierSequence::set_control(Source& in) {
  Caller call;
  if (in.one_in(2)) {
    const auto on = static_cast<std::int32_t>(in.below(3));
    ASK(freeridge_classifier_set_parameter, 0, handle_.get(), FREERIDGE_INTERCEPT, on);
  } else {
    const double tolerance = std::ldexp(1.0, -static_cast<int>(in.below(40)));
    const auto iterations = static_cast<double>(in.from(0, 60));
    if (ASK(freeridge_classifier_set_parameter, 0, handle_.get(), FREERIDGE_TOLERANCE, tolerance) != FREERIDGE_OK ||
        ASK(freeridge_classifier_set_parameter, 0, handle_.get(), FREERIDGE_ITERATIONS, iterations) != FREERIDGE_OK)
      return;
    tolerance_ = tolerance;
  }
  fitted_ = false;
  before_.clear();
}

void ClassifierSequence::fit(Source& in) {
  const double lambda = in.one_in(8) ? in.tame() : std::ldexp(1.0, static_cast<int>(in.from(-12, 12)));
  int beats = in.one_in(8) ? static_cast<int>(in.below(8)) : -1;
  const freeridge_progress cancel = [](double, void* user) -> std::int32_t {
    int& left = *static_cast<int*>(user);
    return left >= 0 && left-- == 0 ? 1 : 0;
  };
  freeridge_classifier_set_progress(handle_.get(), cancel, &beats);
  Caller call;
  const auto status = ASK(freeridge_classifier_fit, 0, handle_.get(), lambda);
  freeridge_classifier_set_progress(handle_.get(), nullptr, nullptr);
  if (status != FREERIDGE_OK) return;
  fitted_ = true;
  before_.clear();
  double gap = 0;
  if (freeridge_classifier_get_convergence(handle_.get(), nullptr, nullptr, &gap, nullptr, nullptr) != FREERIDGE_OK)
    wrong("a classifier that was fitted is not");
  if (!(gap <= tolerance_)) wrong("a fit that succeeded is not stationary within the tolerance");
}

// Goes on with what was loaded.
void ClassifierSequence::save_and_load() {
  Caller call;
  const Bytes bytes = saved(handle_.get(), call);
  ClassifierHandle other = bytes.empty() ? nullptr : loaded_classifier(bytes, call);
  if (!other) wrong("a classifier is not saved and loaded");
  if (saved(other.get(), call) != bytes) wrong("a loaded classifier is saved as other bytes");
  handle_ = std::move(other);
}

void ClassifierSequence::misuse(Source& in) {
  std::vector<double> x(4, 1.0), y = {-1.0, 1.0};
  std::int64_t n = 2, ld = 2;
  double lambda = 1;
  switch (in.byte() % 7) {
    case 0:
      n = 0;
      break;
    case 1:
      ld = 1;
      break;
    case 2:
      x[3] = std::numeric_limits<double>::infinity();
      break;
    case 3:
      y[1] = -1;
      break;
    case 4:
      y[1] = 0.5;
      break;
    case 5:
      lambda = -1;
      break;
    default:
      lambda = std::numeric_limits<double>::quiet_NaN();
      break;
  }
  Caller call;
  const bool of_fit = !(lambda > 0);
  const auto status = of_fit ? ASK(freeridge_classifier_fit, 0, handle_.get(), lambda)
                             : ASK(freeridge_classifier_set_data, 0, handle_.get(),
                                   support::at(FREERIDGE_COL_MAJOR, n, 2, x.data(), ld), y.data());
  if (status == FREERIDGE_OK) wrong("a classifier took what cannot be right");
}

// Asked again since nothing succeeded: the same answers, whatever failed in between.
void ClassifierSequence::verify() {
  Caller call;
  ask(handle_.get(), std::max<std::int64_t>(n_, 1), d_, {}, call);
  double b = 0;
  const auto status = freeridge_classifier_get_coefficients(handle_.get(), nullptr, &b);
  if ((status == FREERIDGE_OK) != fitted_) wrong("a classifier is FITTED, or not, otherwise than it was told");
  if (!before_.empty()) {
    const std::string other = difference(before_, call.answers);
    if (!other.empty()) wrong("a failed call changed what a classifier answers:\n" + other);
  }
  before_ = std::move(call.answers);
}

void ClassifierSequence::step(Source& in) {
  const std::uint8_t choice = in.byte();
  if (choice >= 250) return save_and_load();
  switch (choice % 10) {
    case 0:
      return make(in);
    case 1:
    case 2:
      return set_data(in);
    case 3:
      return set_weights(in);
    case 4:
      return set_control(in);
    case 5:
    case 6:
      return fit(in);
    case 7:
      return misuse(in);
    default:
      return verify();
  }
}

}  // namespace fuzz
