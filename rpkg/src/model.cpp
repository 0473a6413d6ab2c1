// Handles, conditions and interrupts: everything between R and the core that the calls share.
#include "model.h"

#include <algorithm>
#include <utility>

#include "freeridge_types.h"

void refuse(const std::string& words) {
  signal("refuse", words);
}

void raise(freeridge_status status) {
  signal("stop_from_core", freeridge_status_name(status), freeridge_last_error());
}

// R's condition for no memory. It is made through R's C interface alone, so that no C++ allocation is needed.
SEXP out_of_memory() {
  const SEXP name = PROTECT(Rf_mkString("freeridge"));
  const SEXP call = PROTECT(Rf_lang1(Rf_install("out_of_memory")));
  const SEXP condition = Rf_eval(call, R_FindNamespace(name));
  UNPROTECT(2);
  return condition;
}

void check(freeridge_status status) {
  if (status != FREERIDGE_OK) raise(status);
}

void check(Listener& listener, freeridge_status status) {
  listener.finish();
  if (status == FREERIDGE_CANCELLED && listener.interrupt)
    std::rethrow_exception(std::exchange(listener.interrupt, std::exception_ptr()));
  check(status);
}

void check_but_undefined(freeridge_status status) {
  if (status != FREERIDGE_UNDEFINED) check(status);
}

void check_but_undefined(Listener& listener, freeridge_status status) {
  listener.finish();
  if (status != FREERIDGE_UNDEFINED) check(listener, status);
}

std::string reason_of(Listener& listener, freeridge_status status) {
  check_but_undefined(listener, status);
  return status == FREERIDGE_UNDEFINED ? freeridge_last_error() : "";
}

namespace {

constexpr std::chrono::milliseconds between_updates(100);

// The seconds that a call takes before its bar is drawn: the option freeridge.progress where it is a number.
std::chrono::duration<double> before_a_bar() {
  const SEXP option = Rf_GetOption1(Rf_install("freeridge.progress"));
  const bool given = Rf_isReal(option) && Rf_length(option) == 1 && REAL(option)[0] >= 0;
  return std::chrono::duration<double>(given ? REAL(option)[0] : 1.0);
}

// Calls R's function, which draws the bar. Its result says whether a bar is on the screen.
bool draw(double fraction) {
  const Rcpp::Function show(Rcpp::Environment::namespace_env("freeridge").get("show_progress"));
  return Rcpp::as<bool>(show(fraction));
}

// Draws the bar where the call has taken long enough. The time of a call counts from its first report on.
void show_progress(Listener& listener, double fraction) {
  const auto now = Listener::Clock::now();
  if (listener.fraction < 0) {
    listener.started = now;
    listener.patience = before_a_bar();
  }
  listener.fraction = fraction;
  if (now - listener.started < listener.patience || now - listener.shown < between_updates) return;
  listener.shown = now;
  listener.bar = true;  // set first, because R may jump out of draw()
  listener.bar = draw(fraction);
}

}  // namespace

SEXP zeros(SEXPTYPE type, R_xlen_t count) {
  const SEXP values = PROTECT(Rf_allocVector(type, count));
  const auto size = static_cast<std::size_t>(count);
  if (type == REALSXP)
    std::fill_n(REAL(values), size, 0.0);
  else if (type == INTSXP)
    std::fill_n(INTEGER(values), size, 0);
  else
    std::fill_n(RAW(values), size, Rbyte{0});
  UNPROTECT(1);
  return values;
}

SEXP zeros(SEXPTYPE type, int rows, int columns) {
  const SEXP values = PROTECT(zeros(type, static_cast<R_xlen_t>(rows) * columns));
  const SEXP size = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(size)[0] = rows;
  INTEGER(size)[1] = columns;
  Rf_setAttrib(values, R_DimSymbol, size);
  UNPROTECT(2);
  return values;
}

void check_interrupt() {
  Rcpp::unwindProtect([]() -> SEXP {
    R_CheckUserInterrupt();
    return R_NilValue;
  });
}

void Listener::finish() {
  fraction = -1;
  if (std::exchange(bar, false)) draw(1);
}

// The core calls this between blocks of work, on R's main thread. R may want to jump out of it (an interrupt, a time
// limit): the jump is kept as a C++ exception until the core, which is cancelled, has returned.
std::int32_t listen(double fraction, void* user) {
  auto& listener = *static_cast<Listener*>(user);
  try {
    check_interrupt();
    show_progress(listener, fraction);
    return 0;
  } catch (...) {
    listener.interrupt = std::current_exception();
    return 1;
  }
}

void* address_of(SEXP handle, const char* tag) {
  std::string words = tag;
  std::replace(words.begin(), words.end(), '_', ' ');
  if (TYPEOF(handle) != EXTPTRSXP || R_ExternalPtrTag(handle) != Rf_install(tag)) refuse("not a " + words + " handle");
  void* address = R_ExternalPtrAddr(handle);
  if (address == nullptr) refuse("the " + words + " handle is of another session");
  return address;
}

// Whether the handle is of this session. (An external pointer that was saved to a file is NULL when it is read.)
// [[Rcpp::export(rng = false)]]
bool core_is_alive(SEXP handle) {
  return TYPEOF(handle) == EXTPTRSXP && R_ExternalPtrAddr(handle) != nullptr;
}

Model& model_of(SEXP handle) {
  return *static_cast<Model*>(address_of(handle, "freeridge_model"));
}

SEXP new_model_handle(std::unique_ptr<Model> model) {
  check(freeridge_set_progress(model->core, listen, static_cast<Listener*>(model.get())));
  return new_handle(std::move(model), "freeridge_model");
}

Dimensions dimensions_of(const Model& model) {
  std::int64_t n = 0, d = 0, t = 0;
  check(freeridge_get_dimensions(model.core, &n, &d, &t));
  return {static_cast<int>(n), static_cast<int>(d), static_cast<int>(t)};
}

std::int32_t number_of(const std::string& word, const char* what, Words known) {
  for (const auto& [name, number] : known)
    if (word == name) return number;
  refuse("unknown " + std::string(what) + " '" + word + "'");
}

freeridge_criterion criterion_of(const std::string& name) {
  return number_of(name, "criterion",
                   {{"loo", FREERIDGE_LOO},
                    {"gcv", FREERIDGE_GCV},
                    {"reml", FREERIDGE_REML},
                    {"groups", FREERIDGE_GROUPS},
                    {"error_rate", FREERIDGE_ERROR_RATE},
                    {"log_loss", FREERIDGE_LOG_LOSS},
                    {"evidence", FREERIDGE_EVIDENCE}});
}

namespace {

constexpr Words routes = {{"auto", FREERIDGE_ROUTE_AUTO},          {"cholesky", FREERIDGE_ROUTE_CHOLESKY},
                          {"spectral", FREERIDGE_ROUTE_SPECTRAL},  {"band", FREERIDGE_ROUTE_BAND},
                          {"primal", FREERIDGE_ROUTE_PRIMAL},      {"landmark", FREERIDGE_ROUTE_LANDMARK},
                          {"iterative", FREERIDGE_ROUTE_ITERATIVE}};

}  // namespace

freeridge_route route_of(const std::string& name) {
  return number_of(name, "route", routes);
}

std::string route_name(freeridge_route route) {
  for (const auto& [name, known] : routes)
    if (route == known) return name;
  return std::to_string(route);  // a route that this file does not know
}
