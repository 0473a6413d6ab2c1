// Kernels: from the lists of R to those of the core and back, and as text.
#include <sstream>
#include <vector>

#include "model.h"

namespace {

// The parts of a sum or a product: their owners, and the handles that the C call wants.
struct Parts {
  explicit Parts(const Rcpp::List& kernels) {
    for (R_xlen_t i = 0; i < kernels.size(); ++i)
      owners.push_back(make_kernel(Rcpp::as<Rcpp::List>(kernels[i]), R_NilValue));
    for (const KernelPtr& owner : owners) handles.push_back(owner.get());
  }
  int count() const { return static_cast<int>(handles.size()); }
  std::vector<KernelPtr> owners;
  std::vector<const freeridge_kernel*> handles;
};

KernelPtr scaled(const KernelPtr& inner, SEXP scale) {
  const Rcpp::NumericVector divisors(scale);
  freeridge_kernel* made = nullptr;
  check(freeridge_kernel_scaled(inner.get(), divisors.size(), divisors.begin(), &made));
  return KernelPtr(made);
}

// labels: a label for each column; NULL or an empty vector, where each column is a term.
KernelPtr additive(const KernelPtr& inner, SEXP labels) {
  const Rcpp::IntegerVector label = Rf_isNull(labels) ? Rcpp::IntegerVector(0) : Rcpp::IntegerVector(labels);
  freeridge_kernel* made = nullptr;
  check(freeridge_kernel_additive(inner.get(), label.size(), label.size() == 0 ? nullptr : label.begin(), &made));
  return KernelPtr(made);
}

std::string text_of(const freeridge_kernel* kernel) {
  return text_by([&](std::int64_t size, char* text, std::int64_t* length) {
    return freeridge_kernel_describe(kernel, size, text, length);
  });
}

// A kernel that text alone makes: name(numbers, inner).
KernelPtr parsed(const std::string& text) {
  freeridge_kernel* made = nullptr;
  check(freeridge_kernel_parse(text.c_str(), &made));
  return KernelPtr(made);
}
KernelPtr parsed(const std::string& name, const Rcpp::List& kernel) {
  std::ostringstream numbers;
  numbers.imbue(std::locale::classic());
  numbers.precision(17);
  if (name == "periodic") numbers << "period = " << Rcpp::as<double>(kernel["period"]) << ", ";
  if (kernel.containsElementNamed("label")) {
    for (const int label : Rcpp::IntegerVector(static_cast<SEXP>(kernel["label"])))
      numbers << (numbers.tellp() > 0 ? ", " : "[") << label;
    numbers << "], ";
  }
  return parsed(name + "(" + numbers.str() +
                text_of(make_kernel(Rcpp::as<Rcpp::List>(kernel["inner"]), R_NilValue).get()) + ")");
}

KernelPtr unscaled(const Rcpp::List& kernel) {
  const auto name = Rcpp::as<std::string>(kernel["name"]);
  freeridge_kernel* made = nullptr;
  if (name == "linear") {
    check(freeridge_kernel_linear(&made));
  } else if (name == "precomputed") {
    check(freeridge_kernel_precomputed(&made));
  } else if (name == "polynomial") {
    check(freeridge_kernel_polynomial(Rcpp::as<int>(kernel["degree"]), Rcpp::as<double>(kernel["scale"]),
                                      Rcpp::as<double>(kernel["offset"]), &made));
  } else if (name == "gaussian") {
    check(freeridge_kernel_gaussian(Rcpp::as<double>(kernel["sigma"]), &made));
  } else if (name == "laplacian") {
    check(freeridge_kernel_laplacian(Rcpp::as<double>(kernel["sigma"]), &made));
  } else if (name == "matern") {
    check(freeridge_kernel_matern(Rcpp::as<double>(kernel["nu"]), Rcpp::as<double>(kernel["length"]), &made));
  } else if (name == "sum") {
    const Parts terms(Rcpp::as<Rcpp::List>(kernel["terms"]));
    const Rcpp::NumericVector weights(kernel["weights"]);
    check(freeridge_kernel_sum(terms.handles.data(), weights.begin(), terms.count(), &made));
  } else if (name == "product") {
    const Parts factors(Rcpp::as<Rcpp::List>(kernel["factors"]));
    check(freeridge_kernel_product(factors.handles.data(), factors.count(), &made));
  } else if (name == "scaled") {
    return scaled(make_kernel(Rcpp::as<Rcpp::List>(kernel["inner"]), R_NilValue), kernel["scale"]);
  } else if (name == "additive") {
    return additive(make_kernel(Rcpp::as<Rcpp::List>(kernel["inner"]), R_NilValue),
                    kernel.containsElementNamed("label") ? static_cast<SEXP>(kernel["label"]) : R_NilValue);
  } else if (name == "constant") {
    return parsed("constant()");
  } else if (name == "multiplicative" || name == "periodic" || name == "sphere") {
    return parsed(name, kernel);
  } else {
    refuse("unknown kernel '" + name + "'");
  }
  return KernelPtr(made);
}

// Adds the parts under the names that they have in R: terms of a sum, factors of a product, inner of others.
void add_parts(const freeridge_kernel* kernel, int count, Rcpp::List& to) {
  const std::string name = freeridge_kernel_name(kernel);
  Rcpp::List parts(count);
  for (int i = 0; i < count; ++i) {
    freeridge_kernel* part = nullptr;
    check(freeridge_kernel_get_part(kernel, i, &part));
    parts[i] = kernel_list(KernelPtr(part).get());
  }
  if (name == "sum" || name == "product")
    to.push_back(parts, name == "sum" ? "terms" : "factors");
  else
    to.push_back(static_cast<SEXP>(parts[0]), "inner");
}

}  // namespace

Rcpp::List kernel_list(const freeridge_kernel* kernel) {
  std::int32_t parameters = 0, parts = 0;
  check(freeridge_kernel_get_counts(kernel, &parameters, &parts));
  Rcpp::List out = Rcpp::List::create(Rcpp::Named("name") = freeridge_kernel_name(kernel));
  if (parts > 0) add_parts(kernel, parts, out);
  for (std::int32_t i = 0; i < parameters; ++i) {
    std::int64_t length = 0;
    check(freeridge_kernel_get_parameter(kernel, i, 0, nullptr, &length));
    auto values = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(length));
    check(freeridge_kernel_get_parameter(kernel, i, length, values.begin(), &length));
    const std::string parameter = freeridge_kernel_parameter_name(kernel, i);
    if (parameter != "label")
      out.push_back(values, parameter);
    else if (length > 0)
      out.push_back(Rcpp::as<Rcpp::IntegerVector>(values), parameter);
  }
  out.attr("class") = "freeridge_kernel";
  return out;
}

KernelPtr make_kernel(const Rcpp::List& kernel, SEXP scale) {
  KernelPtr inner = unscaled(kernel);
  return Rf_isNull(scale) ? std::move(inner) : scaled(inner, scale);
}

// Makes the kernel and frees it, so that the core judges its parameters.
// [[Rcpp::export(rng = false)]]
void core_check_kernel(Rcpp::List kernel) {
  make_kernel(kernel, R_NilValue);
}

// [[Rcpp::export(rng = false)]]
std::string core_kernel_text(Rcpp::List kernel) {
  const KernelPtr made = make_kernel(kernel, R_NilValue);
  return text_of(made.get());
}

// The kernel that `text` describes.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_parse_kernel(std::string text) {
  return kernel_list(parsed(text).get());
}
