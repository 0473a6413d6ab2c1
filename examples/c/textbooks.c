/*
 * From the textbooks: the examples of courses on least squares, ridge and kernels, on small data that formulas give, as
 * lines "name value". The vignette "From the textbooks" has the same numbers from R (rpkg/vignettes/textbooks.Rmd); the
 * table of all items is docs/textbooks.md.
 *
 *     cc textbooks.c -o textbooks -lfreeridge -lm
 */
#include <math.h>

#include "csv.h" /* CHECK */

enum {
  LINE = 10,
  CURVE = 24,
  DEGREE = 8,
  PATH = 8,
  SPLITS = 3,
  PLANE = 12,
  WIDE = 4,
  FEATURES = 7,
  LABELS = 8,
  NOISE = 16,
  COLUMNS = 50
};

static void say(const char* name, double value) {
  printf("%s %.17g\n", name, value);
}

/* name.1, name.2, ... */
static void say_all(const char* name, int count, const double* values) {
  for (int i = 0; i < count; ++i) printf("%s.%d %.17g\n", name, i + 1, values[i]);
}

static double mean_square(int count, const double* values) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * values[i];
  return sum / count;
}

/* A factorized model of n points and one output; matrices are column by column here. */
static freeridge_model* factorized(freeridge_kernel* kernel, int64_t n, int64_t d, const double* x, const double* y,
                                   int32_t intercept) {
  freeridge_model* model = NULL;
  CHECK(freeridge_create(kernel, &model));
  freeridge_kernel_destroy(kernel);
  CHECK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, n, d, x, n, 1, y, n));
  CHECK(freeridge_set_parameter(model, FREERIDGE_INTERCEPT, intercept));
  CHECK(freeridge_factorize(model));
  return model;
}

static freeridge_kernel* linear(void) {
  freeridge_kernel* kernel = NULL;
  CHECK(freeridge_kernel_linear(&kernel));
  return kernel;
}

/* The data: points on a curve, and points in the plane. */
static void curve(double* x, double* y) {
  for (int i = 0; i < CURVE; ++i) {
    x[i] = -1.5 + 3.0 * i / (CURVE - 1);
    y[i] = 1 - x[i] + 0.5 * pow(x[i], 2) + 0.5 * pow(x[i], 3) - pow(x[i], 4) + 0.3 * sin(11.0 * i);
  }
}

static void plane(double* x, double* y) {
  for (int i = 0; i < PLANE; ++i) {
    const double a = x[i] = sin(i + 1.0), b = x[i + PLANE] = cos(2.0 * i);
    y[i] = a * a - a * b + 0.5 * b + 0.1 * sin(5.0 * i);
  }
}

/* Ordinary and total least squares: a line by vertical and by orthogonal distances. */
static void say_line(const char* method, const double* x, const double* y, double slope, double intercept,
                     double orthogonal) {
  double vertical = 0;
  for (int i = 0; i < LINE; ++i) vertical += pow(y[i] - slope * x[i] - intercept, 2);
  if (isnan(orthogonal)) orthogonal = vertical / (1 + slope * slope);
  printf("%s.slope %.17g\n%s.intercept %.17g\n", method, slope, method, intercept);
  printf("%s.vertical %.17g\n%s.orthogonal %.17g\n", method, vertical, method, orthogonal);
}

static void lines(void) {
  double x[LINE], y[LINE], w, b, smallest, distances[LINE];
  for (int i = 0; i < LINE; ++i) {
    x[i] = i + 1.5 * sin(2.0 * i);
    y[i] = 1 + 0.8 * i + 1.5 * cos(3.0 * i);
  }
  freeridge_ols_answers ordinary = {.size = sizeof ordinary, .w = &w, .b = &b};
  CHECK(freeridge_ols(FREERIDGE_COL_MAJOR, LINE, 1, x, LINE, 1, y, LINE, 1, &ordinary));
  say_line("ols", x, y, w, b, NAN);
  freeridge_tls_answers total = {.size = sizeof total, .w = &w, .b = &b};
  total.singular_values = &smallest, total.distances = distances;
  CHECK(freeridge_tls(FREERIDGE_COL_MAJOR, LINE, 1, x, LINE, 1, y, LINE, 1, NULL, &total));
  say_line("tls", x, y, w, b, LINE * mean_square(LINE, distances));
  say("tls.singular", smallest); /* its square is the sum of the squared distances */
}

/* Feature augmentation: a quartic by ridge regression on 1, x, ..., x^4. */
static void quartic(void) {
  double x[CURVE], y[CURVE], phi[CURVE * 5], w[5], b;
  curve(x, y);
  CHECK(freeridge_polynomial_features(FREERIDGE_COL_MAJOR, CURVE, 1, x, CURVE, 4, 1, phi, CURVE));
  CHECK(freeridge_ridge(FREERIDGE_COL_MAJOR, CURVE, 5, phi, CURVE, 1, y, CURVE, 0, 0.01, NULL, w, &b));
  say_all("quartic", 5, w);
}

/* The kernel trick: all monomials of degree 2 with their factors have the kernel (x'z + 1)^2 as inner products. */
static void kernel_trick(void) {
  double x[PLANE * 2], y[PLANE], phi[PLANE * 6], factors[6], w[6], b, at[2] = {0.5, -0.25}, phi_at[6], value = 0, k[4];
  int64_t terms;
  plane(x, y);
  CHECK(freeridge_polynomial_exponents(5, 5, 1, &terms, NULL));
  say("trick.terms", (double)terms);
  CHECK(freeridge_polynomial_feature_factors(2, 2, 1.0, 1.0, factors));
  say_all("trick.factor", 6, factors);
  CHECK(freeridge_polynomial_features(FREERIDGE_COL_MAJOR, PLANE, 2, x, PLANE, 2, 1, phi, PLANE));
  CHECK(freeridge_polynomial_features(FREERIDGE_COL_MAJOR, 1, 2, at, 1, 2, 1, phi_at, 1));
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < PLANE; ++i) phi[i + j * PLANE] *= factors[j];
    value += phi[j * PLANE] * phi[1 + j * PLANE];
  }
  say("trick.gram.features", value);

  freeridge_kernel* kernel = NULL;
  CHECK(freeridge_kernel_polynomial(2, 1.0, 1.0, &kernel));
  const freeridge_points points = {
      .size = sizeof points, .n = 2, .d = 2, .layout = FREERIDGE_COL_MAJOR, .x = x, .ldx = PLANE};
  CHECK(freeridge_kernel_evaluate(kernel, &points, &points, FREERIDGE_COL_MAJOR, k, 2));
  say("trick.gram.kernel", k[2]); /* of points 1 and 2 */

  CHECK(freeridge_ridge(FREERIDGE_COL_MAJOR, PLANE, 6, phi, PLANE, 1, y, PLANE, 0, 0.1, NULL, w, &b));
  value = 0;
  for (int j = 0; j < 6; ++j) value += w[j] * factors[j] * phi_at[j];
  say("trick.f.features", value);
  freeridge_model* model = factorized(kernel, PLANE, 2, x, y, 0);
  CHECK(freeridge_set_lambda(model, 0.1));
  CHECK(freeridge_predict(model, FREERIDGE_COL_MAJOR, 1, at, 1, &value, 1));
  say("trick.f.kernel", value);
  freeridge_destroy(model);
}

/* One factorization: training and left-out errors at many lambdas, a development set, k-fold of both kinds. */
static void validation(void) {
  double x[CURVE], y[CURVE], powers[CURVE * DEGREE], lambdas[PATH], scores[PATH], errors[CURVE];
  int32_t group[CURVE * SPLITS];
  curve(x, y);
  CHECK(freeridge_polynomial_features(FREERIDGE_COL_MAJOR, CURVE, 1, x, CURVE, DEGREE, 0, powers, CURVE));
  for (int l = 0; l < PATH; ++l) lambdas[l] = pow(10.0, l - 6);
  freeridge_model* model = factorized(linear(), CURVE, DEGREE, powers, y, 1);
  CHECK(freeridge_objective(model, PATH, lambdas, scores, NULL, NULL, PATH));
  say_all("path.training", PATH, scores);
  CHECK(freeridge_score(model, FREERIDGE_LOO, PATH, lambdas, scores, NULL, PATH));
  say_all("path.left_out", PATH, scores);

  for (int i = 0; i < CURVE; ++i) group[i] = i % 3 == 1 ? 0 : -1; /* rows that are held out together */
  CHECK(freeridge_set_groups(model, 1, group, 0, NULL));
  CHECK(freeridge_score(model, FREERIDGE_GROUPS, PATH, lambdas, scores, NULL, PATH));
  say_all("development", PATH, scores);

  CHECK(freeridge_set_lambda(model, lambdas[4]));
  for (int i = 0; i < CURVE; ++i) group[i] = i % 4; /* each row once */
  CHECK(freeridge_group_errors(model, group, 0, NULL, errors, CURVE));
  say("folds", mean_square(CURVE, errors));
  for (int split = 0; split < SPLITS; ++split) /* again and again */
    for (int i = 0; i < CURVE; ++i) group[i + split * CURVE] = (5 * i + 7 * split) % CURVE < 8 ? 0 : -1;
  CHECK(freeridge_set_groups(model, SPLITS, group, 0, NULL));
  CHECK(freeridge_score(model, FREERIDGE_GROUPS, 1, lambdas + 4, scores, NULL, 1));
  say("splits", scores[0]);
  freeridge_destroy(model);
}

/* The third column is the sum of the others: the minimum-norm solution by OLS, by the pseudo-inverse, as lambda -> 0. */
static void rank_deficient(void) {
  enum { N = 6 };
  double x[N * 3], y[N], w[3], b, inverse[3 * N];
  freeridge_ols_answers answers = {.size = sizeof answers, .w = w, .b = &b};
  for (int i = 0; i < N; ++i) {
    x[i] = i + 1;
    x[i + N] = (i - 2) * (i - 2);
    x[i + 2 * N] = x[i] + x[i + N];
    y[i] = 2 + sin(i);
  }
  CHECK(freeridge_ols(FREERIDGE_COL_MAJOR, N, 3, x, N, 1, y, N, 0, &answers));
  say("rank", (double)answers.rank);
  say_all("rank.ols", 3, w);
  CHECK(freeridge_pinv(FREERIDGE_COL_MAJOR, N, 3, x, N, -1.0, inverse, 3, NULL));
  for (int j = 0; j < 3; ++j) {
    w[j] = 0;
    for (int i = 0; i < N; ++i) w[j] += inverse[j + 3 * i] * y[i];
  }
  say_all("rank.pinv", 3, w);
  freeridge_model* model = factorized(linear(), N, 3, x, y, 0);
  CHECK(freeridge_set_lambda(model, 0.0));
  CHECK(freeridge_hyperplane(model, 0, NULL, w, 3, NULL));
  say_all("rank.limit", 3, w);
  freeridge_destroy(model);
}

/* The coefficient of a column e_i that is not penalised is the left-out error of point i. */
static void augmented(void) {
  double x[PLANE * 3] = {0}, y[PLANE], w[3], b, errors[PLANE];
  const double penalty[3] = {1, 1, 0};
  plane(x, y);
  x[2 * PLANE + 4] = 1; /* point 5 */
  CHECK(freeridge_ridge(FREERIDGE_COL_MAJOR, PLANE, 3, x, PLANE, 1, y, PLANE, 0, 0.1, penalty, w, &b));
  say("augmented.coefficient", w[2]);
  freeridge_model* model = factorized(linear(), PLANE, 2, x, y, 0);
  CHECK(freeridge_set_lambda(model, 0.1));
  CHECK(freeridge_loo(model, errors, PLANE));
  say("augmented.left_out", errors[4]);
  freeridge_destroy(model);
}

/* More features than points: w = X'(XX' + lambda I)^-1 y = X'c. */
static void wide(void) {
  double x[WIDE * FEATURES], y[WIDE], w[FEATURES], c[WIDE];
  for (int i = 0; i < WIDE; ++i) {
    y[i] = i - 1.5;
    for (int j = 0; j < FEATURES; ++j) x[i + j * WIDE] = sin((i + 1.0) * (j + 1.0));
  }
  freeridge_model* model = factorized(linear(), WIDE, FEATURES, x, y, 0);
  CHECK(freeridge_set_lambda(model, 0.5));
  CHECK(freeridge_hyperplane(model, 0, NULL, w, FEATURES, NULL));
  CHECK(freeridge_coefficients(model, 0, NULL, c, WIDE, NULL));
  say_all("wide.w", FEATURES, w);
  say_all("wide.c", WIDE, c);
  freeridge_destroy(model);
}

/* Subset of regressors: (K_RT K_TR + lambda K_RR) c = K_RT y, with its left-out errors. */
static void subset_of_regressors(void) {
  double x[CURVE], y[CURVE], c[CURVE], errors[CURVE];
  const int64_t rows[4] = {0, 6, 12, 18};
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  curve(x, y);
  CHECK(freeridge_kernel_gaussian(1.0, &kernel));
  CHECK(freeridge_create(kernel, &model));
  CHECK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, CURVE, 1, x, CURVE, 1, y, CURVE));
  CHECK(freeridge_set_parameter(model, FREERIDGE_INTERCEPT, 0));
  CHECK(freeridge_set_landmarks(model, 4, rows));
  CHECK(freeridge_factorize(model));
  CHECK(freeridge_set_lambda(model, 0.1));
  CHECK(freeridge_coefficients(model, 0, NULL, c, CURVE, NULL));
  for (int r = 0; r < 4; ++r) c[r] = c[rows[r]];
  say_all("landmarks.c", 4, c);
  CHECK(freeridge_loo(model, errors, CURVE));
  say("landmarks.left_out", mean_square(CURVE, errors));
  freeridge_destroy(model);
  freeridge_kernel_destroy(kernel);
}

/* An offset that is not penalised, by centring; and one that is penalised, as a column of ones would be. */
static void offset(void) {
  double x[PLANE * 2], y[PLANE], w[2], b;
  plane(x, y);
  for (int i = 0; i < PLANE; ++i) y[i] += 10;
  CHECK(freeridge_ridge(FREERIDGE_COL_MAJOR, PLANE, 2, x, PLANE, 1, y, PLANE, 1, 1.0, NULL, w, &b));
  say_all("offset.w", 2, w);
  say("offset.b", b);
  freeridge_model* model = factorized(linear(), PLANE, 2, x, y, FREERIDGE_INTERCEPT_PENALISED);
  CHECK(freeridge_set_lambda(model, 1.0));
  CHECK(freeridge_hyperplane(model, 0, NULL, w, 2, &b));
  say_all("penalised.w", 2, w);
  say("penalised.b", b);
  freeridge_destroy(model);
}

/* A linear classifier of points in the plane; what it says of itself begins with `name`. The labels of the hard margin,
 * lambda = 0, can be separated. */
static freeridge_classifier* classify(const char* name, freeridge_loss loss, double lambda) {
  double x[LABELS * 2], y[LABELS], w[2] = {0, 0}, c[LABELS], b, objective;
  char text[32];
  for (int i = 0; i < LABELS; ++i) {
    x[i] = sin(i + 1.0);
    x[i + LABELS] = cos(2.0 * i);
    y[i] = x[i] + (lambda > 0 ? 0.6 * sin(9.0 * i) : 0.2 * x[i + LABELS]) > 0 ? 1 : -1;
  }
  freeridge_kernel* kernel = linear();
  const freeridge_points points = {.size = sizeof points, .n = LABELS, .d = 2, .layout = FREERIDGE_COL_MAJOR, .x = x};
  freeridge_classifier* classifier = NULL;
  CHECK(freeridge_classifier_create(kernel, loss, &classifier));
  freeridge_kernel_destroy(kernel);
  CHECK(freeridge_classifier_set_data(classifier, &points, y));
  CHECK(freeridge_classifier_set_parameter(classifier, FREERIDGE_TOLERANCE, 1e-12));
  CHECK(freeridge_classifier_set_parameter(classifier, FREERIDGE_ITERATIONS, 100000));
  CHECK(freeridge_classifier_fit(classifier, lambda));
  CHECK(freeridge_classifier_get_coefficients(classifier, c, &b));
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < LABELS; ++i) w[j] += x[i + j * LABELS] * c[i];
  CHECK(freeridge_classifier_get_convergence(classifier, &objective, NULL, NULL, NULL, NULL));
  snprintf(text, sizeof text, "%s.w", name);
  say_all(text, 2, w);
  printf("%s.b %.17g\n%s.objective %.17g\n", name, b, name, objective);
  return classifier;
}

/* Logistic and hinge loss, and the hard margin. */
static void classes(void) {
  const double at[2] = {0.5, -0.25};
  const freeridge_points point = {.size = sizeof point, .n = 1, .d = 2, .layout = FREERIDGE_COL_MAJOR, .x = at};
  double p, numbers[LABELS], slack[LABELS], alpha[LABELS], street;
  int64_t support;
  freeridge_classifier* classifier = classify("logistic", FREERIDGE_LOSS_LOGISTIC, 0.5);
  CHECK(freeridge_classifier_predict(classifier, &point, NULL, &p));
  say("logistic.p", p);
  freeridge_classifier_destroy(classifier);

  classifier = classify("hinge", FREERIDGE_LOSS_HINGE, 0.5);
  CHECK(freeridge_classifier_get_margins(classifier, numbers, slack, alpha, NULL));
  say_all("hinge.margin", LABELS, numbers);
  say_all("hinge.slack", LABELS, slack);
  say_all("hinge.alpha", LABELS, alpha);
  CHECK(freeridge_classifier_get_support(classifier, &support, NULL, &street));
  say("hinge.support", (double)support);
  say("hinge.street", street);
  CHECK(freeridge_classifier_distances(classifier, &point, &p));
  say("hinge.distance", p);
  freeridge_classifier_destroy(classifier);

  classifier = classify("hard", FREERIDGE_LOSS_HINGE, 0.0);
  CHECK(freeridge_classifier_get_support(classifier, &support, NULL, &street));
  say("hard.support", (double)support);
  say("hard.street", street);
  freeridge_classifier_destroy(classifier);
}

/* The three columns of x that correlate most with y over all rows but `out` (-1: all), best first. */
static void pick(const double* x, const double* y, int out, int* picked) {
  double best[COLUMNS];
  const int n = out < 0 ? NOISE : NOISE - 1;
  for (int j = 0; j < COLUMNS; ++j) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < NOISE; ++i)
      if (i != out) {
        const double z = x[i + j * NOISE];
        sx += z, sy += y[i], sxx += z * z, sxy += z * y[i];
      }
    best[j] = fabs(sxy - sx * sy / n) / sqrt(sxx - sx * sx / n);
  }
  for (int k = 0; k < 3; ++k) {
    picked[k] = 0;
    for (int j = 1; j < COLUMNS; ++j)
      if (best[j] > best[picked[k]]) picked[k] = j;
    best[picked[k]] = -1;
  }
}

/* The left-out errors of ridge regression on the columns picked, lambda = 0.1. */
static void left_out(const double* x, const double* y, const int* picked, double* errors) {
  double some[NOISE * 3];
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < NOISE; ++i) some[i + k * NOISE] = x[i + picked[k] * NOISE];
  freeridge_model* model = factorized(linear(), NOISE, 3, some, y, 1);
  CHECK(freeridge_set_lambda(model, 0.1));
  CHECK(freeridge_loo(model, errors, NOISE));
  freeridge_destroy(model);
}

/* Columns of noise: left-out errors are honest only where the point left out has no part in the choice of columns. */
static void selection(void) {
  double x[NOISE * COLUMNS], y[NOISE], errors[NOISE], honest[NOISE], spread[NOISE], mean = 0;
  int picked[3];
  for (int i = 0; i < NOISE; ++i) {
    y[i] = cos(5.0 * (i + 1) * (i + 1));
    mean += y[i] / NOISE;
    for (int j = 0; j < COLUMNS; ++j) x[i + j * NOISE] = sin((i + 1.0) * (j + 2.0) * (i + j + 3.0));
  }
  pick(x, y, -1, picked);
  for (int k = 0; k < 3; ++k) spread[k] = picked[k] + 1;
  say_all("selection.picked", 3, spread);
  left_out(x, y, picked, errors);
  say("selection.all_rows", mean_square(NOISE, errors));
  for (int i = 0; i < NOISE; ++i) {
    pick(x, y, i, picked);
    left_out(x, y, picked, errors);
    honest[i] = errors[i];
    spread[i] = y[i] - mean;
  }
  say("selection.without_point", mean_square(NOISE, honest));
  say("selection.variance", mean_square(NOISE, spread));
}

int main(void) {
  lines();
  quartic();
  kernel_trick();
  validation();
  rank_deficient();
  augmented();
  wide();
  subset_of_regressors();
  offset();
  classes();
  selection();
  return EXIT_SUCCESS;
}
