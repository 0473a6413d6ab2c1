/* make DIRECTORY: writes the files of this directory, one of each kind and route. They are made once in each version of
 * the format and never again: tests/saved/format_test.cpp reads those of every version. Build:
 *     cc make.c -o make -lfreeridge */
#include <freeridge.h>
#include <stdio.h>
#include <stdlib.h>

#define VERSION "7"

static const double x[6] = {0, 1, 2, 3, 5, 8}, y[6] = {1, -1, 2, 0, 3, 1};
static const double columns[12] = {0, 1, 2, 3, 5, 8};
static const double lambda = 0.5;
static const double zeros[36] = {0};
static const double apart[4] = {-1, 0, 2, 5}, labels[4] = {-1, -1, 1, 1};
/* x without its first number, which is 0, by rows. */
static const int64_t starts[7] = {0, 0, 1, 2, 3, 4, 5};
static const int32_t places[5] = {0, 0, 0, 0, 0};

static void check(freeridge_status status) {
  if (status == FREERIDGE_OK) return;
  fprintf(stderr, "%s\n", freeridge_last_error());
  exit(1);
}

static void name_file(char* path, size_t size, const char* directory, const char* name) {
  snprintf(path, size, "%s/%s." VERSION ".freeridge", directory, name);
}

/* The model that all share: n of the points above. */
static freeridge_model* model_of(freeridge_kernel* kernel, int64_t n, int32_t intercept, freeridge_route route) {
  freeridge_model* model = NULL;
  check(freeridge_create(kernel, &model));
  check(freeridge_set_data(model, FREERIDGE_COL_MAJOR, n, 1, x, n, 1, y, n));
  check(freeridge_set_parameter(model, FREERIDGE_INTERCEPT, intercept));
  check(freeridge_set_parameter(model, FREERIDGE_ROUTE, route));
  return model;
}

static void fit(freeridge_model* model) {
  check(freeridge_factorize(model));
  check(freeridge_set_lambda(model, lambda));
}

static int save_accumulator(const freeridge_accumulator* accumulator, const char* path) {
  int64_t length = 0;
  void* bytes;
  FILE* file;
  check(freeridge_accumulator_save_to_memory(accumulator, 0, NULL, &length));
  bytes = malloc((size_t)length);
  if (bytes == NULL) return 1;
  check(freeridge_accumulator_save_to_memory(accumulator, length, bytes, &length));
  file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes, 1, (size_t)length, file) != (size_t)length || fclose(file) != 0) return 1;
  free(bytes);
  return 0;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    freeridge_route route;
    freeridge_reduction reduction;
  } routes[] = {{"model_cholesky", FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_REDUCTION_AUTO},
                {"model_spectral", FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_REDUCTION_AUTO},
                {"model_band", FREERIDGE_ROUTE_BAND, FREERIDGE_REDUCTION_AUTO},
                {"model_primal", FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_AUTO},
                {"model_primal_streamed", FREERIDGE_ROUTE_PRIMAL, FREERIDGE_REDUCTION_GRAM},
                {"model_landmark", FREERIDGE_ROUTE_LANDMARK, FREERIDGE_REDUCTION_AUTO}};
  const int64_t landmark = 3;
  const freeridge_points sparse = {.size = sizeof sparse,
                                   .n = 6,
                                   .d = 1,
                                   .format = FREERIDGE_CSR,
                                   .start = starts,
                                   .index = places,
                                   .value = x + 1},
                         given_points = {.size = sizeof given_points,
                                         .n = 6,
                                         .d = 6,
                                         .layout = FREERIDGE_COL_MAJOR,
                                         .x = zeros,
                                         .unpenalised_count = 1,
                                         .unpenalised = x};
  const freeridge_points six = {.size = sizeof six, .n = 6, .d = 1, .layout = FREERIDGE_COL_MAJOR, .x = x};
  const freeridge_points two_columns = {
      .size = sizeof two_columns, .n = 6, .d = 2, .layout = FREERIDGE_COL_MAJOR, .x = columns};
  const freeridge_points four = {.size = sizeof four, .n = 4, .d = 1, .layout = FREERIDGE_COL_MAJOR, .x = apart};
  char path[1024];
  freeridge_kernel *linear = NULL, *gaussian = NULL, *given = NULL;
  freeridge_model* model;
  freeridge_accumulator* accumulator = NULL;
  freeridge_classifier* classifier = NULL;
  size_t k;
  if (argc != 2) return 2;
  check(freeridge_kernel_linear(&linear));
  check(freeridge_kernel_gaussian(1, &gaussian));

  /* Whole models: six points, linear kernel, intercept, by every route. */
  for (k = 0; k < sizeof routes / sizeof *routes; ++k) {
    model = model_of(linear, 6, 1, routes[k].route);
    check(freeridge_set_parameter(model, FREERIDGE_REDUCTION, routes[k].reduction));
    if (routes[k].route == FREERIDGE_ROUTE_LANDMARK) check(freeridge_set_landmarks(model, 1, &landmark));
    fit(model);
    name_file(path, sizeof path, argv[1], routes[k].name);
    check(freeridge_save(model, FREERIDGE_SAVE_MODEL, path));
    if (k == 0) {
      name_file(path, sizeof path, argv[1], "predictor_hyperplane");
      check(freeridge_save(model, FREERIDGE_SAVE_PREDICTOR, path));
    }
    freeridge_destroy(model);
  }

  /* Two points, linear kernel, intercept: as many features as points. */
  model = model_of(linear, 2, 1, FREERIDGE_ROUTE_PRIMAL);
  fit(model);
  name_file(path, sizeof path, argv[1], "model_primal_wide");
  check(freeridge_save(model, FREERIDGE_SAVE_MODEL, path));
  freeridge_destroy(model);

  /* Six points, x sparse, by rows. */
  model = model_of(linear, 6, 1, FREERIDGE_ROUTE_PRIMAL);
  check(freeridge_set_points(model, &sparse, 0, FREERIDGE_COL_MAJOR, 1, y, 6));
  fit(model);
  name_file(path, sizeof path, argv[1], "model_primal_sparse");
  check(freeridge_save(model, FREERIDGE_SAVE_MODEL, path));
  freeridge_destroy(model);

  /* The same, and two points with a Gaussian kernel, by conjugate gradients; intercept. */
  model = model_of(linear, 6, 1, FREERIDGE_ROUTE_ITERATIVE);
  check(freeridge_set_points(model, &sparse, 0, FREERIDGE_COL_MAJOR, 1, y, 6));
  check(freeridge_set_parameter(model, FREERIDGE_ACCURACY, 1e-12));
  fit(model);
  name_file(path, sizeof path, argv[1], "model_iterative_sparse");
  check(freeridge_save(model, FREERIDGE_SAVE_MODEL, path));
  freeridge_destroy(model);
  model = model_of(gaussian, 2, 1, FREERIDGE_ROUTE_ITERATIVE);
  check(freeridge_set_parameter(model, FREERIDGE_ACCURACY, 1e-12));
  fit(model);
  name_file(path, sizeof path, argv[1], "model_iterative");
  check(freeridge_save(model, FREERIDGE_SAVE_MODEL, path));
  freeridge_destroy(model);

  /* Six points, linear kernel, a penalised intercept. */
  model = model_of(linear, 6, FREERIDGE_INTERCEPT_PENALISED, FREERIDGE_ROUTE_PRIMAL);
  fit(model);
  name_file(path, sizeof path, argv[1], "model_penalised");
  check(freeridge_save(model, FREERIDGE_SAVE_MODEL, path));
  freeridge_destroy(model);

  /* Six points, K = 0, x as a fixed effect. */
  check(freeridge_kernel_precomputed(&given));
  check(freeridge_create(given, &model));
  check(freeridge_set_points(model, &given_points, 0, FREERIDGE_COL_MAJOR, 1, y, 6));
  check(freeridge_set_parameter(model, FREERIDGE_ROUTE, FREERIDGE_ROUTE_SPECTRAL));
  fit(model);
  name_file(path, sizeof path, argv[1], "model_fixed");
  check(freeridge_save(model, FREERIDGE_SAVE_MODEL, path));
  name_file(path, sizeof path, argv[1], "predictor_fixed");
  check(freeridge_save(model, FREERIDGE_SAVE_PREDICTOR, path));
  freeridge_destroy(model);
  freeridge_kernel_destroy(given);

  /* Four points, linear kernel, the hard margin. */
  check(freeridge_classifier_create(linear, FREERIDGE_LOSS_HINGE, &classifier));
  check(freeridge_classifier_set_data(classifier, &four, labels));
  check(freeridge_classifier_fit(classifier, 0));
  name_file(path, sizeof path, argv[1], "classifier_hard_margin");
  check(freeridge_classifier_save(classifier, path));
  freeridge_classifier_destroy(classifier);

  /* Two points, Gaussian kernel, no intercept. */
  model = model_of(gaussian, 2, 0, FREERIDGE_ROUTE_SPECTRAL);
  fit(model);
  name_file(path, sizeof path, argv[1], "predictor_expansion");
  check(freeridge_save(model, FREERIDGE_SAVE_PREDICTOR, path));
  freeridge_destroy(model);

  /* Six points, the fourth the only landmark, Gaussian kernel, no intercept. */
  model = model_of(gaussian, 6, 0, FREERIDGE_ROUTE_LANDMARK);
  check(freeridge_set_landmarks(model, 1, &landmark));
  fit(model);
  name_file(path, sizeof path, argv[1], "predictor_landmarks");
  check(freeridge_save(model, FREERIDGE_SAVE_PREDICTOR, path));
  freeridge_destroy(model);

  /* Six points in an accumulator, with intercept. */
  check(freeridge_accumulator_create(1, 1, 1, &accumulator));
  check(freeridge_accumulator_add(accumulator, &six, FREERIDGE_COL_MAJOR, y, 6, NULL));
  name_file(path, sizeof path, argv[1], "accumulator");
  if (save_accumulator(accumulator, path) != 0) return 1;
  freeridge_accumulator_destroy(accumulator);

  /* The same with a second column, of zeros: the first one has no penalty. */
  check(freeridge_accumulator_create(2, 1, 1, &accumulator));
  check(freeridge_accumulator_add(accumulator, &two_columns, FREERIDGE_COL_MAJOR, y, 6, NULL));
  check(freeridge_accumulator_set_parameter(accumulator, FREERIDGE_UNPENALISED, 1));
  name_file(path, sizeof path, argv[1], "accumulator_unpenalised");
  if (save_accumulator(accumulator, path) != 0) return 1;
  freeridge_accumulator_destroy(accumulator);
  freeridge_kernel_destroy(linear);
  freeridge_kernel_destroy(gaussian);
  return 0;
}
