#include "libcore/model/saved_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "libcore/base/checks.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/base/saved_values.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/routes/saved_route.hpp"

namespace freeridge {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr Index any_low = std::numeric_limits<Index>::min(), any_high = std::numeric_limits<Index>::max();

enum State : std::int64_t { empty_state = 0, data_state = 1, factorized_state = 2, fitted_state = 3 };

// Writes the columns (or rows) as they lie in memory, without the gaps between them.
void save_data(const LayoutView& a, ByteWriter& out) {
  const bool by_columns = a.layout == Layout::col_major;
  const Index lines = by_columns ? a.cols : a.rows, length = by_columns ? a.rows : a.cols;
  for (Index line = 0; line < lines; ++line) out.numbers({a.data + line * a.ld, length});
}

// As enum Layout, and after it the sparse formats.
constexpr std::int64_t saved_csr = 3, saved_csc = 4;

std::int64_t saved_layout(const Rows& x) {
  if (!x.is_sparse()) return static_cast<std::int64_t>(x.dense().layout);
  return x.sparse().format == SparseFormat::csr ? saved_csr : saved_csc;
}

// The number of entries in each column. A file of rows (CSR) alone would not tell how many columns there are, and a
// forged number of columns could ask for more memory than the size of the file accounts for. So the file says how many
// entries each column has.
Array<Index> entries_of_columns(const SparseView& x) {
  Array<Index> out(x.cols, 0);
  for (Index p = 0; p < x.entries(); ++p) ++out[x.index[p]];
  return out;
}

void save_rows(const Rows& x, ByteWriter& out) {
  if (!x.is_sparse()) return save_data(x.dense(), out);
  const SparseView& s = x.sparse();
  out.indices({s.start, s.lines() + 1});
  for (Index p = 0; p < s.entries(); ++p) out.integer(s.index[p]);
  out.numbers({s.value, s.entries()});
  if (s.format == SparseFormat::csr) out.indices(entries_of_columns(s));
}

SparseView load_sparse(SparseFormat format, Index rows, Index cols, std::shared_ptr<const SparseMatrix>& room,
                       ByteReader& in) {
  const Index lines = format == SparseFormat::csr ? rows : cols;
  auto loaded = std::make_shared<SparseMatrix>();
  loaded->start = load_indices("the starts of x", "the starts of x", 0, in.left(), lines + 1, in);
  const Index entries = loaded->start.back();
  in.require("the entries of x", entries, 2);
  loaded->index = load_integers("the places of x", 0, entries, in);
  loaded->value = in.vector("x", largest, entries);
  Array<Index> counts;
  if (format == SparseFormat::csr)
    counts =
        load_indices("the entries of the columns of x", "number of entries in a column of x", 0, entries, cols, in);
  const SparseView out = loaded->view(format, rows, cols);
  require_valid("x", out);
  if (format == SparseFormat::csr && counts != entries_of_columns(out))
    fail(Status::corrupt, "the saved columns of x have other numbers of entries");
  room = std::move(loaded);
  return out;
}

LayoutView load_data(const char* name, Index rows, Index cols, Layout layout, std::shared_ptr<const Matrix>& room,
                     ByteReader& in) {
  const bool by_columns = layout == Layout::col_major;
  room = std::make_shared<const Matrix>(in.matrix(name, largest, by_columns ? rows : cols, by_columns ? cols : rows));
  return {room->data(), rows, cols, room->rows(), layout};
}

void save_missing(const MissingOutputs* missing, Index t, ByteWriter& out) {
  out.integer(missing != nullptr ? 1 : 0);
  for (Index j = 0; j < t && missing != nullptr; ++j) {
    out.integer(std::ssize(missing->rows_of(j)));
    out.indices(missing->rows_of(j));
  }
}

MissingPtr load_missing(Index n, Index t, ByteReader& in) {
  if (!load_flag("missing values", in)) return nullptr;
  Array<Array<Index>> rows(t);
  for (Array<Index>& some : rows) {
    const Index count = in.integer("number of missing values", 0, n - 2);
    some = load_indices("the missing values", "row of a missing value", 0, n - 1, count, in);
    if (std::ranges::adjacent_find(some, std::greater_equal<>()) != some.end())
      fail(Status::corrupt, "the saved rows of missing values do not ascend");
  }
  return std::make_shared<const MissingOutputs>(rows);
}

void save_groups(const Groups& groups, Index n, ByteWriter& out) {
  Array<std::int32_t> label(n * groups.divisions());
  groups.labels(label);
  save_integers(label, out);
  out.integer(groups.layers());
  label.resize(n * groups.divisions() * groups.layers());
  groups.gaps(label);
  save_integers(label, out);
}

// Files of version 1 have no level: it is b plus w at the shift.
Array<double> levels(const Matrix& w, Array<double> b, Span<const double> shift) {
  for (std::size_t j = 0; j < b.size(); ++j) {
    for (std::size_t k = 0; k < shift.size(); ++k) b[j] += shift[k] * w(static_cast<Index>(k), static_cast<Index>(j));
    if (!std::isfinite(b[j])) fail(Status::corrupt, "the saved w overflows at the means of x");
  }
  return b;
}

Route last_route(const ByteReader& in) {
  return in.version() < 6 ? Route::landmark : Route::iterative;
}

void save_search(const LambdaSearch& search, ByteWriter& out) {
  save_enum(search.criterion, out);
  out.integer(static_cast<Index>(search.lambdas.size()));
  out.numbers(search.lambdas);
  out.matrix(search.scores.view());
  out.numbers(search.best);
  out.numbers(search.best_score);
  out.numbers(search.standard_error);
  out.numbers(search.decades);
  save_integers(search.edge, out);
  save_integers(search.dips, out);
}

LambdaSearch load_search(Index t, ByteReader& in) {
  LambdaSearch search;
  search.criterion = load_enum("criterion", Criterion::loo, Criterion::evidence, in);
  const Index count = in.integer("number of lambdas", 1, largest_dimension);
  search.lambdas = in.vector("the lambdas of the search", largest, count);
  require_lambdas("lambdas", search.lambdas);
  const auto any = [&](const char* name) {
    in.require(name, t);
    Array<double> out(t);
    in.any_numbers(name, out);
    return out;
  };
  in.require("the scores of the search", count, t);
  search.scores = Matrix(count, t);
  in.any_numbers("the scores of the search", search.scores.values());
  search.best = in.vector("the choice of lambda", largest, t);
  require_lambdas("best", search.best);
  search.best_score = any("the best score");
  search.standard_error = any("its standard error");
  search.decades = any("the decades");
  search.edge = load_integers("edge", -1, t, in);
  search.dips = load_integers("number of dips", 0, t, in);
  return search;
}

}  // namespace

void Model::save(ByteWriter& out) const {
  save_kernel(*kernel_, out);
  save_enum(offset_, out);
  save_enum(route_, out);
  save_enum(landmark_method_, out);
  out.integer(landmark_seed_);
  save_enum(reduction_, out);
  out.integer(refinement_);
  out.integer(expected_lambdas_);
  save_enum(expected_criterion_, out);
  out.integer(missing_allowed_ ? 1 : 0);
  out.number(known_sigma2_ > 0 || kept_squares_ == 1 ? known_sigma2_ : -kept_squares_);
  out.integer(fit_ ? fitted_state : factorization_ ? factorized_state : data_ ? data_state : empty_state);
  if (data_) {
    out.integer(n());
    out.integer(d());
    out.integer(t());
    out.integer(saved_layout(data_->x));
    save_enum(data_->y.layout, out);
    save_rows(data_->x, out);
    save_data(data_->y, out);
    save_missing(data_->missing.get(), t(), out);
    out.integer(data_->weights ? 1 : 0);
    out.numbers(data_->weight_values());
    out.integer(data_->groups ? data_->groups->divisions() : 0);
    if (data_->groups) save_groups(*data_->groups, n(), out);
    out.integer(data_->fixed_view().cols);
    save_data(data_->fixed_view(), out);
    out.integer(data_->landmarks);
    out.integer(static_cast<Index>(data_->landmark_rows.size()));
    out.indices(data_->landmark_rows);
  }
  if (factorization_) {
    save_enum(factorization_->route(), out);
    factorization_->save(out);
  }
  if (fit_) {
    out.numbers(fit_->lambdas);
    out.integer(fit_->refined ? 1 : 0);
    out.numbers(fit_->solution.b);
    out.numbers(fit_->solution.level);
    out.matrix(fit_->solution.fixed.view());
    out.matrix(fit_->solution.w.view());
    out.matrix(fit_->solution.c.view());
    out.numbers(fit_->solution.accuracy);
  }
  out.integer(search_ ? 1 : 0);
  if (search_) save_search(*search_, out);
  out.number(accuracy_);
}

std::shared_ptr<const void> Model::hold() const {
  return factorization_ ? factorization_->hold() : nullptr;
}

Model Model::load(ByteReader& in) {
  Model model(load_kernel(in));
  model.offset_ = load_enum("intercept", Offset::none, Offset::penalised, in);
  model.route_ = load_enum("route", Route::automatic, last_route(in), in);
  model.landmark_method_ = load_enum("landmark method", LandmarkMethod::automatic, LandmarkMethod::pivoted, in);
  model.landmark_seed_ = in.integer("seed", any_low, any_high);
  model.reduction_ = load_enum("reduction", Reduction::automatic, Reduction::gram, in);
  model.refinement_ = in.integer("refinement", 0, 100);
  model.expected_lambdas_ = in.integer("expected lambdas", 1, largest_dimension);
  model.expected_criterion_ = load_enum("expected criterion", Criterion::loo, Criterion::log_loss, in);
  model.missing_allowed_ = in.version() >= 6 && load_flag("whether values may be missing", in);
  if (in.version() >= 7) {
    const double number = in.number("variance of the errors", 1e300);
    if (!(number >= -1)) fail(Status::corrupt, "the saved variance of the errors is ", number, ", which cannot be");
    model.known_sigma2_ = std::max(number, 0.0);
    if (number < 0) model.kept_squares_ = -number;
  }
  const State state = load_enum("state", empty_state, fitted_state, in);
  if (state >= data_state) model.load_rows(in);
  if (state >= factorized_state) {
    const Route route = load_enum("route of the factorization", Route::cholesky, last_route(in), in);
    model.factorization_ = load_factorization(model.make_problem(model.kernel_), route, in);
  }
  if (state == fitted_state) model.load_fit(in);
  if (load_flag("search", in)) {
    if (state != fitted_state)
      fail(Status::corrupt, "the saved state is ", std::int64_t{state}, ", but there is a search");
    model.search_ = std::make_shared<const LambdaSearch>(load_search(model.t(), in));
  }
  if (in.version() >= 6) {
    model.accuracy_ = in.number("accuracy", 1);
    if (!(model.accuracy_ > 0 && model.accuracy_ < 1))
      fail(Status::corrupt, "the saved accuracy is ", model.accuracy_, ", which cannot be");
  }
  return model;
}

void Model::load_rows(ByteReader& in) {
  const Index n = in.integer("n", 1, largest_dimension), d = in.integer("d", 1, largest_dimension),
              t = in.integer("t", 1, largest_dimension);
  const std::int64_t x_layout = in.integer("layout of x", 1, in.version() < 3 ? 2 : saved_csc);
  const auto y_layout = load_enum("layout of y", Layout::col_major, Layout::row_major, in);
  if (x_layout < saved_csr) in.require("x", n, d);
  kernel_->check_data(n, d);
  data_ = Data{};
  Data& data = *data_;
  if (x_layout < saved_csr)
    data.x = load_data("x", n, d, static_cast<Layout>(x_layout), data.x_copy, in);
  else
    data.x = load_sparse(x_layout == saved_csr ? SparseFormat::csr : SparseFormat::csc, n, d, data.sparse_copy, in);
  if (data.x.is_sparse() && kernel_->precomputed())
    fail(Status::corrupt, "the saved kernel is precomputed, but x is sparse");
  data.y = load_data("y", n, t, y_layout, data.y_copy, in);
  if (in.version() >= 6) data.missing = load_missing(n, t, in);
  if (load_flag("weighted", in)) set_weights(in.vector("the weights", largest, n).data());
  if (const Index divisions = in.integer("number of divisions into groups", 0, largest_dimension); divisions > 0) {
    in.require("the labels of groups", n, divisions);
    Groups groups(load_integers("group label", -1, n * divisions, in), divisions);
    if (const Index layers = in.version() < 6 ? 0 : in.integer("number of layers of gaps", 0, largest_dimension);
        layers > 0) {
      in.require("the gaps", n * divisions, layers);
      groups = groups.with_gaps(load_integers("gap label", -1, n * divisions * layers, in), layers);
    }
    set_groups(std::move(groups));
  }
  if (in.version() >= 5) {
    const Index q = in.integer("number of fixed effects", 0, n - 1);
    if (q > 0) data.fixed = std::make_shared<const Matrix>(in.matrix("the fixed effects", largest, n, q));
  }
  const Index landmarks = in.integer("number of landmarks", 0, n);
  const Index given = in.integer("number of given landmarks", 0, landmarks);
  if (given != 0 && given != landmarks)
    fail(Status::corrupt, "of ", landmarks, " saved landmarks ", given, " are given, which must be all or none");
  const Array<Index> rows = load_indices("the landmarks", "landmark", 0, n - 1, given, in);
  set_landmarks(landmarks, rows.empty() ? nullptr : rows.data());
}

void Model::load_fit(ByteReader& in) {
  const Problem& problem = factorization_->problem();
  const Array<double> lambdas = in.vector("lambda", largest, t());
  require_lambdas("lambda", lambdas);
  Fit fit;
  set_fit_lambdas(fit, lambdas);
  fit.refined = load_flag("refined", in);
  fit.solution.b = in.vector("the intercepts", largest, t());
  const auto load_fixed = [&] {
    const Index q = in.version() < 5 ? 0 : problem.unpenalised.given();
    fit.solution.fixed = in.matrix("the fixed effects", largest, q, t());
  };
  if (problem.linear()) {
    if (in.version() >= 2) fit.solution.level = in.vector("the levels", largest, t());
    load_fixed();
    fit.solution.w = in.matrix("w", largest, d(), t());
    if (in.version() < 2) fit.solution.level = levels(fit.solution.w, fit.solution.b, problem.shift);
  } else {
    load_fixed();
    fit.solution.c = in.matrix("c", largest, n(), t());
  }
  if (factorization_->route() == Route::iterative)
    fit.solution.accuracy = load_scales(in, "the accuracies", 1, t(), false);
  set_fit_landmarks(fit, *factorization_);
  fit_ = std::make_shared<const Fit>(std::move(fit));
}

Loaded load(const ByteSource& source) {
  ByteReader in(source, {SavedKind::model, SavedKind::predictor});
  require_memory(8 * in.left(), "the saved model", "save it for prediction only (FREERIDGE_SAVE_PREDICTOR)");
  return sound([&]() -> Loaded {
    if (in.kind() == SavedKind::model) {
      Loaded loaded{Model::load(in), nullptr};
      in.end();
      return loaded;
    }
    auto predictor = std::make_shared<const Predictor>(in);
    in.end();
    KernelPtr kernel = predictor->kernel();
    return {Model(std::move(kernel)), std::move(predictor)};
  });
}

}  // namespace freeridge
