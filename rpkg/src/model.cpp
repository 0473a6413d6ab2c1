// Handles, conditions and interrupts: everything between R and the core that the calls share.
#include "model.h"

#include <utility>
#include <vector>

// The R function signals a classed condition; its jump unwinds through here as a C++ exception.
void raise(freeridge_status status) {
  const Rcpp::Function signal(Rcpp::Environment::namespace_env("freeridge").get("stop_from_core"));
  signal(freeridge_status_name(status), freeridge_last_error());
  throw std::logic_error("stop_from_core returned");
}

void check(freeridge_status status) {
  if (status != FREERIDGE_OK) raise(status);
}

void check(Model& model, freeridge_status status) {
  if (status == FREERIDGE_CANCELLED && model.interrupt)
    std::rethrow_exception(std::exchange(model.interrupt, std::exception_ptr()));
  check(status);
}

void check_but_undefined(Model& model, freeridge_status status) {
  if (status != FREERIDGE_UNDEFINED) check(model, status);
}

Model& model_of(SEXP handle) {
  if (TYPEOF(handle) != EXTPTRSXP || R_ExternalPtrTag(handle) != Rf_install("freeridge_model"))
    Rcpp::stop("not a freeridge model handle");
  auto* model = static_cast<Model*>(R_ExternalPtrAddr(handle));
  if (model == nullptr) Rcpp::stop("the freeridge model handle is of another session");
  return *model;
}

Dimensions dimensions_of(const Model& model) {
  std::int64_t n = 0, d = 0, t = 0;
  check(freeridge_get_dimensions(model.core, &n, &d, &t));
  return {static_cast<int>(n), static_cast<int>(d), static_cast<int>(t)};
}

namespace {

// The parts of a sum or a product: owners, and the bare handles that the core takes.
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

}  // namespace

KernelPtr make_kernel(const Rcpp::List& kernel, SEXP scale) {
  const auto name = Rcpp::as<std::string>(kernel["name"]);
  freeridge_kernel* made = nullptr;
  if (name == "linear")
    check(freeridge_kernel_linear(&made));
  else if (name == "polynomial")
    check(freeridge_kernel_polynomial(Rcpp::as<int>(kernel["degree"]), Rcpp::as<double>(kernel["scale"]),
                                      Rcpp::as<double>(kernel["offset"]), &made));
  else if (name == "gaussian")
    check(freeridge_kernel_gaussian(Rcpp::as<double>(kernel["sigma"]), &made));
  else if (name == "laplacian")
    check(freeridge_kernel_laplacian(Rcpp::as<double>(kernel["sigma"]), &made));
  else if (name == "matern")
    check(freeridge_kernel_matern(Rcpp::as<double>(kernel["nu"]), Rcpp::as<double>(kernel["length"]), &made));
  else if (name == "sum") {
    const Parts terms(Rcpp::as<Rcpp::List>(kernel["terms"]));
    const Rcpp::NumericVector weights(kernel["weights"]);
    check(freeridge_kernel_sum(terms.handles.data(), weights.begin(), terms.count(), &made));
  } else if (name == "product") {
    const Parts factors(Rcpp::as<Rcpp::List>(kernel["factors"]));
    check(freeridge_kernel_product(factors.handles.data(), factors.count(), &made));
  } else
    Rcpp::stop("unknown kernel '%s'", name);
  KernelPtr inner(made);
  if (Rf_isNull(scale)) return inner;

  const Rcpp::NumericVector divisors(scale);
  made = nullptr;
  check(freeridge_kernel_scaled(inner.get(), divisors.size(), divisors.begin(), &made));
  return KernelPtr(made);
}

freeridge_criterion criterion_of(const std::string& name) {
  if (name == "loo") return FREERIDGE_LOO;
  if (name == "gcv") return FREERIDGE_GCV;
  if (name == "reml") return FREERIDGE_REML;
  if (name == "groups") return FREERIDGE_GROUPS;
  Rcpp::stop("unknown criterion '%s'", name);
}

freeridge_route route_of(const std::string& name) {
  if (name == "auto") return FREERIDGE_AUTO;
  if (name == "cholesky") return FREERIDGE_CHOLESKY;
  if (name == "spectral") return FREERIDGE_SPECTRAL;
  if (name == "primal") return FREERIDGE_PRIMAL;
  Rcpp::stop("unknown route '%s'", name);
}

const char* route_name(freeridge_route route) {
  switch (route) {
    case FREERIDGE_CHOLESKY:
      return "cholesky";
    case FREERIDGE_SPECTRAL:
      return "spectral";
    case FREERIDGE_PRIMAL:
      return "primal";
    default:
      Rcpp::stop("unknown route %d", route);
  }
}
