/* Saved files of one machine read on another: saved_elsewhere write FOLDER, saved_elsewhere read FOLDER. Each kind of file is
 * written with its predictions beside it; the reader predicts again, to 1e-12 of them, and saves again: the same bytes. */
#include <stdlib.h>

#include "../capi/c/checks.h"

enum { ROUTES = 5 };
static const struct {
  const char* kernel;
  freeridge_route route;
} kinds[ROUTES] = {{"linear()", FREERIDGE_ROUTE_PRIMAL},
                   {"gaussian(sigma = 2)", FREERIDGE_ROUTE_SPECTRAL},
                   {"0.5 * linear() + 2 * matern(nu = 1.5, length = 3)", FREERIDGE_ROUTE_CHOLESKY},
                   {"additive(matern(nu = 2.5, length = 1))", FREERIDGE_ROUTE_BAND},
                   {"polynomial(degree = 2, scale = 0.5, offset = 1)", FREERIDGE_ROUTE_LANDMARK}};

static char path[4096];
static const char* file(const char* folder, int kind, const char* suffix) {
  snprintf(path, sizeof path, "%s/%d.%s", folder, kind, suffix);
  return path;
}

static void write_all(const char* folder) {
  for (int k = 0; k < ROUTES; ++k) {
    freeridge_kernel* kernel = NULL;
    freeridge_model* model = NULL;
    double f[M * T], e[N * T];
    OK(freeridge_kernel_parse(kinds[k].kernel, &kernel));
    OK(freeridge_create(kernel, &model));
    OK(freeridge_set_data(model, FREERIDGE_COL_MAJOR, N, D, sample_x(), N, T, sample_y(), N));
    if (kinds[k].route == FREERIDGE_ROUTE_LANDMARK) OK(freeridge_set_landmarks(model, 3, NULL));
    OK(freeridge_set_parameter(model, FREERIDGE_ROUTE, kinds[k].route));
    OK(freeridge_factorize(model));
    OK(freeridge_set_lambda(model, 0.25));
    OK(freeridge_predict(model, FREERIDGE_ROW_MAJOR, M, sample_points(), D, f, T));
    OK(freeridge_loo(model, e, N));
    OK(freeridge_save(model, FREERIDGE_SAVE_MODEL, file(folder, k, "model")));
    OK(freeridge_save(model, FREERIDGE_SAVE_PREDICTOR, file(folder, k, "predictor")));
    FILE* const out = fopen(file(folder, k, "numbers"), "w");
    for (int i = 0; i < M * T; ++i) fprintf(out, "%a\n", f[i]);
    for (int i = 0; i < N * T; ++i) fprintf(out, "%a\n", e[i]);
    fclose(out);
    freeridge_destroy(model);
    freeridge_kernel_destroy(kernel);
  }
}

static void same(double a, double b) {
  CHECK(fabs(a - b) <= 1e-12 * (1 + fabs(b)));
}

static void read_all(const char* folder) {
  for (int k = 0; k < ROUTES; ++k) {
    freeridge_model *model = NULL, *predictor = NULL;
    double f[M * T], p[M * T], e[N * T], expected = 0;
    OK(freeridge_load(file(folder, k, "model"), &model));
    OK(freeridge_load(file(folder, k, "predictor"), &predictor));
    OK(freeridge_predict(model, FREERIDGE_ROW_MAJOR, M, sample_points(), D, f, T));
    OK(freeridge_predict(predictor, FREERIDGE_ROW_MAJOR, M, sample_points(), D, p, T));
    OK(freeridge_loo(model, e, N));
    FILE* const in = fopen(file(folder, k, "numbers"), "r");
    CHECK(in != NULL);
    for (int i = 0; in != NULL && i < M * T; ++i) {
      CHECK(fscanf(in, "%la", &expected) == 1);
      same(f[i], expected);
      same(p[i], expected);
    }
    for (int i = 0; in != NULL && i < N * T; ++i) {
      CHECK(fscanf(in, "%la", &expected) == 1);
      same(e[i], expected);
    }
    if (in != NULL) fclose(in);

    int64_t length = 0;
    OK(freeridge_save_to_memory(model, FREERIDGE_SAVE_MODEL, 0, NULL, &length));
    unsigned char *again = malloc((size_t)length), *given = malloc((size_t)length + 1);
    OK(freeridge_save_to_memory(model, FREERIDGE_SAVE_MODEL, length, again, &length));
    FILE* const bytes = fopen(file(folder, k, "model"), "rb");
    CHECK(bytes != NULL && fread(given, 1, (size_t)length + 1, bytes) == (size_t)length);
    CHECK(memcmp(again, given, (size_t)length) == 0);
    if (bytes != NULL) fclose(bytes);
    free(again);
    free(given);
    freeridge_destroy(model);
    freeridge_destroy(predictor);
  }
}

int main(int count, char** words) {
  if (count != 3) return 2;
  if (strcmp(words[1], "write") == 0)
    write_all(words[2]);
  else
    read_all(words[2]);
  return report();
}
