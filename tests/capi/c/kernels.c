/* Kernels: made, described, read back, compared, combined. */
#include "checks.h"

static void expect_text(const freeridge_kernel* kernel, const char* expected) {
  char text[300];
  int64_t length = -1;
  OK(freeridge_kernel_describe(kernel, sizeof text, text, &length));
  CHECK(length == (int64_t)strlen(expected) && strcmp(text, expected) == 0);
}

/* Written and read back it is the same kernel. */
static void expect_round_trip(const freeridge_kernel* kernel) {
  char text[300];
  int64_t length = -1;
  freeridge_kernel* again = NULL;
  OK(freeridge_kernel_describe(kernel, 0, NULL, &length));
  CHECK(length > 0 && length < (int64_t)sizeof text);
  OK(freeridge_kernel_describe(kernel, length + 1, text, &length));
  CHECK((int64_t)strlen(text) == length);
  OK(freeridge_kernel_parse(text, &again));
  expect_text(again, text);
  freeridge_kernel_destroy(again);
}

static void simple_kernels(void) {
  freeridge_kernel* kernels[7] = {NULL};
  char text[200], other[200];
  int64_t length = -1;
  int i;
  OK(freeridge_kernel_linear(&kernels[0]));
  OK(freeridge_kernel_polynomial(3, 0.5, 1.25, &kernels[1]));
  OK(freeridge_kernel_gaussian(1.0 / 3.0, &kernels[2]));
  OK(freeridge_kernel_laplacian(0.1, &kernels[3]));
  OK(freeridge_kernel_matern(1.5, 2.0, &kernels[4]));
  OK(freeridge_kernel_matern(2.5, 1e-300, &kernels[5]));
  OK(freeridge_kernel_precomputed(&kernels[6]));
  expect_text(kernels[0], "linear()");
  for (i = 0; i < 7; ++i) {
    if (i < 6) expect_round_trip(kernels[i]);
    OK(freeridge_kernel_describe(kernels[i], sizeof text, text, &length));
    OK(freeridge_kernel_describe(kernels[(i + 1) % 7], sizeof other, other, &length));
    CHECK(strcmp(text, other) != 0);
  }
  for (i = 0; i < 7; ++i) freeridge_kernel_destroy(kernels[i]);
  freeridge_kernel_destroy(NULL);
}

static void linear_scales(void) {
  static const double scale[D] = {0.5, 2.0};
  freeridge_kernel *linear = NULL, *scaled = NULL, *other = gaussian(1.0);
  double found[D + 1] = {-7, -7, -7};
  int32_t is_linear = -1;
  OK(freeridge_kernel_linear(&linear));
  OK(freeridge_kernel_scaled(linear, D, scale, &scaled));
  OK(freeridge_kernel_linear_scale(other, D, found, &is_linear));
  CHECK(is_linear == 0 && found[0] == -7);
  OK(freeridge_kernel_linear_scale(scaled, 0, NULL, &is_linear));
  OK(freeridge_kernel_linear_scale(scaled, D, found, NULL));
  CHECK(is_linear == 1 && found[0] == 0.5 && found[1] == 2.0 && found[2] == -7);
  freeridge_kernel_destroy(linear);
  freeridge_kernel_destroy(scaled);
  freeridge_kernel_destroy(other);
}

static void combined_kernels(void) {
  static const double weights[2] = {0.25, 3.0}, scale[D] = {0.5, 2.0}, scale3[3] = {1, 1, 1};
  freeridge_kernel *parts[2] = {NULL, NULL}, *sum = NULL, *product = NULL, *scaled = NULL, *other = NULL, *both[2];
  OK(freeridge_kernel_gaussian(2.0, &parts[0]));
  OK(freeridge_kernel_linear(&parts[1]));
  OK(freeridge_kernel_sum((const freeridge_kernel* const*)parts, weights, 2, &sum));
  OK(freeridge_kernel_product((const freeridge_kernel* const*)parts, 2, &product));
  freeridge_kernel_destroy(parts[1]); /* they are copied */
  OK(freeridge_kernel_scaled(sum, D, scale, &scaled));
  expect_round_trip(sum);
  expect_round_trip(product);
  expect_round_trip(scaled);
  /* scaled kernels of different d do not stand inside each other */
  OK(freeridge_kernel_scaled(parts[0], 3, scale3, &other));
  both[0] = scaled;
  both[1] = other;
  {
    freeridge_kernel* none = NULL;
    freeridge_status status = freeridge_kernel_sum((const freeridge_kernel* const*)both, NULL, 2, &none);
    CHECK(status == FREERIDGE_OK || status == FREERIDGE_DIMENSION_MISMATCH);
    CHECK((status == FREERIDGE_OK) == (none != NULL));
    freeridge_kernel_destroy(none);
  }
  freeridge_kernel_destroy(parts[0]);
  freeridge_kernel_destroy(sum);
  freeridge_kernel_destroy(product);
  freeridge_kernel_destroy(scaled);
  freeridge_kernel_destroy(other);
}

/* A kernel's kind, the names of its parameters ("" after the last) and how many parts it has. */
static void expect_structure(const freeridge_kernel* kernel, const char* name, const char* first, const char* second,
                             const char* third, int32_t expected_parts) {
  const char* names[3];
  int32_t parameters = -1, parts = -1, i;
  names[0] = first, names[1] = second, names[2] = third;
  CHECK(strcmp(freeridge_kernel_name(kernel), name) == 0);
  OK(freeridge_kernel_get_counts(kernel, &parameters, &parts));
  CHECK(parts == expected_parts);
  for (i = 0; i < parameters; ++i) CHECK(strcmp(freeridge_kernel_parameter_name(kernel, i), names[i]) == 0);
  CHECK(parameters == 3 || names[parameters][0] == 0);
  CHECK(freeridge_kernel_parameter_name(kernel, parameters) == NULL);
  CHECK(freeridge_kernel_parameter_name(kernel, -1) == NULL);
}

static void expect_numbers(const freeridge_kernel* kernel, int32_t index, const double* expected, int64_t count) {
  double values[3] = {-7, -7, -7};
  int64_t length = -1;
  OK(freeridge_kernel_get_parameter(kernel, index, 0, NULL, &length));
  CHECK(length == count);
  OK(freeridge_kernel_get_parameter(kernel, index, 3, values, &length));
  CHECK(length == count && memcmp(values, expected, (size_t)count * sizeof *values) == 0);
  CHECK(count == 3 || values[count] == -7);
}

/* What each kind is made of, and what is made of it again: 0.25 gaussian + 3 product(matern, polynomial), scaled. */
static void structure(void) {
  static const double weights[2] = {0.25, 3.0}, scale[D] = {1.0 / 3.0, 2.0}, sigma = 0.1, nu = 2.5, length = 1e-300;
  static const double degree = 100000, factor = 0.5, offset = 1.25, canonical[D] = {0, -1};
  static const int32_t label[D] = {INT32_MAX, INT32_MIN};
  freeridge_kernel *gaussian = NULL, *matern = NULL, *polynomial = NULL, *other = NULL, *inner = NULL, *outer = NULL;
  freeridge_kernel *part = NULL, *again = NULL, *product = NULL;
  const freeridge_kernel* two[2];
  OK(freeridge_kernel_gaussian(sigma, &gaussian));
  expect_structure(gaussian, "gaussian", "sigma", "", "", 0);
  expect_numbers(gaussian, 0, &sigma, 1);
  OK(freeridge_kernel_matern(nu, length, &matern));
  expect_structure(matern, "matern", "nu", "length", "", 0);
  expect_numbers(matern, 0, &nu, 1);
  expect_numbers(matern, 1, &length, 1);
  OK(freeridge_kernel_polynomial(100000, factor, offset, &polynomial));
  expect_structure(polynomial, "polynomial", "degree", "scale", "offset", 0);
  expect_text(polynomial, "polynomial(degree = 100000, scale = 0.5, offset = 1.25)");
  expect_numbers(polynomial, 0, &degree, 1);
  expect_numbers(polynomial, 1, &factor, 1);
  expect_numbers(polynomial, 2, &offset, 1);
  OK(freeridge_kernel_laplacian(sigma, &other));
  expect_structure(other, "laplacian", "sigma", "", "", 0);
  expect_numbers(other, 0, &sigma, 1);
  freeridge_kernel_destroy(other);
  OK(freeridge_kernel_linear(&other));
  expect_structure(other, "linear", "", "", "", 0);
  freeridge_kernel_destroy(other);
  OK(freeridge_kernel_additive(gaussian, D, label, &other));
  expect_structure(other, "additive", "label", "", "", 1);
  expect_numbers(other, 0, canonical, D);
  expect_text(other, "additive([0, -1], gaussian(sigma = 0.1))");
  expect_round_trip(other);
  freeridge_kernel_destroy(other);
  OK(freeridge_kernel_additive(gaussian, 0, NULL, &other));
  expect_structure(other, "additive", "label", "", "", 1);
  expect_numbers(other, 0, canonical, 0);
  expect_text(other, "additive(gaussian(sigma = 0.1))");
  expect_round_trip(other);
  freeridge_kernel_destroy(other);
  OK(freeridge_kernel_precomputed(&other));
  expect_structure(other, "precomputed", "", "", "", 0);
  freeridge_kernel_destroy(other);

  two[0] = matern, two[1] = polynomial;
  OK(freeridge_kernel_product(two, 2, &product));
  expect_structure(product, "product", "", "", "", 2);
  two[0] = gaussian, two[1] = product;
  OK(freeridge_kernel_sum(two, weights, 2, &inner));
  expect_structure(inner, "sum", "weights", "", "", 2);
  expect_numbers(inner, 0, weights, 2);
  OK(freeridge_kernel_scaled(inner, D, scale, &outer));
  expect_structure(outer, "scaled", "scale", "", "", 1);
  expect_numbers(outer, 0, scale, D);

  /* a part outlives what it is a part of */
  OK(freeridge_kernel_get_part(outer, 0, &part));
  freeridge_kernel_destroy(outer);
  freeridge_kernel_destroy(inner);
  freeridge_kernel_destroy(product);
  OK(freeridge_kernel_get_part(part, 1, &again));
  freeridge_kernel_destroy(part);
  expect_structure(again, "product", "", "", "", 2);
  OK(freeridge_kernel_get_part(again, 1, &part));
  expect_text(part, "polynomial(degree = 100000, scale = 0.5, offset = 1.25)");
  freeridge_kernel_destroy(part);
  part = NULL;
  OK(freeridge_kernel_get_counts(again, NULL, NULL));
  CHECK(part == NULL);
  CHECK(freeridge_kernel_name(NULL) == NULL && freeridge_kernel_parameter_name(NULL, 0) == NULL);
  freeridge_kernel_destroy(again);
  freeridge_kernel_destroy(gaussian);
  freeridge_kernel_destroy(matern);
  freeridge_kernel_destroy(polynomial);
}

static void expect_hyperparameter(const freeridge_kernel* kernel, int64_t index, const char* name) {
  char text[60];
  int64_t length = -1;
  OK(freeridge_kernel_hyperparameter_name(kernel, index, 0, NULL, &length));
  CHECK(length == (int64_t)strlen(name));
  OK(freeridge_kernel_hyperparameter_name(kernel, index, sizeof text, text, &length));
  CHECK(strcmp(text, name) == 0);
}

/* All continuous numbers in the order of the text: told by name, read, and changed. */
static void learnt_numbers(void) {
  static const char* const names[] = {"scaled.scale[0]",
                                      "scaled.scale[1]",
                                      "scaled.sum.weight[0]",
                                      "scaled.sum[0].polynomial.scale",
                                      "scaled.sum[0].polynomial.offset",
                                      "scaled.sum.weight[1]",
                                      "scaled.sum[1].product[0].gaussian.sigma",
                                      "scaled.sum[1].product[1].matern.length"};
  static const double values[] = {0.5, 2, 0.25, 3, 1, 4, 1.5, 7}, changed[] = {1, 3, 0, 0.5, 0, 2, 0.125, 8};
  enum { COUNT = sizeof values / sizeof *values };
  freeridge_kernel *kernel = NULL, *other = NULL, *linear = NULL;
  double found[COUNT];
  int64_t count = -1, i;
  OK(
      freeridge_kernel_parse("scaled([0.5, 2], 0.25 * polynomial(degree = 2, scale = 3, offset = 1) + 4 * product("
                             "gaussian(sigma = 1.5), matern(nu = 1.5, length = 7)))",
                             &kernel));
  OK(freeridge_kernel_get_hyperparameters(kernel, &count, NULL));
  CHECK(count == COUNT);
  OK(freeridge_kernel_get_hyperparameters(kernel, NULL, found));
  CHECK(memcmp(found, values, sizeof found) == 0);
  for (i = 0; i < COUNT; ++i) expect_hyperparameter(kernel, i, names[i]);
  OK(freeridge_kernel_with_hyperparameters(kernel, changed, &other));
  expect_text(other,
              "scaled([1, 3], 0 * polynomial(degree = 2, scale = 0.5, offset = 0) + 2 * product(gaussian(sigma = "
              "0.125), matern(nu = 1.5, length = 8)))");
  freeridge_kernel_destroy(other);

  OK(freeridge_kernel_linear(&linear));
  OK(freeridge_kernel_get_hyperparameters(linear, &count, found));
  CHECK(count == 0);
  OK(freeridge_kernel_get_hyperparameters(linear, NULL, NULL));
  OK(freeridge_kernel_with_hyperparameters(linear, NULL, &other));
  expect_text(other, "linear()");
  freeridge_kernel_destroy(kernel);
  freeridge_kernel_destroy(other);
  freeridge_kernel_destroy(linear);
}

int main(void) {
  simple_kernels();
  linear_scales();
  combined_kernels();
  structure();
  learnt_numbers();
  return report();
}
