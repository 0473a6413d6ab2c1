// Kernel logistic regression and support vector machines: a classifier behind an external pointer, and as bytes.
#include <vector>

#include "model.h"

namespace {

struct Classifier : Owner<freeridge_classifier, freeridge_classifier_destroy> {
  int n = 0;
};

constexpr const char* classifier_tag = "freeridge_classifier";

Classifier& classifier_of(SEXP handle) {
  return *static_cast<Classifier*>(address_of(handle, classifier_tag));
}

freeridge_points points_of(const View& x) {
  freeridge_points points{};
  points.size = sizeof points;
  points.n = x.rows();
  points.d = x.cols();
  points.layout = FREERIDGE_COL_MAJOR;
  points.x = x.data();
  points.ldx = x.rows();
  return points;
}

SEXP listening(std::unique_ptr<Classifier> made) {
  check(freeridge_classifier_set_progress(made->core, listen, static_cast<Listener*>(made.get())));
  return new_handle(std::move(made), classifier_tag);
}

}  // namespace

// y: -1 and +1; intercept: a FREERIDGE_INTERCEPT_; weights: NULL or n numbers; control: NULL or c(tolerance, iterations)
// [[Rcpp::export(rng = false)]]
SEXP core_classifier_create(Rcpp::List kernel, SEXP scale, bool hinge, SEXP x, Rcpp::NumericVector y, int intercept,
                            SEXP weights, SEXP control) {
  const auto view = Rcpp::as<View>(x);
  if (view.rows() != y.size()) refuse("x and y differ in their number of rows");
  const KernelPtr k = make_kernel(kernel, scale);
  auto made = std::make_unique<Classifier>();
  made->n = static_cast<int>(y.size());
  check(freeridge_classifier_create(k.get(), hinge ? FREERIDGE_LOSS_HINGE : FREERIDGE_LOSS_LOGISTIC, &made->core));
  const freeridge_points points = points_of(view);
  check(freeridge_classifier_set_data(made->core, &points, y.begin()));
  check(freeridge_classifier_set_parameter(made->core, FREERIDGE_INTERCEPT, intercept));
  if (!Rf_isNull(weights)) {
    const Rcpp::NumericVector w(weights);
    check(freeridge_classifier_set_weights(made->core, w.begin()));
  }
  if (!Rf_isNull(control)) {
    const Rcpp::NumericVector values(control);
    check(freeridge_classifier_set_parameter(made->core, FREERIDGE_TOLERANCE, values[0]));
    check(freeridge_classifier_set_parameter(made->core, FREERIDGE_ITERATIONS, values[1]));
  }
  return listening(std::move(made));
}

// As kept_bytes, without x.
// [[Rcpp::export(rng = false)]]
SEXP core_classifier_save(SEXP handle) {
  const freeridge_classifier* const core = classifier_of(handle).core;
  return kept_bytes(std::bind_front(freeridge_classifier_save_to_memory, core), false);
}

// x: the points that the bytes were kept without.
// [[Rcpp::export(rng = false)]]
SEXP core_classifier_load(Rcpp::List kept, SEXP x) {
  const std::vector<unsigned char> bytes = whole_bytes(kept, x);
  auto made = std::make_unique<Classifier>();
  check(freeridge_classifier_load_from_memory(bytes.data(), static_cast<std::int64_t>(bytes.size()), &made->core));
  std::int64_t n = 0;
  check(freeridge_classifier_get_dimensions(made->core, &n, nullptr));
  made->n = static_cast<int>(n);
  return listening(std::move(made));
}

// [[Rcpp::export(rng = false)]]
void core_classifier_fit(SEXP handle, double lambda) {
  Classifier& classifier = classifier_of(handle);
  check(classifier, freeridge_classifier_fit(classifier.core, lambda));
}

// x: m x d; m numbers. what: "decision", the decision values; "probability", that of the second class; "distance", signed
// distances from the hyperplane, NaN where there is none
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_classifier_predict(SEXP handle, SEXP x, std::string what = "decision") {
  Classifier& classifier = classifier_of(handle);
  const auto view = Rcpp::as<View>(x);
  auto out = fresh<Rcpp::NumericVector>(view.rows());
  const bool probability = what == "probability";
  const freeridge_points points = points_of(view);
  check_but_undefined(classifier,
                      what == "distance"
                          ? freeridge_classifier_distances(classifier.core, &points, out.begin())
                          : freeridge_classifier_predict(classifier.core, &points, probability ? nullptr : out.begin(),
                                                         probability ? out.begin() : nullptr));
  return out;
}

// n left-out decision values, NaN where there is none
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_classifier_loo(SEXP handle) {
  Classifier& classifier = classifier_of(handle);
  auto decision = fresh<Rcpp::NumericVector>(classifier.n);
  check_but_undefined(classifier, freeridge_classifier_loo(classifier.core, decision.begin()));
  return decision;
}

// c: n numbers, b: one
// [[Rcpp::export(rng = false)]]
Rcpp::List core_classifier_coefficients(SEXP handle) {
  Classifier& classifier = classifier_of(handle);
  auto c = fresh<Rcpp::NumericVector>(classifier.n), b = fresh<Rcpp::NumericVector>(1);
  check(classifier, freeridge_classifier_get_coefficients(classifier.core, c.begin(), b.begin()));
  return Rcpp::List::create(Rcpp::Named("c") = c, Rcpp::Named("b") = b);
}

// objective, iterations and gap of the last fit; hinge: also support, the rows of the support vectors counted from 1, and
// margin
// [[Rcpp::export(rng = false)]]
Rcpp::List core_classifier_summary(SEXP handle, bool hinge) {
  Classifier& classifier = classifier_of(handle);
  double objective = 0, gap = 0, margin = 0;
  std::int64_t iterations = 0, count = 0;
  check(classifier,
        freeridge_classifier_get_convergence(classifier.core, &objective, &iterations, &gap, nullptr, nullptr));
  Rcpp::List out =
      Rcpp::List::create(Rcpp::Named("objective") = objective,
                         Rcpp::Named("iterations") = static_cast<double>(iterations), Rcpp::Named("gap") = gap);
  if (!hinge) return out;
  std::vector<std::int64_t> rows(static_cast<std::size_t>(classifier.n));
  check(classifier, freeridge_classifier_get_support(classifier.core, &count, rows.data(), &margin));
  auto from_one = fresh<Rcpp::IntegerVector>(static_cast<R_xlen_t>(count));
  for (R_xlen_t i = 0; i < from_one.size(); ++i) from_one[i] = static_cast<int>(rows[static_cast<std::size_t>(i)] + 1);
  out.push_back(from_one, "support");
  out.push_back(margin, "margin");
  return out;
}

// Of the n points: margin and alpha; hinge: also slack and support, 0 none, 1 free, 2 bounded
// [[Rcpp::export(rng = false)]]
Rcpp::List core_classifier_points(SEXP handle, bool hinge) {
  Classifier& classifier = classifier_of(handle);
  auto margin = fresh<Rcpp::NumericVector>(classifier.n), slack = fresh<Rcpp::NumericVector>(classifier.n),
       alpha = fresh<Rcpp::NumericVector>(classifier.n);
  auto support = fresh<Rcpp::IntegerVector>(classifier.n);
  check(classifier, freeridge_classifier_get_margins(classifier.core, margin.begin(), hinge ? slack.begin() : nullptr,
                                                     alpha.begin(), hinge ? support.begin() : nullptr));
  if (!hinge) return Rcpp::List::create(Rcpp::Named("margin") = margin, Rcpp::Named("alpha") = alpha);
  return Rcpp::List::create(Rcpp::Named("margin") = margin, Rcpp::Named("alpha") = alpha, Rcpp::Named("slack") = slack,
                            Rcpp::Named("support") = support);
}

// The primal and the dual value and their difference, NaN where the primal one does not exist
// [[Rcpp::export(rng = false)]]
Rcpp::List core_classifier_duality(SEXP handle) {
  Classifier& classifier = classifier_of(handle);
  double dual = 0, gap = 0;
  check_but_undefined(classifier,
                      freeridge_classifier_get_convergence(classifier.core, nullptr, nullptr, nullptr, &dual, &gap));
  return Rcpp::List::create(Rcpp::Named("primal") = dual + gap, Rcpp::Named("dual") = dual, Rcpp::Named("gap") = gap);
}
