/*
 * A program that has its BLAS linked in: freeridge knows what it is, and its number of threads is the one that was set.
 */
#include <freeridge_classical.h>
#include <stdio.h>
#include <string.h>

int openblas_get_num_threads(void) __attribute__((weak)); /* null: another BLAS */

int main(void) {
  static const double x[] = {1.0, 2.0, 4.0}, y[] = {3.0, 5.0, 9.0};
  double w = 0.0, b = 0.0;
  freeridge_ols_answers answers = {.size = sizeof answers, .w = &w, .b = &b};
  int32_t count = 0;
  freeridge_status status = freeridge_set_threads(1);
  if (!status) status = freeridge_ols(FREERIDGE_COL_MAJOR, 3, 1, x, 3, 1, y, 3, 1, &answers);
  if (!status) status = freeridge_get_threads(&count);
  printf("%s; y = %g x + %g\n", freeridge_build_info(), w, b);
  if (status || count != 1) return 1;
  if (!openblas_get_num_threads) return 0;
  if (!strstr(freeridge_build_info(), "OpenBLAS") || openblas_get_num_threads() != 1) {
    fprintf(stderr, "OpenBLAS has %d threads\n", openblas_get_num_threads());
    return 1;
  }
  return 0;
}
