// Hyperparameters of kernels, and the search of all of them.
#include <algorithm>

#include "model.h"

namespace {

// Adds the names and values of the hyperparameters to a list.
void add_hyperparameters(const freeridge_kernel* kernel, Rcpp::List& to) {
  std::int64_t count = 0;
  check(freeridge_kernel_get_hyperparameters(kernel, &count, nullptr));
  auto values = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(count));
  check(freeridge_kernel_get_hyperparameters(kernel, nullptr, values.begin()));
  Rcpp::CharacterVector names(static_cast<R_xlen_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    names[static_cast<R_xlen_t>(i)] = text_by([&](std::int64_t size, char* text, std::int64_t* length) {
      return freeridge_kernel_hyperparameter_name(kernel, i, size, text, length);
    });
  to.push_back(names, "name");
  to.push_back(values, "value");
}

}  // namespace

// The hyperparameters of a kernel: name, value.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_kernel_hyperparameters(Rcpp::List kernel) {
  Rcpp::List out;
  add_hyperparameters(make_kernel(kernel, R_NilValue).get(), out);
  return out;
}

// Left-out errors of a model with the choice of its kernel and lambdas included: errors, n x t, NaN where there is no
// value; change, n; the degrees of freedom of the choice where they are wanted, NaN where they are not known.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_loo_learnt(SEXP handle, double folds, double seed, bool with_freedom) {
  Model& model = model_of(handle);
  const Dimensions size = dimensions_of(model);
  auto errors = fresh<Rcpp::NumericMatrix>(size.n, size.t);
  auto change = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(size.n));
  double freedom = NA_REAL;
  check_but_undefined(
      model, freeridge_loo_learnt(model.core, static_cast<std::int64_t>(folds), static_cast<std::int64_t>(seed),
                                  errors.begin(), size.n, change.begin(), with_freedom ? &freedom : nullptr));
  return Rcpp::List::create(Rcpp::Named("errors") = errors, Rcpp::Named("change") = change,
                            Rcpp::Named("freedom") = freedom);
}

// Learns the kernel of a model. label: one for each hyperparameter. The list has the kernel learnt, its hyperparameters, and
// what the search saw. smoothness: whether that of Matern kernels is chosen, too.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_select_kernel(SEXP handle, std::string criterion, Rcpp::IntegerVector label, double shrinkage,
                              double rows, double seed, double budget, bool smoothness) {
  Model& model = model_of(handle);
  check(freeridge_set_parameter(model.core, FREERIDGE_SMOOTHNESS, smoothness ? 1 : 0));
  double score = 0;
  check(model, freeridge_select_kernel(model.core, criterion_of(criterion), label.begin(), shrinkage,
                                       static_cast<std::int64_t>(rows), static_cast<std::int64_t>(seed),
                                       static_cast<std::int64_t>(budget), &score));
  freeridge_kernel_search search{};
  search.size = sizeof search;
  check(freeridge_get_kernel_search(model.core, &search));
  const auto trials = static_cast<R_xlen_t>(search.evaluations), count = static_cast<R_xlen_t>(search.hyperparameters),
             on_rows = static_cast<R_xlen_t>(search.rows);
  auto stage = fresh<Rcpp::IntegerVector>(trials), at = fresh<Rcpp::IntegerVector>(count);
  auto tried = fresh<Rcpp::NumericVector>(trials), lambda = fresh<Rcpp::NumericVector>(trials),
       gradient = fresh<Rcpp::NumericVector>(trials), low = fresh<Rcpp::NumericVector>(count),
       high = fresh<Rcpp::NumericVector>(count), variables = fresh<Rcpp::NumericVector>(count),
       learnt_on = fresh<Rcpp::NumericVector>(on_rows);
  std::vector<std::int64_t> variable(static_cast<std::size_t>(count)), row(static_cast<std::size_t>(on_rows));
  search.stage = stage.begin(), search.score = tried.begin(), search.lambda = lambda.begin();
  search.gradient = gradient.begin(), search.row = row.data(), search.variable = variable.data();
  search.low = low.begin(), search.high = high.begin(), search.at = at.begin();
  check(freeridge_get_kernel_search(model.core, &search));
  std::copy(variable.begin(), variable.end(), variables.begin());
  std::transform(row.begin(), row.end(), learnt_on.begin(), [](std::int64_t i) { return static_cast<double>(i) + 1; });
  const Rcpp::List history = Rcpp::List::create(Rcpp::Named("stage") = stage, Rcpp::Named("score") = tried,
                                                Rcpp::Named("lambda") = lambda, Rcpp::Named("gradient") = gradient);
  freeridge_kernel* made = nullptr;
  check(freeridge_get_kernel(model.core, &made));
  const KernelPtr kernel(made);
  Rcpp::List out = Rcpp::List::create(
      Rcpp::Named("score") = score, Rcpp::Named("learnt") = static_cast<double>(search.learnt),
      Rcpp::Named("rows") = static_cast<double>(on_rows), Rcpp::Named("learnt_on") = learnt_on,
      Rcpp::Named("kept") = search.kept != 0, Rcpp::Named("lambda_at") = search.lambda_at,
      Rcpp::Named("variable") = variables, Rcpp::Named("low") = low, Rcpp::Named("high") = high, Rcpp::Named("at") = at,
      Rcpp::Named("history") = history, Rcpp::Named("kernel") = kernel_list(kernel.get()));
  add_hyperparameters(kernel.get(), out);
  return out;
}
