/* Streaming: rows in chunks are the rows at once; merged, saved and loaded. */
#include "checks.h"

enum { COUNT = 3, ROOM = 4096 };

static const double lambdas[COUNT] = {0, 0.5, 4};

static freeridge_accumulator* empty(void) {
  freeridge_accumulator* out = NULL;
  OK(freeridge_accumulator_create(D, T, 1, &out));
  return out;
}

/* Of the sample. */
#define ROWS(FIRST, MANY) POINTS(.n = MANY, .d = D, .layout = FREERIDGE_COL_MAJOR, .x = sample_x() + (FIRST), .ldx = N)

static void add_rows(freeridge_accumulator* to, int first, int rows) {
  OK(freeridge_accumulator_add(to, ROWS(first, rows), FREERIDGE_COL_MAJOR, sample_y() + first, N, NULL));
}

/* The sums over rows that are taken for new ones: in two chunks, and of the solutions. */
static void development_rows(const freeridge_accumulator* rows) {
  double w[D * T * COUNT], b[T * COUNT], squares[COUNT * T], more[COUNT * T], sum_w = -1, sum_more = -1;
  int l, i, j;
  OK(freeridge_accumulator_solve(rows, COUNT, lambdas, w, D, b));
  OK(freeridge_accumulator_squared_errors(rows, ROWS(0, 2), FREERIDGE_COL_MAJOR, sample_y(), N, NULL, COUNT, lambdas,
                                          &sum_w, squares, COUNT));
  OK(freeridge_accumulator_squared_errors(rows, ROWS(2, N - 2), FREERIDGE_COL_MAJOR, sample_y() + 2, N, NULL, COUNT,
                                          lambdas, &sum_more, more, COUNT));
  CHECK(sum_w == 2 && sum_more == N - 2);
  for (l = 0; l < COUNT; ++l)
    for (j = 0; j < T; ++j) {
      double expected = 0;
      for (i = 0; i < N; ++i) {
        const double* const plane = w + (l * T + j) * D;
        double error = sample_y()[i + j * N] - b[j + l * T];
        int k;
        for (k = 0; k < D; ++k) error -= plane[k] * sample_x()[i + k * N];
        expected += error * error;
      }
      NEAR(squares[l + j * COUNT] + more[l + j * COUNT], expected);
    }
}

/* The answers are those of a model with the route PRIMAL. */
static void as_a_model(const freeridge_accumulator* rows) {
  double w[D * T * COUNT], b[T * COUNT], scores[COUNT * T], errors[N * T * COUNT], grid[COUNT], sum_w = -1;
  double expected_w[D * T], expected_b[T], expected_loo[N * T], expected_scores[COUNT * T];
  freeridge_model* model = factorized_model(FREERIDGE_ROUTE_PRIMAL);
  int64_t n = -1, d = -1, t = -1;
  int l, i, j;
  OK(freeridge_accumulator_get_dimensions(rows, &n, &d, &t, &sum_w));
  CHECK(n == N && d == D && t == T && sum_w == N);
  OK(freeridge_accumulator_get_dimensions(rows, NULL, NULL, NULL, NULL));
  OK(freeridge_accumulator_solve(rows, COUNT, lambdas, w, D, b));
  OK(freeridge_accumulator_score(rows, FREERIDGE_GCV, COUNT, lambdas, scores, COUNT));
  OK(freeridge_score(model, FREERIDGE_GCV, COUNT, lambdas, expected_scores, NULL, COUNT));
  OK(freeridge_accumulator_errors(rows, ROWS(0, N), FREERIDGE_COL_MAJOR, sample_y(), N, NULL, NULL, COUNT, lambdas,
                                  errors, N));
  OK(freeridge_accumulator_lambda_grid(rows, COUNT, grid));
  for (l = 1; l < COUNT; ++l) CHECK(grid[l - 1] > 0 && grid[l - 1] < grid[l]);
  for (i = 0; i < COUNT * T; ++i) NEAR(scores[i], expected_scores[i]);
  for (l = 0; l < COUNT; ++l) {
    OK(freeridge_set_lambda(model, lambdas[l]));
    OK(freeridge_hyperplane(model, 0, NULL, expected_w, D, expected_b));
    OK(freeridge_loo(model, expected_loo, N));
    for (j = 0; j < T; ++j) {
      NEAR(b[j + l * T], expected_b[j]);
      for (i = 0; i < D; ++i) NEAR(w[i + (l * T + j) * D], expected_w[i + j * D]);
      for (i = 0; i < N; ++i) NEAR(errors[i + (l * T + j) * N], expected_loo[i + j * N]);
    }
  }
  development_rows(rows);
  freeridge_destroy(model);
}

static void chunks(void) {
  freeridge_accumulator *at_once = empty(), *one_by_one = empty(), *first = empty(), *second = empty(), *loaded = NULL;
  unsigned char bytes[ROOM];
  int64_t length = -1;
  int i;
  add_rows(at_once, 0, N);
  for (i = 0; i < N; ++i) add_rows(one_by_one, i, 1);
  add_rows(first, 0, 3);
  add_rows(second, 3, N - 3);
  OK(freeridge_accumulator_merge(first, second));
  as_a_model(at_once);
  as_a_model(one_by_one);
  as_a_model(first);
  OK(freeridge_accumulator_save_to_memory(at_once, 0, NULL, &length));
  CHECK(length > 0 && length <= ROOM);
  OK(freeridge_accumulator_save_to_memory(at_once, ROOM, bytes, &length));
  OK(freeridge_accumulator_load_from_memory(bytes, length, &loaded));
  as_a_model(loaded);
  freeridge_accumulator_destroy(at_once);
  freeridge_accumulator_destroy(one_by_one);
  freeridge_accumulator_destroy(first);
  freeridge_accumulator_destroy(second);
  freeridge_accumulator_destroy(loaded);
  freeridge_accumulator_destroy(NULL);
}

/* Two processes, and a third one without rows: their bytes merged, the sum prepared, the moments of each joined, lambda
 * chosen, and a model to predict with. */
static void shards(void) {
  freeridge_accumulator *shard[3], *sum = NULL, *at_once = empty();
  freeridge_model* model = NULL;
  freeridge_search search = {.size = sizeof search};
  static unsigned char merged[ROOM], bytes[ROOM];
  double moments[5 * COUNT * T], more[5 * COUNT * T], scores[COUNT * T], errors[COUNT * T], loo[N * T * COUNT];
  double lambda[T], score[T], next[T], f[N * T], w[D * T * COUNT], b[T * COUNT], positive[COUNT] = {0.25, 0.5, 4};
  int64_t length = -1, other = -1;
  int k, i, j, l;
  for (k = 0; k < 3; ++k) shard[k] = empty();
  add_rows(shard[0], 0, 3);
  add_rows(shard[1], 3, N - 3);
  add_rows(at_once, 0, N);
  OK(freeridge_accumulator_add(shard[2], POINTS(.n = 0, .d = D), FREERIDGE_COL_MAJOR, NULL, 0, NULL));
  for (k = 0; k < 3; ++k) {
    OK(freeridge_accumulator_compact(shard[k]));
    OK(freeridge_accumulator_save_to_memory(shard[k], ROOM, k == 0 ? merged : bytes, &other));
    CHECK(k == 0 || other == length);
    length = other;
    if (k > 0) OK(freeridge_accumulator_merge_bytes(bytes, length, merged));
  }
  OK(freeridge_accumulator_load_from_memory(merged, length, &sum));
  OK(freeridge_accumulator_prepare(sum));
  as_a_model(sum);
  OK(freeridge_accumulator_moments(sum, ROWS(0, 3), FREERIDGE_COL_MAJOR, sample_y(), N, NULL, NULL, COUNT, positive,
                                   moments));
  OK(freeridge_accumulator_moments(sum, ROWS(3, N - 3), FREERIDGE_COL_MAJOR, sample_y() + 3, N, NULL, NULL, COUNT,
                                   positive, more));
  OK(freeridge_moments_join(COUNT * T, more, moments));
  OK(freeridge_moments_score(COUNT, positive, T, moments, scores, errors, COUNT));
  OK(freeridge_accumulator_errors(at_once, ROWS(0, N), FREERIDGE_COL_MAJOR, sample_y(), N, NULL, NULL, COUNT, positive,
                                  loo, N));
  for (l = 0; l < COUNT; ++l)
    for (j = 0; j < T; ++j) {
      double expected = 0;
      for (i = 0; i < N; ++i) expected += loo[i + (l * T + j) * N] * loo[i + (l * T + j) * N] / N;
      NEAR(scores[l + j * COUNT], expected);
      CHECK(errors[l + j * COUNT] > 0);
    }
  search.lambda = lambda, search.score = score, search.next = next;
  OK(freeridge_moments_select_lambda(COUNT, positive, T, moments, &search));
  for (j = 0; j < T; ++j)
    for (l = 0; l < COUNT; ++l) CHECK(score[j] <= scores[l + j * COUNT]);
  OK(freeridge_accumulator_predictor(sum, lambda, &model));
  OK(freeridge_predict(model, FREERIDGE_COL_MAJOR, N, sample_x(), N, f, N));
  OK(freeridge_accumulator_solve(at_once, T, lambda, w, D, b));
  for (j = 0; j < T; ++j)
    for (i = 0; i < N; ++i) {
      double expected = b[j + j * T];
      for (k = 0; k < D; ++k) expected += w[k + (j * T + j) * D] * sample_x()[i + k * N];
      NEAR(f[i + j * N], expected);
    }
  REFUSED(CORRUPT, freeridge_accumulator_merge_bytes(bytes, length - 1, merged));
  REFUSED(INVALID_STATE, freeridge_accumulator_prepare(shard[2]));
  REFUSED(INVALID_STATE, freeridge_accumulator_predictor(shard[2], lambda, &model));
  more[1] = -1;
  for (k = 0; k < 3; ++k) freeridge_accumulator_destroy(shard[k]);
  freeridge_accumulator_destroy(sum);
  freeridge_accumulator_destroy(at_once);
  freeridge_destroy(model);
}

/* Landmarks that are all rows: the answers of a model with all of them. */
static void landmarks(void) {
  freeridge_kernel* kernel = NULL;
  freeridge_accumulator* rows = NULL;
  freeridge_model *model = NULL, *predictor = NULL;
  double errors[N * T], expected[N * T], f[N * T], g[N * T], lambda[T] = {0.5, 0.5}, w[N * T], b[T];
  int i;
  OK(freeridge_kernel_gaussian(1.5, &kernel));
  OK(freeridge_accumulator_create_landmarks(kernel, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, 1,
                                            FREERIDGE_REDUCTION_QR, &rows));
  add_rows(rows, 0, N);
  OK(freeridge_accumulator_errors(rows, ROWS(0, N), FREERIDGE_COL_MAJOR, sample_y(), N, NULL, NULL, 1, lambda, errors,
                                  N));
  OK(freeridge_accumulator_predictor(rows, lambda, &predictor));
  OK(freeridge_predict(predictor, FREERIDGE_COL_MAJOR, N, sample_x(), N, f, N));
  OK(freeridge_create(kernel, &model));
  OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N));
  OK(freeridge_factorize(model));
  OK(freeridge_set_lambda(model, lambda[0]));
  OK(freeridge_loo(model, expected, N));
  OK(freeridge_predict(model, FREERIDGE_COL_MAJOR, N, sample_x(), N, g, N));
  for (i = 0; i < N * T; ++i) {
    NEAR(errors[i], expected[i]);
    NEAR(f[i], g[i]);
  }
  REFUSED(INVALID_STATE, freeridge_accumulator_solve(rows, 1, lambda, w, N, b));
  freeridge_kernel_destroy(kernel);
  freeridge_accumulator_destroy(rows);
  freeridge_destroy(predictor);
  freeridge_destroy(model);
}

/* Under a penalty without end the columns that are not penalised are fitted alone. */
static void unpenalised(void) {
  freeridge_accumulator* rows = empty();
  double w[D * T], b[T], lambda = 1e12, plain[T], intercept[T];
  freeridge_ols_answers answers = {.size = sizeof answers, .w = plain, .b = intercept};
  int64_t count = -1;
  int32_t kept = -1;
  int j;
  add_rows(rows, 0, N);
  OK(freeridge_accumulator_set_parameter(rows, FREERIDGE_UNPENALISED, 1));
  OK(freeridge_accumulator_solve(rows, 1, &lambda, w, D, b));
  OK(freeridge_ols(FREERIDGE_COL_MAJOR, N, 1, sample_x(), N, T, sample_y(), N, 1, &answers));
  for (j = 0; j < T; ++j) {
    NEAR(w[j * D], plain[j]);
    NEAR(b[j], intercept[j]);
  }
  OK(freeridge_accumulator_get_unpenalised(rows, &count, &kept));
  CHECK(count == 1 && kept == 1);
  freeridge_accumulator_destroy(rows);
}

/* Groups of one row are left out as rows are; two groups have two terms. */
static void groups(void) {
  freeridge_accumulator* rows = empty();
  double loo[N * T], errors[N * T], moments[5 * T], expected = 0, lambda = 0.5;
  int32_t alone[N], halves[N];
  int i;
  add_rows(rows, 0, N);
  for (i = 0; i < N; ++i) alone[i] = i, halves[i] = i < N / 2 ? 3 : 8;
  OK(freeridge_accumulator_errors(rows, ROWS(0, N), FREERIDGE_COL_MAJOR, sample_y(), N, NULL, NULL, 1, &lambda, loo,
                                  N));
  OK(freeridge_accumulator_errors(rows, ROWS(0, N), FREERIDGE_COL_MAJOR, sample_y(), N, NULL, alone, 1, &lambda, errors,
                                  N));
  for (i = 0; i < N * T; ++i) NEAR(errors[i], loo[i]);
  OK(freeridge_accumulator_errors(rows, ROWS(0, N), FREERIDGE_COL_MAJOR, sample_y(), N, NULL, halves, 1, &lambda,
                                  errors, N));
  OK(freeridge_accumulator_moments(rows, ROWS(0, N), FREERIDGE_COL_MAJOR, sample_y(), N, NULL, halves, 1, &lambda,
                                   moments));
  for (i = 0; i < N; ++i) expected += errors[i] * errors[i] / N;
  NEAR(moments[2], expected);
  CHECK(moments[0] == 2 && moments[1] == N && moments[4] == 0);
  for (i = 0; i < N; ++i) alone[i] = -1;
  REFUSED(INVALID_ARGUMENT, freeridge_accumulator_errors(rows, ROWS(0, N), FREERIDGE_COL_MAJOR, sample_y(), N, NULL,
                                                         alone, 1, &lambda, errors, N));
  freeridge_accumulator_destroy(rows);
}

static int32_t cancel(double fraction, void* user) {
  (void)user;
  return fraction >= 0;
}

static void progress_and_memory(void) {
  freeridge_accumulator* rows = empty();
  double w[D * T], b[T];
  int64_t bytes = -1;
  add_rows(rows, 0, N);
  OK(freeridge_accumulator_memory_required(rows, &bytes));
  CHECK(bytes > 0);
  OK(freeridge_accumulator_set_progress(rows, cancel, NULL));
  REFUSED(CANCELLED, freeridge_accumulator_solve(rows, 1, lambdas, w, D, b));
  OK(freeridge_accumulator_set_progress(rows, NULL, NULL));
  as_a_model(rows);
  freeridge_accumulator_destroy(rows);
}

int main(void) {
  chunks();
  shards();
  landmarks();
  unpenalised();
  groups();
  progress_and_memory();
  return report();
}
