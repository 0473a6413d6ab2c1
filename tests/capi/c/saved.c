/* Save and load: whole models and predictors, to files and memory. */
#include "checks.h"

enum { ROOM = 65536 };

static unsigned char bytes[ROOM], again[ROOM];

/* What is loaded goes on as what was saved. */
static void expect_same(const freeridge_model* a, const freeridge_model* b) {
  double first[N * T], second[N * T];
  OK(freeridge_predict(a, FREERIDGE_COL_MAJOR, M, sample_points(), M, first, M));
  OK(freeridge_predict(b, FREERIDGE_COL_MAJOR, M, sample_points(), M, second, M));
  CHECK(memcmp(first, second, M * T * sizeof *first) == 0);
  OK(freeridge_get_lambda(a, first));
  OK(freeridge_get_lambda(b, second));
  CHECK(memcmp(first, second, T * sizeof *first) == 0);
}

static void round_trips(freeridge_route route) {
  static const char path[] = "capi_c_saved.freeridge";
  freeridge_model *model = fitted_model(route, 0.5), *loaded = NULL, *predictor = NULL;
  double first[N * T], second[N * T];
  int64_t length = -1, length_again = -1;
  OK(freeridge_save_to_memory(model, FREERIDGE_SAVE_MODEL, 0, NULL, &length));
  CHECK(length > 0 && length <= ROOM);
  OK(freeridge_save_to_memory(model, FREERIDGE_SAVE_MODEL, ROOM, bytes, &length));
  OK(freeridge_load_from_memory(bytes, length, &loaded));
  expect_same(model, loaded);
  OK(freeridge_loo(model, first, N));
  OK(freeridge_loo(loaded, second, N));
  CHECK(memcmp(first, second, sizeof first) == 0);
  OK(freeridge_set_lambda(loaded, 2.0));
  freeridge_destroy(loaded);

  OK(freeridge_save(model, FREERIDGE_SAVE_MODEL, path));
  OK(freeridge_load(path, &loaded));
  expect_same(model, loaded);
  OK(freeridge_save_to_memory(loaded, FREERIDGE_SAVE_MODEL, ROOM, again, &length_again));
  CHECK(length == length_again && memcmp(bytes, again, (size_t)length) == 0);
  freeridge_destroy(loaded);

  OK(freeridge_save_to_memory(model, FREERIDGE_SAVE_PREDICTOR, ROOM, bytes, &length));
  {
    int64_t at = -1, x_length = -1;
    OK(freeridge_locate_saved_x(bytes, length, &at, &x_length));
    CHECK(at >= 0 && x_length >= 0 && at + x_length < length && (at == 0) == (x_length == 0));
  }
  OK(freeridge_load_from_memory(bytes, length, &predictor));
  expect_same(model, predictor);
  REFUSED(INVALID_STATE, freeridge_loo(predictor, first, N));
  REFUSED(INVALID_STATE, freeridge_set_lambda(predictor, 1.0));
  REFUSED(INVALID_STATE, freeridge_save(predictor, FREERIDGE_SAVE_MODEL, path));
  OK(freeridge_save(predictor, FREERIDGE_SAVE_PREDICTOR, path));
  freeridge_destroy(predictor);
  OK(freeridge_load(path, &predictor));
  expect_same(model, predictor);
  freeridge_destroy(predictor);
  freeridge_destroy(model);
  CHECK(remove(path) == 0);
}

int main(void) {
  size_t r;
  for (r = 0; r < sizeof every_route / sizeof *every_route; ++r) round_trips(every_route[r]);
  return report();
}
