// What R objects hold of the core: its handles behind external pointers, and the R matrices that a model borrows.
#pragma once

// clang-format off
#include <RcppEigen.h>
#include <freeridge.h>
// clang-format on

#include <chrono>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

struct KernelDeleter {
  void operator()(freeridge_kernel* kernel) const { freeridge_kernel_destroy(kernel); }
};
using KernelPtr = std::unique_ptr<freeridge_kernel, KernelDeleter>;

using View = Eigen::Map<Eigen::MatrixXd>;  // R's own memory, column-major without padding

// What every handle has whose calls draw a progress bar and can be interrupted by R's user.
struct Listener {
  std::exception_ptr interrupt;  // R's jump out of a call, kept until the cancelled call has returned

  // Of the progress bar: when the call began and the bar was last drawn, how long the bar waits, the fraction done (-1: no
  // report yet), and whether the bar is on the screen.
  using Clock = std::chrono::steady_clock;
  Clock::time_point started, shown;
  std::chrono::duration<double> patience{1};
  double fraction = -1;
  bool bar = false;
  // The call has ended: removes the bar, and is ready for the next call.
  void finish();
};

// A handle of the core, which is freed with its owner.
template <class Core, void (*free_core)(Core*)>
struct Owner : Listener {
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { free_core(core); }

  Core* core = nullptr;
};

struct Model : Owner<freeridge_model, freeridge_destroy> {
  Rcpp::RObject x, y;               // borrowed by core (freeridge_set_points): kept alive as long as core
  std::vector<std::int64_t> start;  // of a sparse x
};

// A dgCMatrix as the core takes it: CSC, R's own memory but for the starts.
struct SparseView {
  explicit SparseView(const Rcpp::S4& x);
  int rows, columns;
  std::vector<std::int64_t> start;
  Rcpp::IntegerVector index;
  Rcpp::NumericVector value;
};

// A matrix or a dgCMatrix as points of the core, which borrow R's own memory (sparse ones own their starts).
struct Points {
  explicit Points(SEXP x);
  Points(const Points&) = delete;
  Points& operator=(const Points&) = delete;
  // Unpenalised columns beside them; nothing where R gives NULL. what: the rows, in an error.
  void add_unpenalised(SEXP values, const char* what);
  int rows() const { return static_cast<int>(fields.n); }

  freeridge_points fields{};
  std::unique_ptr<SparseView> sparse;
};

struct Dimensions {
  int n, d, t;
};

// A vector of R, or NULL.
template <class Vector>
struct Optional {
  explicit Optional(SEXP values) : given(!Rf_isNull(values)) {
    if (given) kept = Vector(values);
  }
  auto* get() const { return given ? kept.begin() : nullptr; }
  bool given;
  Vector kept = Vector(0);
};

// A function of the R side that signals a classed condition; its jump unwinds through here as a C++ exception.
template <class... Arguments>
[[noreturn]] void signal(const char* function, const Arguments&... arguments) {
  const Rcpp::Function named(Rcpp::Environment::namespace_env("freeridge").get(function));
  named(arguments...);
  throw std::logic_error(std::string(function) + " returned");
}

// Calls refuse() of the R side, for a bad argument that the R side let pass.
[[noreturn]] void refuse(const std::string& words);
// Signals the R condition of a status, with the words of freeridge_last_error().
[[noreturn]] void raise(freeridge_status status);
void check(freeridge_status status);
// The same for calls that the user can interrupt: after a cancelled one the jump that R wanted is made.
void check(Listener& listener, freeridge_status status);
// The same for calls whose UNDEFINED says that some entries are NaN: it is no error here, as the R side warns of NaN.
void check_but_undefined(freeridge_status status);
void check_but_undefined(Listener& listener, freeridge_status status);
// The same, and why some numbers are NaN, in the core's words; "" where none is.
std::string reason_of(Listener& listener, freeridge_status status);

// R's memory for numbers, zeros: a vector, or a matrix of rows x columns.
SEXP zeros(SEXPTYPE type, R_xlen_t count);
SEXP zeros(SEXPTYPE type, int rows, int columns);
// The same as an Rcpp object. Where there is no memory R's jump becomes a C++ exception, so that destructors run. (The
// function that R calls back must not throw: a C++ exception cannot pass R's own frames.)
template <class T, class... Sizes>
T fresh(Sizes... sizes) {
  using Number = std::decay_t<decltype(*std::declval<T>().begin())>;
  constexpr SEXPTYPE type = Rcpp::traits::r_sexptype_traits<Number>::rtype;
  return T(Rcpp::Shield<SEXP>(Rcpp::unwindProtect([=]() -> SEXP { return zeros(type, sizes...); })));
}

// What freeridge_objective gives: count x t each.
struct ObjectiveTables {
  ObjectiveTables(int count, int t)
      : training(fresh<Rcpp::NumericMatrix>(count, t)),
        norm2(fresh<Rcpp::NumericMatrix>(count, t)),
        objective(fresh<Rcpp::NumericMatrix>(count, t)) {}
  Rcpp::List list() const {
    return Rcpp::List::create(Rcpp::Named("training") = training, Rcpp::Named("norm2") = norm2,
                              Rcpp::Named("objective") = objective);
  }
  Rcpp::NumericMatrix training, norm2, objective;
};

// Lets R handle an interrupt that is waiting; R's jump becomes a C++ exception.
void check_interrupt();
// The progress callback of the core; user: a Listener.
std::int32_t listen(double fraction, void* user);

// The address behind an external pointer made by new_handle with this tag.
void* address_of(SEXP handle, const char* tag);
template <class T>
void destroy(T* object) {
  delete object;
}
template <class T>
SEXP new_handle(std::unique_ptr<T> object, const char* tag) {
  return Rcpp::XPtr<T, Rcpp::PreserveStorage, destroy<T>>(object.release(), true, Rf_install(tag));
}

Model& model_of(SEXP handle);
SEXP new_model_handle(std::unique_ptr<Model> model);
Dimensions dimensions_of(const Model& model);
int unpenalised_count(const Model& model);

// kernel: list(name, parameters); scale: NULL or the divisors of the columns.
KernelPtr make_kernel(const Rcpp::List& kernel, SEXP scale);
// The list of R that make_kernel turns into this kernel: its kind, its parts, and its parameters by their names.
Rcpp::List kernel_list(const freeridge_kernel* kernel);
// The text that write(size, text, &length) writes. With size 0 it gives the length alone.
template <class Write>
std::string text_by(const Write& write) {
  std::int64_t length = 0;
  check(write(0, nullptr, &length));
  std::string text(static_cast<std::size_t>(length) + 1, '\0');  // the 0 at the end is counted in size
  check(write(length + 1, text.data(), &length));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

// The bytes of a predictor or a classifier as an R object keeps them, list(bytes, place): without x they have a gap at the
// offset `place`, which is 0 where there is no gap. NULL for a kernel that cannot be saved.
SEXP kept_bytes(const std::function<freeridge_status(std::int64_t size, void* bytes, std::int64_t* length)>& save,
                bool with_x);
// The bytes that were saved; x: what was left out.
std::vector<unsigned char> whole_bytes(const Rcpp::List& kept, SEXP x);

// New points for a model, and the values of its fixed effects there, m x q, or NULL.
struct NewPoints : Points {
  NewPoints(const Model& model, SEXP x, SEXP fixed = R_NilValue);
};

// The number of freeridge.h for a word of the R interface; an unknown word is an error of class
// freeridge_invalid_argument. what: what the word names.
using Words = std::initializer_list<std::pair<const char*, std::int32_t>>;
std::int32_t number_of(const std::string& word, const char* what, Words known);
freeridge_criterion criterion_of(const std::string& name);
freeridge_route route_of(const std::string& name);
std::string route_name(freeridge_route route);
