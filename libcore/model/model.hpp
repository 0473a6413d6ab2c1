// The state machine behind a handle:
//   EMPTY --set_data--> DATA --factorize--> FACTORIZED --set_lambdas, select_lambda--> FITTED
// Setters go back to DATA. Every member either does its work, or throws Error and leaves the model as it was. Const
// members may run side by side. The caller (the C layer) has checked sizes and pointers; values are checked here.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/bytes.hpp"
#include "libcore/data/combinations.hpp"
#include "libcore/data/offset.hpp"
#include "libcore/factor/observed_rows.hpp"
#include "libcore/model/abstract_model.hpp"
#include "libcore/model/penalised_offset.hpp"
#include "libcore/model/prediction.hpp"
#include "libcore/routes/plan.hpp"
#include "libcore/select/bandwidth.hpp"
#include "libcore/select/evidence.hpp"
#include "libcore/select/group_criteria.hpp"
#include "libcore/select/kernel_search.hpp"
#include "libcore/select/lambda_search.hpp"
#include "libcore/select/objective.hpp"
#include "libcore/select/score_gradient.hpp"

namespace freeridge {

// Which covariance of the coefficients: of their posterior distribution (errors and prior), or of the estimates.
enum class CovarianceType : std::int32_t { bayesian = 1, frequentist = 2 };

constexpr double usual_accuracy = 1e-8;  // of solutions of the ITERATIVE route

class Model final : public AbstractModel {
 public:
  explicit Model(KernelPtr kernel) : kernel_(std::move(kernel)) {}
  Model(Model&&) = default;
  Model& operator=(Model&&) = default;
  // A model with the same settings, data, factorization, lambdas and search, without the callback. Data and
  // factorization never change, and are shared: O(n + t).
  Model clone() const;

  // What models do whose rows are not in memory, too (abstract_model.hpp)
  Index n() const override { return data("n").x.rows; }
  Index d() const override { return data("d").x.cols; }
  Index t() const override { return data("t").y.cols; }
  Index require_n() const override { return n(); }
  void require_factorized() const override { factorization(); }
  void require_fitted() const override { fit(); }
  Route route() const override { return factorization().route(); }
  Span<const double> lambdas() const override { return fit().lambdas; }
  const LambdaSearch& require_search() const override;
  void set_kernel(KernelPtr kernel) override;
  void set_groups(std::optional<Groups> groups) override;
  const Groups& groups() const override;
  void set_landmarks(Index count, const Index* rows) override;
  Landmarks requested_landmarks() const override { return wanted_landmarks(); }
  Span<const Index> landmarks() const override { return factorization().landmarks(); }
  Index memory_required() const override;
  std::string explain() const override;
  void factorize() override;
  void set_lambdas(Span<const double> lambdas) override;
  const LambdaSearch& select_lambda(Criterion criterion, double low, double high) override {
    return select_lambda(criterion, low, high, false);
  }
  Array<double> lambda_grid(Index count) const override;
  [[nodiscard]] std::string score(Criterion criterion, Span<const double> lambdas, MatrixView scores,
                                  MatrixView errors = {}) const override;
  LambdaFlags lambda_flags() const override;
  [[nodiscard]] std::string loo(MatrixView errors) const override;
  [[nodiscard]] std::string group_errors(const std::int32_t* label, Index layers, const std::int32_t* gap,
                                         MatrixView errors) const override;
  Index coefficient_rows() const override { return n(); }
  void coefficients(MatrixView c) const override;
  void hyperplane(MatrixView w) const override;
  void intercept(double* b) const override;
  Index fixed_count() const override { return data("the fixed effects").fixed_view().cols; }
  void fixed_kept(Span<std::int32_t> kept) const override;
  void fixed_effects(MatrixView effects) const override;
  [[nodiscard]] std::string fixed_errors(MatrixView errors) const override;

  // Settings
  void set_missing(bool allowed) { missing_allowed_ = allowed; }        // whether a NaN in y stands for a missing value
  void set_data(const Points& points, const LayoutView& y, bool copy);  // copies the fixed effects in any case
  // Back to EMPTY, with all settings.
  void drop_data();
  void set_weights(const double* weights);          // n, or NULL
  void set_fixed_effects(const LayoutView& fixed);  // n x q, copied; without columns: none
  void set_intercept(Offset offset);
  void set_route(Route route);
  void set_landmark_method(LandmarkMethod method, std::int64_t seed);
  void set_reduction(Reduction reduction);
  void set_refinement(Index steps) { refinement_ = steps; }
  void set_accuracy(double accuracy) {  // of solutions of ITERATIVE, relative; in (0, 1)
    accuracy_ = accuracy;
    unset();
  }
  void set_expected_lambdas(Index count) { expected_lambdas_ = count; }
  void set_expected_criterion(Criterion criterion) { expected_criterion_ = criterion; }
  void set_listener(const Listener& listener) { listener_ = listener; }
  const Listener& listener() const { return listener_; }
  // no_device, host_device, first_cuda, ... (engine.hpp). Throws DEVICE_UNAVAILABLE where it is not there.
  void set_device(Index number);
  void set_known_sigma2(double sigma2) {  // of a row of weight one; 0: it is estimated
    known_sigma2_ = sigma2;
    unset();
  }
  // Of weights made from the errors: the share of the squares of normal errors that they leave (error_variance.hpp).
  void set_kept_squares(double share) { kept_squares_ = share; }
  // Counts at the next factorize.
  void set_absent(Index rows) { absent_ = rows; }                // Problem::absent
  void set_smoothness(bool chosen) { smoothness_ = chosen; }     // counts at the next search for a kernel
  void set_memory_limit(Index bytes) { memory_limit_ = bytes; }  // 0: none

  // Work
  // sparse: by the sparse grid of lambda_search.hpp
  const LambdaSearch& select_lambda(Criterion criterion, double low, double high, bool sparse);
  // budget 0: the library's choice
  const BandwidthSearch& select_bandwidth(Criterion criterion, double low, double high, Index budget);
  // The kernel's hyperparameters and lambda together (kernel_selection.cpp). label: one for each hyperparameter, or
  // empty (kernel_variables.hpp); shrinkage, rows and evaluations 0: the library's choice.
  const KernelSearch& select_kernel(Criterion criterion, Span<const std::int32_t> label, double shrinkage, Index rows,
                                    std::int64_t seed, Index evaluations);

  // Answers. A returned text says why some entries are NaN; it is empty when none is.
  [[nodiscard]] std::string objective(Span<const double> lambdas, const ObjectiveViews& out) const;
  // All outputs together at one lambda (score_gradient.cpp); state DATA.
  ScoreGradient score_gradient(Criterion criterion, double lambda) const;
  // As score, with the standard errors of the estimates, which are 0 on exact routes. probes 0: the library's choice.
  [[nodiscard]] std::string estimate_score(Criterion criterion, Index probes, Span<const double> lambdas,
                                           MatrixView out, MatrixView uncertainty) const;
  Prediction prediction() const;  // borrows from the model
  void predict(const Points& points, Layout layout, double* out, Index ldout) const;
  // t numbers: bounds of the relative error of c, in the norm of G. Throws INVALID_STATE where the route has none.
  void accuracy(double* out) const;
  // Of the fixed effects (fixed_effects.cpp), q x q t, output after output.
  [[nodiscard]] std::string fixed_covariance(MatrixView covariance) const;
  // The mixed model at the lambdas in force (variance_components.cpp): t numbers, and for each term of a kernel that is
  // a sum t numbers each; share_error has one row more, the last, of the share of the errors.
  struct VarianceComponents {
    Array<double> residual;
    Matrix random, share, share_error;
    std::string reason;
  };
  // with_error: share_error, too, which costs four lambdas, or gradients for each term of a sum.
  VarianceComponents variance_components(bool with_error) const;
  Array<double> term_weights() const;
  // At many lambdas, whatever lambdas are in force (path.cpp). Output j of lambda l is in column l t + j; b: t x
  // lambdas, without data: not wanted.
  // take(prediction, column): what predicts for the columns from `column` on, count t in all, at m new points.
  using TakePrediction = std::function<void(const Prediction& prediction, Index column)>;
  void each_prediction(Span<const double> lambdas, Index m, const TakePrediction& take) const;
  // c, w or b without data: not wanted.
  void coefficients_path(Span<const double> lambdas, MatrixView c, MatrixView b) const;
  void hyperplane_path(Span<const double> lambdas, MatrixView w, MatrixView b) const;
  void fitted(MatrixView out) const;
  void leverage(MatrixView out) const;

  // Diagnostics and intervals (diagnostics.cpp); a reason says why some numbers are NaN
  struct Freedom {
    Array<double> df, sigma2;  // t each
    std::string reason;
  };
  Freedom degrees_of_freedom(bool with_sigma2) const;
  [[nodiscard]] std::string cooks_distance(MatrixView distance) const;
  // Degrees of freedom and sigma without each row, n x t, and by how much the coefficients of a linear kernel, b, w and
  // the fixed effects, are above those without it, n x (p t) (influence.cpp). Those without columns are not wanted.
  [[nodiscard]] std::string influence(MatrixView df, MatrixView sigma, MatrixView change) const;
  // Whether the variance of the outputs has a part along `difference`, n x n, of which the lower triangle is read
  // (score_test.cpp). t numbers each.
  [[nodiscard]] std::string score_test(ConstMatrixView difference, Span<double> q, Span<double> p) const;
  // Left-out errors with all that was chosen chosen again (learnt_loo.cpp)
  struct LearntLoo {
    Matrix errors;         // n x t
    Array<double> change;  // n: of the left-out errors of all rows, by choosing without the row
    std::string reason;
  };
  // The folds of rows that are left out of the choices; 0: as many as the library finds right
  struct Folds {
    Index count;
    std::int64_t seed;
  };
  LearntLoo learnt_loo(const Folds& folds) const;
  // The degrees of freedom of the choice of the kernel by REML; NaN where they are not known.
  double freedom_of_choice() const;
  struct Intervals {
    Matrix lower, upper;  // m x t
    std::string reason;
  };
  // folds: all that was chosen is chosen again without each of them; without folds it is held.
  // What is left out: rows, the groups of rows that were set or, with the learning included, folds.
  struct LeavingOut {
    std::optional<Folds> folds = {};
    bool by_groups = false;
  };
  Intervals predict_jackknife(const Points& points, double level, const LeavingOut& how) const;
  // f_(-S) at the points (left_out_predictions.cpp). group: n labels, or empty: row i has the label i. label: for each
  // point that of the rows S, out: m x t; or empty: each row by itself, out: m x (n t). Returns why some are NaN.
  std::string predict_left_out(const Points& points, Span<const std::int32_t> group, Span<const std::int32_t> label,
                               MatrixView out) const;
  struct Variance {
    Matrix of_mean;       // m x t
    Array<double> noise;  // t
    std::string reason;
  };
  Variance predict_variance(const Points& points) const;
  // Standard errors (m x t) and covariances (m x (m t)) of predictions (prediction_covariance.cpp); a matrix without
  // columns is not wanted.
  [[nodiscard]] std::string predict_covariance(const Points& points, CovarianceType type, MatrixView errors,
                                               MatrixView covariance) const;
  // Matrices and their spectrum (matrices.cpp); state FACTORIZED
  // vectors: n x count, without data where not wanted.
  Array<double> eigenvalues(Index count, MatrixView vectors) const;
  struct Conditions {
    Array<double> condition, rank;  // one for each lambda
    std::string reason;
  };
  Conditions condition_number(Span<const double> lambdas) const;
  // A matrix without data is not wanted. The matrices are written in pieces.
  void hat_matrix(double lambda, MatrixView hat, MatrixView inverse) const;

  // Covariances of the coefficients of a linear kernel (covariance.cpp). Their sides: d t, or (d + 1) t with an
  // intercept of either kind.
  Index coefficient_count() const { return d() + (offset_ == Offset::none ? 0 : 1); }
  [[nodiscard]] std::string coefficient_covariance(CovarianceType type, MatrixView out) const;
  // w: d x t; b: t, or NULL
  [[nodiscard]] std::string coefficient_errors(CovarianceType type, MatrixView w, double* b) const;
  // Derivatives of f at points, m x (d t), in the user's layout (prediction.hpp)
  void predict_gradient(const Rows& points, Layout layout, double* out, Index ldout) const;
  // Averages of derivatives over points, with their standard errors of a type (effects.cpp), d x t; errors without
  // columns are not wanted. a: m weights, or NULL: all one.
  [[nodiscard]] std::string average_gradient(const Rows& points, const double* a, CovarianceType type,
                                             MatrixView average, MatrixView errors) const;
  // Combinations of predictions, m x t for m of them, their errors and covariances as predict_covariance has them
  // (combinations.cpp).
  [[nodiscard]] std::string predict_combinations(const Points& points, const Combinations& of, CovarianceType type,
                                                 MatrixView value, MatrixView errors, MatrixView covariance) const;

  Index rank() const;
  double tolerance() const { return factorization().tolerance(); }
  LandmarkTrace landmark_trace() const;
  double kernel_trace() const;  // landmark_trace().all alone, in O(n)
  void landmark_curve(Criterion criterion, Span<const Index> sizes, MatrixView lambdas, MatrixView scores) const;

  // Saving (saved_model.hpp has the payload). `load` expects that the frame was checked, and throws CORRUPT where the
  // payload is wrong.
  void save(ByteWriter& out) const;
  std::shared_ptr<const void> hold() const;  // while it lives, save writes the same bytes each time
  static Model load(ByteReader& in);

  // State
  const KernelPtr& kernel() const { return kernel_; }
  Offset offset() const { return offset_; }
  Span<const double> weights() const { return data("weights").weight_values(); }  // empty: all one
  Route requested_route() const { return route_; }
  bool missing_allowed() const { return missing_allowed_; }
  Reduction reduction() const { return reduction_; }
  Index refinement() const { return refinement_; }
  double requested_accuracy() const { return accuracy_; }
  Index expected_lambdas() const { return expected_lambdas_; }
  Criterion expected_criterion() const { return expected_criterion_; }
  Index memory_limit() const { return memory_limit_; }
  Index device() const { return device_; }
  bool smoothness() const { return smoothness_; }
  double known_sigma2() const { return known_sigma2_; }
  double kept_squares() const { return kept_squares_; }
  LandmarkMethod landmark_method() const { return landmark_method_; }
  std::int64_t landmark_seed() const { return landmark_seed_; }
  double bandwidth() const;
  const BandwidthSearch& require_bandwidth_search() const;
  const KernelSearch& require_kernel_search() const;
  void require_data() const { data(nullptr); }
  void require_landmarks() const;

 private:
  Model(const Model&) = default;

  // Factorizations borrow x, y and the weights; clones share them, and none ever changes.
  struct Data {
    Rows x;
    LayoutView y;
    std::shared_ptr<const Matrix> x_copy, y_copy;  // what x and y view; NULL: borrowed, or sparse
    std::shared_ptr<const SparseMatrix> sparse_copy;
    std::shared_ptr<const Array<double>> weights;  // NULL: all one
    std::optional<Groups> groups;
    Index landmarks = 0;
    Array<Index> landmark_rows;           // empty: the library chooses
    std::shared_ptr<const Matrix> fixed;  // F; NULL: none
    MissingPtr missing = nullptr;         // then y is a copy with other numbers in the place of what is missing

    Span<const double> weight_values() const { return weights ? Span(*weights) : Span<const double>(); }
    double weight_of(Index row) const { return weights ? (*weights)[row] : 1; }
    LayoutView fixed_view() const {
      if (!fixed) return {nullptr, x.rows, 0, x.rows, Layout::col_major};
      return layout_view(*fixed);
    }
  };
  struct Fit {
    Array<double> lambdas;  // t
    Solution solution;
    bool refined = false;
    Matrix landmark_x, landmark_c;  // of the landmark rows, which alone have coefficients: all that prediction needs
    // P~, where all outputs have one lambda. It is made with the fit, or after loading by the first call that needs it.
    struct Shared {
      std::mutex mutex;
      std::shared_ptr<const ResidualMaker> residual_maker;
      std::shared_ptr<const AllRows> all_rows;  // where outputs have missing values
    };
    std::shared_ptr<Shared> shared;
    // The left-out errors, which jackknife+ intervals of all new points need. Made by the first call that needs them.
    struct LeftOut {
      std::mutex mutex;
      bool made = false;
      Matrix errors;               // n x t
      Array<std::string> reasons;  // t: why some errors of an output are NaN, or empty
    };
    std::shared_ptr<LeftOut> left_out;
  };

  const Data& data(const char* wanted) const;  // wanted: what of it is asked for, for the message, or NULL
  const Factorization& factorization() const;
  const Fit& fit() const;
  // Checks what a criterion needs beside x: GROUPS needs groups, which are returned (else NULL); ERROR_RATE, LOG_LOSS
  // and EVIDENCE need outputs of -1 and +1.
  const Groups* groups_for(Criterion criterion) const;
  void unset();
  void load_rows(ByteReader& in);
  void load_fit(ByteReader& in);

  Landmarks wanted_landmarks() const;
  // The kernel and the rows of the problem that is factorized: with a penalised offset k + 1 (penalised_offset.hpp).
  KernelPtr problem_kernel(const KernelPtr& kernel) const;
  OffsetRows problem_rows(const Kernel& kernel, const Rows& x) const;
  std::shared_ptr<Problem> make_problem(const KernelPtr& kernel) const;
  // The same for derivatives by the kernel's hyperparameters (score_gradient.cpp).
  std::shared_ptr<Problem> gradient_problem(const KernelPtr& kernel) const;
  // The ways of score_gradient.
  ScoreGradient landmark_gradient(Criterion criterion, const Groups* groups, double lambda) const;
  ScoreGradient gradient_with(const KernelPtr& kernel, const Landmarks& landmarks, Criterion criterion,
                              const Groups* groups, double lambda) const;
  // Throws INVALID_STATE for a sum of given matrices.
  void require_landmark_gradient() const;
  Index landmark_learning_bytes(Index rows, Index landmarks, const Groups* groups) const;
  ScoreGradient primal_gradient(Criterion criterion, const Groups* groups, double lambda) const;
  ScoreGradient dual_gradient(const KernelPtr& kernel, Criterion criterion, const Groups* groups, double lambda,
                              Modes& modes) const;
  double dual_reml(const KernelPtr& kernel, double lambda) const;  // REML without its gradient
  bool by_columns(Criterion criterion, double lambda) const;
  ScoreGradient with_exact_factor(ScoreGradient gradient) const;
  ScoreGradient gradient_of_all(Criterion criterion, const Groups* groups, double lambda) const;  // without landmarks
  // The columns of a precomputed kernel in a model of some rows: those of its own rows, or all, so that landmarks are
  // among them.
  enum class Columns { own, all };
  // The sum of `of`(model) over the parts of outputs that are observed in the same rows, with a model for each part.
  ScoreGradient sum_over_parts(Criterion criterion, Columns columns,
                               const std::function<ScoreGradient(const Model&)>& of) const;
  Request request(const KernelPtr& kernel) const;
  Request factorized_request() const;  // request(), with the landmarks that the factorization has
  FactorizationPtr factorized(const KernelPtr& kernel, const Landmarks& landmarks) const;
  FactorizationPtr factorized(const Request& wanted, const KernelPtr& kernel, const Landmarks& landmarks) const;
  // Whether AUTO has taken ITERATIVE to save seconds, and takes a direct route where that does not converge.
  bool has_direct_route() const;
  FactorizationPtr direct_factorization() const;
  // The model of some rows, ascending, and some outputs (empty: all), without landmarks.
  Model of_rows(Span<const Index> rows, bool with_groups, Span<const Index> outputs = {},
                Columns columns = Columns::own) const;
  // Parts of select_kernel: the functions that its search calls; the search on the first `rows` rows in random order,
  // with landmarks where learns_with_landmarks.
  RowsOfSearch rows_of_search(Criterion criterion) const;
  // The same by REML in blocks of points that are near one another by the kernel's lengths; whether a search has them.
  RowsOfSearch blocks_of_search(const KernelPtr& kernel) const;
  bool learns_by_blocks() const;
  bool learns_with_landmarks(Index rows) const;
  Landmarks landmarks_to_learn(Index rows) const;
  LambdaOfSample lambda_of_sample(const KernelPtr& kernel, Criterion criterion) const;
  LambdaSearch lambda_for_learnt(const Factorization& factorization, const KernelSearch& search) const;
  KernelSearch learn_kernel(const KernelVariables& variables, Span<const Index> order, Index rows,
                            const KernelSearchOptions& options) const;
  Index learning_bytes(Criterion criterion, Index rows, const Groups* groups) const;
  void require_room_to_learn(Criterion criterion, Index rows, const Groups* groups) const;
  Fit solve(const Factorization& factorization, Span<const double> lambdas) const;
  // A solution with t columns for each of `count` lambdas.
  static Solution room_for_solution(const Factorization& factorization, Index count = 1);
  // Checks a solution of the problem, and turns it into the solution of the model.
  void finish_solution(const Problem& problem, Solution& solution) const;
  // The solutions at many lambdas side by side; with landmarks their coefficients alone.
  Fit solve_path(Span<const double> lambdas) const;
  // The same for a few lambdas by one product; no value where the route cannot do that, or solutions are refined.
  std::optional<Fit> solve_together(Span<const double> lambdas) const;
  Index path_block() const;    // the number of lambdas in one block of each_prediction
  Index path_product() const;  // the number of lambdas in one product
  // take(fit, columns of out) at each of many lambdas; b as in coefficients_path.
  template <class Take>
  void each_solution(Span<const double> lambdas, MatrixView out, MatrixView b, const Take& take) const;
  void hyperplanes_together(Span<const double> lambdas, MatrixView w, MatrixView b) const;
  Prediction prediction(const Fit& fit) const;
  // What an estimate of the variance of the errors is divided by; 1 where the variance is known.
  double kept_share() const { return known_sigma2_ > 0 ? 1 : kept_squares_; }
  // Whether the coefficients are those of the solution; otherwise they are computed, n x t.
  bool keeps_coefficients(const Fit& fit) const;
  void make_coefficients(const Fit& fit, MatrixView out) const;
  // Sets lambdas, shared, left_out; and, from the solution, landmark_x and landmark_c.
  static void set_fit_lambdas(Fit& fit, Span<const double> lambdas);
  static void set_fit_landmarks(Fit& fit, const Factorization& factorization);
  // P~ for each run of outputs with one lambda: f(residual_maker, first, count).
  using EachResidualMaker = std::function<void(const ResidualMaker&, Index, Index)>;
  static void for_each_residual_maker(const Factorization& factorization, const Fit& fit, const EachResidualMaker& f);
  // The same with missing values: P~ of the rows in which the outputs are observed.
  static void for_each_observed(const Factorization& factorization, const Fit& fit, const EachResidualMaker& f);
  // f(lambda, first, end) for each run of outputs with one lambda.
  template <class F>
  static void each_lambda(Span<const double> lambdas, const F& f) {
    const Index t = std::ssize(lambdas);
    for (Index first = 0, end; first < t; first = end) {
      for (end = first + 1; end < t && lambdas[end] == lambdas[first];) ++end;
      f(lambdas[first], first, end);
    }
  }
  // P~ at one lambda for each run of outputs that are observed in the same rows; undefined(cause) where there is none.
  void try_residual_maker(double lambda, Index first, Index count, const EachResidualMaker& f,
                          const std::function<void(const std::string&)>& undefined) const;
  // f(model, rows, outputs) for each part of outputs with missing values. The model is fitted, at the lambdas of these
  // outputs, to the rows in which they are observed: for answers that P~ of all rows does not give. of_part: the reason
  // of such a model.
  using EachPartModel = std::function<void(const Model&, Span<const Index>, Span<const Index>)>;
  void each_part_model(const char* what, const EachPartModel& f) const;
  static std::string of_part(const std::string& reason, Span<const Index> outputs) {
    return text(reason, " (of the outputs that are observed in the same rows as output ", outputs[0], ")");
  }
  void set_share_errors(ConstMatrixView share, MatrixView error) const;
  Matrix weight_curvatures(Index j, Span<const Index> moves) const;
  Array<double> curvatures() const;  // of the restricted likelihoods (variance_components.cpp)
  // take(P~, v, first, count) for each run of outputs with one lambda: v are the variances, divided by tau^2, of
  // functionals g of the part that is not penalised. Answers with the reason for a NaN. effect_scale: tau of an output.
  using TakeVariances = std::function<void(const ResidualMaker&, Span<const double>, Index, Index)>;
  std::string each_effect_variance(ConstMatrixView g, const TakeVariances& take) const;
  double effect_scale(const ResidualMaker& residual_maker, Index output) const;
  // Throws INVALID_STATE where some outputs have missing values.
  void require_all_observed(const char* what) const;
  // An answer of n x t numbers at the lambdas in force: part(P~, first, its columns) for each run of outputs with one
  // lambda, whose columns of the answer begin with `first`. what: for the message where there is no memory.
  using EachPart = std::function<void(const ResidualMaker&, Index, MatrixView)>;
  void answer(const char* what, MatrixView to, const EachPart& part) const;
  const Fit::LeftOut& left_out() const;
  // The model, with all rows, at the kernel and the lambdas that are chosen on some rows, ascending.
  Model chosen_on(Span<const Index> rows, bool anew) const;
  // take(model, rows) for each fold: the model that was chosen without these rows, fitted to all rows; NULL where
  // nothing can be chosen without them. First the model at the lambdas that were chosen, whichever are in force, for
  // the rows that had no part in the choice, which may be none.
  using TakeChosen = std::function<void(const Model*, Span<const Index>)>;
  void each_chosen_without(const Folds& folds, const TakeChosen& take) const;
  static constexpr const char* nothing_chosen = "without some rows nothing can be chosen";
  struct LeftOutPredictions;
  void predict_without(Span<const Index> rows, const Points& points, LeftOutPredictions& out) const;
  Intervals learnt_jackknife(const Points& points, double level, const Folds& folds) const;
  // Throws OUT_OF_MEMORY where a call needs `bytes` more than the model holds and memory or the limit does not allow
  // it.
  void require_room(Index bytes, const char* what, const char* advice) const;
  // The bytes that lambdas, their left-out errors and a criterion take beside the factorization.
  Index lambda_bytes(Index lambdas = 1) const;
  Index group_bytes(const Groups& groups, Index lambdas) const;
  Index score_bytes(const Groups* groups, Index lambdas) const;
  void require_room_for_score(const Groups* groups, Index lambdas) const;
  void require_room_to_choose_again(Criterion criterion, Index rows) const;
  void require_room_to_estimate(Index probes, Index lambdas) const;
  void require_room_for_trace() const;
  void require_room_for_eigenvalues(Index vectors) const;
  static constexpr Index columns_together = 256;  // of the matrices of hat_matrix
  Index columns_bytes() const;
  // Some columns of both matrices of hat_matrix at once.
  void matrix_columns(const ResidualMaker& maker, MatrixView hat, MatrixView inverse) const;
  // outputs: numbers for each point and output; smoothed: how many points are smoothed at once, 0: none.
  void require_room_to_predict(Index m, Index outputs, Index smoothed) const;
  void require_room_for_path(Index m) const;
  void require_room_for_directions(Index doubles) const;
  void require_room_for_gradient(Index m, Index functionals) const;

  // Errors and covariances of m points, or functionals, as the problem sees them (prediction_covariance.cpp).
  std::string covariances_of(const Points& seen, Index m, CovarianceType type, MatrixView errors,
                             MatrixView covariance) const;
  // Throws INVALID_ARGUMENT where the kernel of new points is not known, and the type needs it.
  void require_prior(CovarianceType type) const;
  void sum_predictions(const Points& points, const Combinations& of, MatrixView value) const;
  void changes_of_coefficients(const ResidualMaker& maker, ConstMatrixView errors, MatrixView change) const;

  struct CoefficientVariances;
  Array<CoefficientVariances> coefficient_variances(CovarianceType type) const;  // together all outputs
  // take(output, add) for each output at lambda = 0: add(points, row, covariances) adds those of (x - shift)'w + level
  // over sigma2, of the points row, row + 1, ... . Answers with the reason for a NaN.
  using AddCovariances = std::function<void(const Points&, Index, const Covariances&)>;
  using TakeHyperplane = std::function<void(Index, const AddCovariances&)>;
  std::string each_hyperplane_at_zero(const TakeHyperplane& take) const;
  CoefficientVariances own_variances(CovarianceType type) const;  // of a model without missing outputs
  // P~Y~ of all outputs over the root of their degrees of freedom: R'R has sigma2 on its diagonal. reason: why it is
  // NaN.
  Matrix error_roots(std::string& reason) const;

  KernelPtr kernel_;
  std::optional<Data> data_;
  bool missing_allowed_ = false;
  Offset offset_ = Offset::free;
  Route route_ = Route::automatic;
  LandmarkMethod landmark_method_ = LandmarkMethod::automatic;
  std::int64_t landmark_seed_ = 0;
  Reduction reduction_ = Reduction::automatic;
  Index refinement_ = 0;
  Index expected_lambdas_ = 100;
  double accuracy_ = usual_accuracy;
  Criterion expected_criterion_ = Criterion::loo;
  Listener listener_;
  Index memory_limit_ = 0;
  Index device_ = no_device;
  bool smoothness_ = false;
  double known_sigma2_ = 0;
  double kept_squares_ = 1;
  Index absent_ = 0;
  EnginePtr engine_;
  FactorizationPtr factorization_;
  std::shared_ptr<const Fit> fit_;
  std::shared_ptr<const LambdaSearch> search_;
  std::shared_ptr<const BandwidthSearch> bandwidth_search_;  // that found the present kernel
  std::shared_ptr<const KernelSearch> kernel_search_;        // likewise
  // How the kernel and the lambdas were chosen.
  struct Choice {
    Criterion criterion;
    KernelPtr kernel;                   // with which the choice began
    std::function<void(Model&)> again;  // the same for another model with that kernel
  };
  std::shared_ptr<const Choice> choice_;  // NULL: nothing was chosen
};

}  // namespace freeridge
