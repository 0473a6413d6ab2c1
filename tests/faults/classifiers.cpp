// Trials of the classifier's calls, for both losses.
#include "capi/support/sample.hpp"
#include "faults/trials.hpp"

namespace faults {
namespace {

using sample::d;
using sample::m;
using sample::n;

struct Classes {
  freeridge_loss loss;
  Kernel kernel = Kernel::gaussian(sample::sigma);
  std::vector<double> x = sample::x(), points = sample::new_x(), weights = sample::weights(), y;
  freeridge_classifier* classifier = nullptr;
  std::vector<double> out = std::vector<double>(40, sentinel<double>());
  std::vector<int64_t> rows = std::vector<int64_t>(static_cast<std::size_t>(n) + 2, sentinel<int64_t>());

  explicit Classes(freeridge_loss which) : loss(which) {
    for (int64_t i = 0; i < n; ++i) y.push_back(x[sample::size(i)] + 0.3 * x[sample::size(i + n)] > 0.1 ? 1 : -1);
    y[0] = -y[0];  // the classes overlap
  }
  Classes(const Classes&) = delete;
  ~Classes() { freeridge_classifier_destroy(classifier); }

  freeridge_status create() { return freeridge_classifier_create(kernel.get(), loss, &classifier); }
  freeridge_status data() {
    return freeridge_classifier_set_data(classifier, FREERIDGE_COL_MAJOR, n, d, x.data(), n, y.data());
  }
  void fit() {
    support::check(create(), "freeridge_classifier_create");
    support::check(data(), "freeridge_classifier_set_data");
    support::check(freeridge_classifier_set_weights(classifier, weights.data()), "freeridge_classifier_set_weights");
    support::check(freeridge_classifier_fit(classifier, 0.5), "freeridge_classifier_fit");
  }
  Bytes take() {
    Bytes bytes;
    append(bytes, out.data(), out.size());
    append(bytes, rows.data(), rows.size());
    std::fill(out.begin(), out.end(), sentinel<double>());
    std::fill(rows.begin(), rows.end(), sentinel<int64_t>());
    return bytes;
  }
  Bytes state() const {
    Bytes bytes;
    if (classifier == nullptr) return bytes;
    std::vector<double> numbers(4 * static_cast<std::size_t>(n), sentinel<double>());
    double* next = numbers.data();
    int64_t iterations = -1;
    append(bytes, freeridge_classifier_get_coefficients(classifier, next, next + n));
    append(bytes, freeridge_classifier_get_convergence(classifier, next + n + 1, &iterations, next + n + 2));
    append(bytes, freeridge_classifier_loo(classifier, next + n + 3));
    append(bytes,
           freeridge_classifier_predict(classifier, FREERIDGE_COL_MAJOR, m, points.data(), m, next + 3 * n, nullptr));
    append(bytes, iterations);
    append(bytes, numbers.data(), numbers.size());
    return bytes;
  }
};

}  // namespace

void add_classifiers(Scenarios& all) {
  const auto add = [&](const char* name, bool repeatable, freeridge_status (*call)(Classes&), bool fitted = true,
                       const std::vector<freeridge_loss>& losses = {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
    for (const freeridge_loss loss : losses)
      all.push_back(
          {name, loss == FREERIDGE_LOSS_HINGE ? "hinge" : "logistic", repeatable, [=] {
             auto own = std::make_shared<Classes>(loss);
             if (fitted) own->fit();
             return Trial{[=] { return call(*own); }, [=] { return own->take(); }, [=] { return own->state(); }};
           }});
  };
  add(
      "freeridge_classifier_create", false, [](Classes& c) { return c.create(); }, false);
  add("freeridge_classifier_destroy", false, [](Classes& c) -> freeridge_status {
    freeridge_classifier_destroy(c.classifier);
    c.classifier = nullptr;
    return FREERIDGE_OK;
  });
  add("freeridge_classifier_set_data", false, [](Classes& c) { return c.data(); });
  add("freeridge_classifier_set_weights", false,
      [](Classes& c) { return freeridge_classifier_set_weights(c.classifier, c.weights.data()); });
  add("freeridge_classifier_set_intercept", false,
      [](Classes& c) { return freeridge_classifier_set_intercept(c.classifier, 0); });
  add("freeridge_classifier_set_progress", false,
      [](Classes& c) { return freeridge_classifier_set_progress(c.classifier, nullptr, nullptr); });
  add("freeridge_classifier_set_control", false,
      [](Classes& c) { return freeridge_classifier_set_control(c.classifier, 1e-6, 50); });
  add("freeridge_classifier_memory_required", true,
      [](Classes& c) { return freeridge_classifier_memory_required(c.classifier, c.rows.data()); });
  add("freeridge_classifier_fit", false, [](Classes& c) { return freeridge_classifier_fit(c.classifier, 0.25); });
  add("freeridge_classifier_predict", true, [](Classes& c) {
    return freeridge_classifier_predict(c.classifier, FREERIDGE_COL_MAJOR, m, c.points.data(), m, c.out.data(),
                                        c.loss == FREERIDGE_LOSS_LOGISTIC ? c.out.data() + m : nullptr);
  });
  add("freeridge_classifier_loo", true, [](Classes& c) { return freeridge_classifier_loo(c.classifier, c.out.data()); },
      true, {FREERIDGE_LOSS_LOGISTIC});
  add("freeridge_classifier_get_coefficients", true,
      [](Classes& c) { return freeridge_classifier_get_coefficients(c.classifier, c.out.data(), c.out.data() + n); });
  add("freeridge_classifier_get_convergence", true, [](Classes& c) {
    return freeridge_classifier_get_convergence(c.classifier, c.out.data(), c.rows.data(), c.out.data() + 1);
  });
  add("freeridge_classifier_get_support", true,
      [](Classes& c) {
        return freeridge_classifier_get_support(c.classifier, c.rows.data(), c.rows.data() + 1, c.out.data());
      },
      true, {FREERIDGE_LOSS_HINGE});
}

}  // namespace faults
