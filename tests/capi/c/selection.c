/* Choosing lambda and the bandwidth: scores from the answers they are means of, searches against grids; folds and
 * conventions. */
#include "checks.h"

enum { COUNT = 5, MOST = 2000 };

static void scores_are_means(freeridge_route route) {
  const double lambdas[COUNT] = {0.1, 0.5, 1, 3, 20};
  freeridge_model* model = factorized_model(route);
  double loo[COUNT * T], gcv[COUNT * T], reml[COUNT * T], groups[COUNT * T], error[COUNT * T], again[COUNT * T];
  int i, j, l;
  OK(freeridge_score(model, FREERIDGE_LOO, COUNT, lambdas, loo, NULL, COUNT));
  OK(freeridge_score(model, FREERIDGE_GCV, COUNT, lambdas, gcv, NULL, COUNT));
  OK(freeridge_score(model, FREERIDGE_REML, COUNT, lambdas, reml, NULL, COUNT));
  OK(freeridge_score(model, FREERIDGE_GROUPS, COUNT, lambdas, groups, NULL, COUNT));
  OK(freeridge_score(model, FREERIDGE_LOO, COUNT, lambdas, again, error, COUNT));
  for (l = 0; l < COUNT; ++l) {
    double errors[N * T], left[N * T], fitted[N * T], df[T];
    OK(freeridge_set_lambda(model, lambdas[l]));
    OK(freeridge_loo(model, errors, N));
    OK(freeridge_group_errors(model, sample_group(), 0, NULL, left, N));
    OK(freeridge_get_fitted(model, fitted, N));
    OK(freeridge_degrees_of_freedom(model, df, NULL));
    for (j = 0; j < T; ++j) {
      const int at = l + j * COUNT;
      double sum = 0, spread = 0, residuals = 0, group_sum = 0;
      for (i = 0; i < N; ++i) {
        sum += pow(errors[i + j * N], 2);
        residuals += pow(sample_y()[i + j * N] - fitted[i + j * N], 2);
        if (sample_group()[i] >= 0) group_sum += pow(left[i + j * N], 2);
      }
      for (i = 0; i < N; ++i) spread += pow(pow(errors[i + j * N], 2) - sum / N, 2);
      NEAR(loo[at], sum / N);
      NEAR(again[at], sum / N);
      NEAR(error[at], sqrt(spread / (N * (N - 1.0))));
      NEAR(gcv[at], N * residuals / pow(N - df[j], 2));
      NEAR(groups[at], group_sum / (N - 1));
      CHECK(isfinite(reml[at]));
    }
  }
  freeridge_destroy(model);
}

static void searches(void) {
  freeridge_model* model = factorized_model(FREERIDGE_ROUTE_SPECTRAL);
  static double lambdas[MOST], scores[MOST * T], grid[200], on_grid[200 * T];
  double lambda[T], score[T], in_force[T], chosen[T], best[T], error[T], rule[T], there[T], decades[T];
  double floor_of = -1;
  int32_t edge[T], dips[T], below[T], at_edge[T];
  int i, j;
  freeridge_search search = {.size = sizeof search, .count = -1}, old = search;
  REFUSED(INVALID_STATE, freeridge_get_search(model, &search));
  CHECK(search.count == -1);
  search.lambda = chosen, search.score = best, search.standard_error = error;
  search.edge = edge, search.decades = decades, search.dips = dips;
  search.one_se_lambda = rule, search.one_se_score = there;
  search.lambdas = lambdas, search.scores = scores, search.ld = MOST;
  REFUSED(INVALID_STATE, freeridge_get_search(model, &search));
  REFUSED(INVALID_STATE, freeridge_lambda_flags(model, &floor_of, below, at_edge));
  OK(freeridge_select_lambda(model, FREERIDGE_LOO, 0, 0, lambda, score));
  OK(freeridge_get_lambda(model, in_force));
  OK(freeridge_lambda_grid(model, 200, grid));
  OK(freeridge_score(model, FREERIDGE_LOO, 200, grid, on_grid, NULL, 200));
  OK(freeridge_get_search(model, &old));
  CHECK(old.count >= 100 && old.count <= MOST);
  OK(freeridge_get_search(model, &search));
  CHECK(search.count == old.count);
  old.ld = search.count - 1, old.scores = scores;
  REFUSED(INVALID_ARGUMENT, freeridge_get_search(model, &old));
  search.below = below;
  REFUSED(INVALID_ARGUMENT, freeridge_get_search(model, &search));
  search.below = NULL, search.next = there;
  REFUSED(INVALID_ARGUMENT, freeridge_get_search(model, &search));
  REFUSED(INVALID_ARGUMENT, freeridge_get_search(model, NULL));
  OK(freeridge_lambda_flags(model, NULL, NULL, NULL));
  OK(freeridge_lambda_flags(model, &floor_of, below, at_edge));
  CHECK(floor_of >= 0 && floor_of <= grid[0]);
  for (j = 0; j < T; ++j) CHECK(below[j] == 0 && at_edge[j] == edge[j]);
  for (i = 1; i < search.count; ++i) CHECK(lambdas[i - 1] < lambdas[i]);
  for (j = 0; j < T; ++j) {
    CHECK(in_force[j] == lambda[j] && chosen[j] == lambda[j] && best[j] == score[j]);
    CHECK(rule[j] >= lambda[j] && error[j] > 0 && there[j] >= best[j] && there[j] <= best[j] + error[j]);
    CHECK(edge[j] >= -1 && edge[j] <= 1 && dips[j] >= 1 && decades[j] > 0);
    for (i = 0; i < 200; ++i) CHECK(score[j] <= on_grid[i + 200 * j] * (1 + 1e-9));
  }
  freeridge_destroy(model);
}

static void bandwidths(void) {
  enum { BUDGET = 5 };
  freeridge_model* model = data_model(0);
  double sigma = -1, in_force = -2, tried[BUDGET * 2], least = INFINITY, at = -1, decades = -1;
  int64_t used = -1, i;
  int32_t edge = 9, dips = -1;
  REFUSED(INVALID_STATE, freeridge_get_bandwidth(model, NULL, NULL, NULL, NULL, &edge, &decades, &dips));
  OK(freeridge_select_bandwidth(model, FREERIDGE_LOO, 0.3, 10, BUDGET, &sigma));
  OK(freeridge_get_bandwidth(model, &in_force, &used, tried, tried + BUDGET, NULL, NULL, NULL));
  CHECK(used >= 3 && used <= BUDGET && sigma == in_force);
  for (i = 0; i < used; ++i) {
    CHECK(tried[i] >= 0.3 * (1 - 1e-12) && tried[i] <= 10 * (1 + 1e-12));
    if (tried[BUDGET + i] < least) least = tried[BUDGET + i];
    if (tried[i] == sigma) at = tried[BUDGET + i];
  }
  CHECK(at <= least * 1.003);
  OK(freeridge_get_bandwidth(model, NULL, NULL, NULL, NULL, &edge, &decades, &dips));
  OK(freeridge_get_bandwidth(model, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK(edge == (sigma < 0.3 * (1 + 1e-12) ? -1 : sigma > 10 * (1 - 1e-12) ? 1 : 0) && decades > 0 && dips >= 1);
  freeridge_destroy(model);
}

/* A length of its own for each of two features, of which the response knows one. */
static void learning(void) {
  enum { ROWS = 40, EVALUATIONS = 250 };
  freeridge_kernel *gaussian = NULL, *scaled = NULL, *learnt = NULL;
  freeridge_model* model = NULL;
  double x[2 * ROWS], y[ROWS], score = -1, lambda = -1, best = -1, values[3];
  const double ones[2] = {1, 1};
  double tried[EVALUATIONS], lambdas[EVALUATIONS], gradient[EVALUATIONS], low[3], high[3], freedom;
  double change[ROWS];
  int64_t variable[3], row[ROWS], i;
  int32_t end[5], stage[EVALUATIONS], at[3];
  freeridge_kernel_search search = {.size = sizeof search, .evaluations = -1, .lambda_at = 9};
  for (i = 0; i < ROWS; ++i) {
    x[i] = sin(1.0 + 7.0 * (double)i), x[i + ROWS] = cos(2.0 + 5.0 * (double)i);
    y[i] = sin(3 * x[i]) + 0.05 * sin(100.0 * (double)(i * i));
  }
  OK(freeridge_kernel_gaussian(1, &gaussian));
  OK(freeridge_kernel_scaled(gaussian, 2, ones, &scaled));
  OK(freeridge_create(scaled, &model));
  REFUSED(INVALID_STATE, freeridge_select_kernel(model, FREERIDGE_LOO, NULL, 0, 0, 1, 0, &score));
  OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, ROWS, 2, x, ROWS, 1, y, ROWS));
  REFUSED(INVALID_STATE, freeridge_get_kernel_search(model, &search));
  CHECK(search.evaluations == -1 && search.lambda_at == 9);
  OK(freeridge_factorize(model));
  OK(freeridge_select_lambda(model, FREERIDGE_LOO, 0, 0, &lambda, &best));
  OK(freeridge_select_kernel(model, FREERIDGE_LOO, NULL, 0, 0, 1, 0, &score));
  CHECK(score > 0 && score < best);
  OK(freeridge_get_kernel_search(model, &search));
  CHECK(search.evaluations > 5 && search.evaluations <= EVALUATIONS);
  CHECK(search.hyperparameters == 3 && search.learnt == 2 && search.rows == ROWS && search.sample == ROWS);
  CHECK(search.kept == 0 && search.lambda_at >= -1 && search.lambda_at <= 1);
  search.ended = end, search.stage = stage, search.score = tried, search.lambda = lambdas, search.gradient = gradient;
  search.row = row, search.variable = variable, search.low = low, search.high = high, search.at = at;
  OK(freeridge_get_kernel_search(model, &search));
  CHECK(end[4] != FREERIDGE_SEARCH_NONE);
  for (i = 0; i < search.evaluations; ++i) CHECK(stage[i] >= 1 && stage[i] <= 5 && lambdas[i] > 0);
  for (i = 0; i < ROWS; ++i) CHECK(row[i] == i);
  search.size = 0;
  REFUSED(INVALID_ARGUMENT, freeridge_get_kernel_search(model, &search));
  search.size = sizeof search + 1;
  REFUSED(INVALID_ARGUMENT, freeridge_get_kernel_search(model, &search));
  search.size = sizeof search;
  REFUSED(INVALID_ARGUMENT, freeridge_get_kernel_search(model, NULL));
  OK(freeridge_get_kernel(model, &learnt));
  OK(freeridge_kernel_get_hyperparameters(learnt, NULL, values));
  for (i = 0; i < 3; ++i) CHECK(values[i] >= low[i] * (1 - 1e-12) && values[i] <= high[i] * (1 + 1e-12));
  CHECK(variable[0] == 0 && variable[1] == 1 && variable[2] == -1 && values[2] == 1);
  CHECK(values[1] > 1.5 * values[0]);
  OK(freeridge_loo_learnt(model, 3, 1, gradient, ROWS, change, &freedom));
  CHECK(freedom != freedom); /* not known: the kernel was not chosen by REML */
  CHECK(change[0] >= 0 && change[ROWS - 1] >= 0);
  OK(freeridge_loo_learnt(model, 3, 1, lambdas, ROWS, NULL, NULL));
  for (i = 0; i < ROWS; ++i) CHECK(lambdas[i] == gradient[i]);
  REFUSED(INVALID_ARGUMENT, freeridge_loo_learnt(model, 1, 1, gradient, ROWS, NULL, NULL));
  OK(freeridge_select_kernel(model, FREERIDGE_LOO, NULL, 0, ROWS / 2, 1, 0, &score));
  OK(freeridge_get_kernel_search(model, &search));
  CHECK(search.rows == ROWS / 2);
  for (i = 1; i < ROWS / 2; ++i) CHECK(row[i] > row[i - 1] && row[i] < ROWS);
  freeridge_kernel_destroy(gaussian);
  freeridge_kernel_destroy(scaled);
  freeridge_kernel_destroy(learnt);
  freeridge_destroy(model);
}

static void folds_and_conventions(void) {
  int64_t layers = -1;
  int32_t group[10], gap[10], holdout[10], members[3] = {0, 0, 0};
  double there = -1, back = -1;
  int i, out = 0;
  OK(freeridge_make_folds(10, 3, 1, group));
  for (i = 0; i < 10; ++i) {
    CHECK(group[i] >= 0 && group[i] < 3);
    if (group[i] >= 0 && group[i] < 3) ++members[group[i]];
  }
  for (i = 0; i < 3; ++i) CHECK(members[i] == 3 || members[i] == 4);
  OK(freeridge_make_holdout(10, 0.3, 1, holdout));
  for (i = 0; i < 10; ++i) {
    CHECK(holdout[i] == 0 || holdout[i] == -1);
    out += holdout[i] == 0;
  }
  CHECK(out == 3);
  OK(freeridge_make_blocks(10, 3, 0, 2, &layers, group, gap));
  CHECK(layers == 1);
  for (i = 0; i < 10; ++i) {
    CHECK(group[i] == (i < 4 ? 0 : i < 7 ? 1 : 2));
    CHECK(gap[i] == (i == 4 || i == 5 ? 0 : i >= 7 && i < 9 ? 1 : -1));
  }
  OK(freeridge_convert_lambda(FREERIDGE_CONVENTION_TOTAL, FREERIDGE_CONVENTION_GLMNET, 50, 2.0, 5.0, &there));
  NEAR(there, 5.0 * 2.0 / 50);
  OK(freeridge_convert_lambda(FREERIDGE_CONVENTION_GLMNET, FREERIDGE_CONVENTION_TOTAL, 50, 2.0, there, &back));
  NEAR(back, 5.0);
}

/* One number for all outputs, and its derivatives: by differences of the scores of two models. */
static void gradients(void) {
  static const freeridge_criterion criteria[] = {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS};
  const double lambda = 0.5, step = 1e-4;
  freeridge_model *model = data_model(0), *linear = data_model(1);
  freeridge_kernel *kernel = NULL, *moved = NULL;
  double score, by_lambda, by_sigma, low, high, rest, value, sigma, none = -7;
  int64_t count = -1;
  int i, side;
  OK(freeridge_set_groups(model, 1, sample_group(), 0, NULL));
  OK(freeridge_get_kernel(model, &kernel));
  OK(freeridge_kernel_get_hyperparameters(kernel, &count, NULL));
  CHECK(count == 1);
  OK(freeridge_kernel_get_hyperparameters(kernel, NULL, &value));
  for (i = 0; i < 4; ++i) {
    OK(freeridge_score_gradient(model, criteria[i], lambda, &score, &by_lambda, &by_sigma));
    OK(freeridge_score_gradient(model, criteria[i], lambda * exp(-step), &low, &rest, &none));
    OK(freeridge_score_gradient(model, criteria[i], lambda * exp(step), &high, &rest, &none));
    CHECK(fabs((high - low) / (2 * step) - by_lambda) <= 1e-6 * (fabs(by_lambda) + fabs(score)));
    for (side = -1; side <= 1; side += 2) {
      freeridge_model* other = NULL;
      sigma = value * exp(side * step);
      OK(freeridge_kernel_with_hyperparameters(kernel, &sigma, &moved));
      OK(freeridge_clone(model, &other));
      OK(freeridge_set_kernel(other, moved));
      OK(freeridge_score_gradient(other, criteria[i], lambda, side < 0 ? &low : &high, &rest, &none));
      freeridge_destroy(other);
      freeridge_kernel_destroy(moved);
      moved = NULL;
    }
    CHECK(fabs((high - low) / (2 * step) - by_sigma) <= 1e-6 * (fabs(by_sigma) + fabs(score)));
  }
  OK(freeridge_score_gradient(linear, FREERIDGE_LOO, lambda, &score, &by_lambda, NULL));

  score = by_lambda = by_sigma = -7;
  REFUSED(INVALID_STATE, freeridge_score_gradient(linear, FREERIDGE_GROUPS, 1, &score, &by_lambda, NULL));
  CHECK(score == -7 && by_lambda == -7 && by_sigma == -7);
  freeridge_kernel_destroy(kernel);
  freeridge_destroy(model);
  freeridge_destroy(linear);
}

/* Two models, of the first five rows and of the others: each is a model of its rows alone. */
static void batch(void) {
  freeridge_kernel* kernel = NULL;
  freeridge_model *settings = NULL, *alone = NULL;
  const int64_t start[4] = {0, 5, 5, N};
  double w[D * 3 * T], b[T * 3], lambda[T * 3], score[T * 3], df[T * 3], sigma2[T * 3], c[N * T], errors[N * T];
  double own_w[D * T], own_b[T], own_errors[N * T], own_df[T], own_sigma2[T], own_c[N * T];
  int32_t status[3] = {-1, -1, -1};
  freeridge_batch_answers answers = {.size = sizeof answers, .w = w, .b = b, .lambda = lambda, .score = score};
  int g, i, j;
  answers.df = df, answers.sigma2 = sigma2, answers.c = c, answers.errors = errors, answers.status = status;
  OK(freeridge_kernel_linear(&kernel));
  OK(freeridge_create(kernel, &settings));
  REFUSED(UNDEFINED, freeridge_batch(settings, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), FREERIDGE_COL_MAJOR, T,
                                     sample_y(), N, NULL, 3, start, FREERIDGE_LOO, 1e-2, 1e2, &answers));
  CHECK(status[0] == FREERIDGE_OK && status[1] == FREERIDGE_UNDEFINED && status[2] == FREERIDGE_OK);
  for (j = 0; j < T; ++j) CHECK(isnan(b[T + j]) && isnan(lambda[T + j]) && isnan(w[D * T + D * j]));
  for (g = 0; g < 3; g += 2) {
    const int64_t n = start[g + 1] - start[g];
    OK(freeridge_create(kernel, &alone));
    OK(freeridge_set_data(alone, FREERIDGE_COL_MAJOR, n, D, sample_x() + start[g], N, T, sample_y() + start[g], N));
    OK(freeridge_factorize(alone));
    OK(freeridge_set_lambdas(alone, lambda + g * T));
    OK(freeridge_hyperplane(alone, 0, NULL, own_w, D, own_b));
    OK(freeridge_coefficients(alone, 0, NULL, own_c, n, NULL));
    OK(freeridge_degrees_of_freedom(alone, own_df, own_sigma2));
    OK(freeridge_loo(alone, own_errors, n));
    for (j = 0; j < T; ++j) {
      double mean = 0;
      for (i = 0; i < D; ++i) NEAR(w[D * (g * T + j) + i], own_w[D * j + i]);
      for (i = 0; i < n; ++i) {
        NEAR(errors[start[g] + i + N * j], own_errors[i + n * j]);
        NEAR(c[start[g] + i + N * j], own_c[i + n * j]);
        mean += own_errors[i + n * j] * own_errors[i + n * j] / (double)n;
      }
      NEAR(score[g * T + j], mean);
      NEAR(b[g * T + j], own_b[j]);
      NEAR(df[g * T + j], own_df[j]);
      NEAR(sigma2[g * T + j], own_sigma2[j]);
    }
    freeridge_destroy(alone);
    alone = NULL;
  }
  answers = (freeridge_batch_answers){.size = sizeof answers}; /* nothing is asked for */
  OK(freeridge_batch(settings, DENSE(FREERIDGE_COL_MAJOR, N, D, sample_x()), FREERIDGE_COL_MAJOR, T, sample_y(), N,
                     NULL, 1, (const int64_t[]){0, N}, FREERIDGE_REML, 0, 0, &answers));
  freeridge_destroy(settings);
  freeridge_kernel_destroy(kernel);
}

int main(void) {
  size_t r;
  for (r = 0; r < sizeof every_route / sizeof *every_route; ++r) scores_are_means(every_route[r]);
  searches();
  bandwidths();
  learning();
  batch();
  folds_and_conventions();
  gradients();
  return report();
}
