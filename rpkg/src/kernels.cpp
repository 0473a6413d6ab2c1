// Kernels: from the lists of R to those of the core, and as text.
#include <charconv>
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
  } else {
    refuse("unknown kernel '" + name + "'");
  }
  return KernelPtr(made);
}

std::string text_of(const freeridge_kernel* kernel) {
  std::int64_t length = 0;
  check(freeridge_kernel_describe(kernel, 0, nullptr, &length));
  std::string text(static_cast<std::size_t>(length) + 1, '\0');  // the 0 at the end is counted in size
  check(freeridge_kernel_describe(kernel, length + 1, text.data(), &length));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

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
  return text_of(make_kernel(kernel, R_NilValue).get());
}

// The core's own description of the kernel that `text` describes in any spelling.
// [[Rcpp::export(rng = false)]]
std::string core_canonical_text(std::string text) {
  freeridge_kernel* made = nullptr;
  check(freeridge_kernel_parse(text.c_str(), &made));
  return text_of(KernelPtr(made).get());
}

// [[Rcpp::export(rng = false)]]
bool core_kernel_equal(Rcpp::List a, Rcpp::List b) {
  std::int32_t equal = 0;
  check(freeridge_kernel_equal(make_kernel(a, R_NilValue).get(), make_kernel(b, R_NilValue).get(), &equal));
  return equal != 0;
}

// The number in a description, exactly. R's own as.numeric() rounds twice, and may miss the last bit.
// [[Rcpp::export(rng = false)]]
double core_number(std::string text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) refuse("'" + text + "' is not a number");
  return value;
}
