/* The header alone, first and twice, in C99 with every warning an error; then linked. */
/* clang-format off */
#include <freeridge_classical.h>
#include <freeridge_classical.h>
#include "header_checks.h"
/* clang-format on */

static int32_t never_cancel(double fraction, void* user) {
  (void)user;
  return fraction < 0.0;
}

int main(void) {
  freeridge_progress callback = never_cancel;
  int32_t major = -1;
  if (freeridge_version(&major, (int32_t*)0, (int32_t*)0) != FREERIDGE_OK) return 1;
  if (callback(0.5, (void*)0) != 0) return 2;
  return major == FREERIDGE_VERSION_MAJOR ? 0 : 3;
}
