/* Save and load: whole models and predictors, to files and memory; damaged bytes, hostile paths and sizes. */
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
  OK(freeridge_save_to_memory(model, 0, NULL, &length));
  CHECK(length > 0 && length <= ROOM);
  OK(freeridge_save_to_memory(model, ROOM, bytes, &length));
  OK(freeridge_load_from_memory(bytes, length, &loaded));
  expect_same(model, loaded);
  OK(freeridge_loo(model, first, N));
  OK(freeridge_loo(loaded, second, N));
  CHECK(memcmp(first, second, sizeof first) == 0);
  OK(freeridge_set_lambda(loaded, 2.0));
  freeridge_destroy(loaded);

  OK(freeridge_save(model, path));
  OK(freeridge_load(path, &loaded));
  expect_same(model, loaded);
  OK(freeridge_save_to_memory(loaded, ROOM, again, &length_again));
  CHECK(length == length_again && memcmp(bytes, again, (size_t)length) == 0);
  freeridge_destroy(loaded);

  OK(freeridge_save_predictor_to_memory(model, ROOM, bytes, &length));
  {
    int64_t at = -1, x_length = -1;
    OK(freeridge_locate_saved_x(bytes, length, &at, &x_length));
    CHECK(at >= 0 && x_length >= 0 && at + x_length < length && (at == 0) == (x_length == 0));
  }
  OK(freeridge_load_from_memory(bytes, length, &predictor));
  expect_same(model, predictor);
  REFUSED(INVALID_STATE, freeridge_loo(predictor, first, N));
  REFUSED(INVALID_STATE, freeridge_set_lambda(predictor, 1.0));
  REFUSED(INVALID_STATE, freeridge_save(predictor, path));
  OK(freeridge_save_predictor(predictor, path));
  freeridge_destroy(predictor);
  OK(freeridge_load(path, &predictor));
  expect_same(model, predictor);
  freeridge_destroy(predictor);
  freeridge_destroy(model);
  CHECK(remove(path) == 0);
}

static void damaged(void) {
  freeridge_model *model = fitted_model(FREERIDGE_ROUTE_SPECTRAL, 0.5), *loaded = NULL;
  int64_t length = -1, i;
  OK(freeridge_save_to_memory(model, ROOM, bytes, &length));
  for (i = 1; i < length; i += 7) REFUSED(CORRUPT, freeridge_load_from_memory(bytes, i, &loaded));
  for (i = 0; i < length; i += 5) {
    freeridge_status status;
    bytes[i] ^= 0x10;
    status = freeridge_load_from_memory(bytes, length, &loaded);
    CHECK(status == FREERIDGE_CORRUPT || status == FREERIDGE_NEWER_FORMAT);
    bytes[i] ^= 0x10;
  }
  CHECK(loaded == NULL);
  freeridge_destroy(model);
}

static void hostile(void) {
  freeridge_model *model = fitted_model(FREERIDGE_ROUTE_SPECTRAL, 0.5),
                  *early = factorized_model(FREERIDGE_ROUTE_SPECTRAL);
  freeridge_model* out = NULL;
  int64_t length = -7;
  bytes[0] = 99;
  REFUSED(INVALID_ARGUMENT, freeridge_save(NULL, "x"));
  REFUSED(INVALID_ARGUMENT, freeridge_save(model, NULL));
  REFUSED(INVALID_ARGUMENT, freeridge_save(model, ""));
  REFUSED(IO, freeridge_save(model, "no such directory/x"));
  REFUSED(INVALID_ARGUMENT, freeridge_save_predictor(NULL, "x"));
  REFUSED(INVALID_ARGUMENT, freeridge_save_predictor(model, NULL));
  REFUSED(INVALID_STATE, freeridge_save_predictor(early, "x"));
  REFUSED(INVALID_ARGUMENT, freeridge_load(NULL, &out));
  REFUSED(INVALID_ARGUMENT, freeridge_load("x", NULL));
  REFUSED(IO, freeridge_load("no such file", &out));
  REFUSED(IO, freeridge_load(".", &out));
  REFUSED(INVALID_ARGUMENT, freeridge_save_to_memory(NULL, ROOM, bytes, &length));
  REFUSED(INVALID_ARGUMENT, freeridge_save_to_memory(model, ROOM, NULL, &length));
  REFUSED(INVALID_ARGUMENT, freeridge_save_to_memory(model, ROOM, bytes, NULL));
  REFUSED(INVALID_ARGUMENT, freeridge_save_predictor_to_memory(NULL, ROOM, bytes, &length));
  REFUSED(INVALID_STATE, freeridge_save_predictor_to_memory(early, ROOM, bytes, &length));
  CHECK(length == -7);
  REFUSED(INVALID_ARGUMENT, freeridge_save_to_memory(model, -1, bytes, &length));
  REFUSED(INVALID_ARGUMENT, freeridge_save_to_memory(model, 10, bytes, &length));
  CHECK(length > 10 && bytes[0] == 99);
  REFUSED(INVALID_ARGUMENT, freeridge_load_from_memory(NULL, 10, &out));
  REFUSED(INVALID_ARGUMENT, freeridge_load_from_memory(bytes, 0, &out));
  REFUSED(INVALID_ARGUMENT, freeridge_load_from_memory(bytes, INT64_MIN, &out));
  REFUSED(INVALID_ARGUMENT, freeridge_load_from_memory(bytes, 10, NULL));
  CHECK(out == NULL);
  freeridge_destroy(model);
  freeridge_destroy(early);
}

int main(void) {
  size_t r;
  for (r = 0; r < sizeof every_route / sizeof *every_route; ++r) round_trips(every_route[r]);
  damaged();
  hostile();
  return report();
}
