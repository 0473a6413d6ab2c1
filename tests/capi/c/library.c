/* About the library: names, versions, words, threads. */
#include "checks.h"

static void names(void) {
  CHECK(strcmp(freeridge_status_name(FREERIDGE_NOT_POSITIVE_DEFINITE), "NOT_POSITIVE_DEFINITE") == 0);
  CHECK(strcmp(freeridge_status_name(INT32_MIN), "UNKNOWN") == 0);
}

static void words(void) {
  freeridge_kernel* kernel = NULL;
  char first[1100];
  CHECK(strcmp(freeridge_last_error(), "") == 0);
  REFUSED(INVALID_ARGUMENT, freeridge_kernel_gaussian(-2.5, &kernel));
  CHECK(strstr(freeridge_last_error(), "sigma") != NULL && strstr(freeridge_last_error(), "-2.5") != NULL);
  CHECK(strchr(freeridge_last_error(), '\n') == NULL && strlen(freeridge_last_error()) < sizeof first);
  strcpy(first, freeridge_last_error());
  OK(freeridge_kernel_linear(&kernel)); /* a success does not clear it */
  CHECK(strcmp(freeridge_last_error(), first) == 0);
  freeridge_kernel_destroy(kernel);
}

static void versions(void) {
  int32_t major = -1, minor = -1, patch = -1;
  char expected[50];
  OK(freeridge_version(&major, &minor, &patch));
  CHECK(major == FREERIDGE_VERSION_MAJOR && minor == FREERIDGE_VERSION_MINOR && patch == FREERIDGE_VERSION_PATCH);
  OK(freeridge_version(NULL, NULL, NULL));
  sprintf(expected, "freeridge %d.%d.%d; ", (int)major, (int)minor, (int)patch);
  CHECK(strncmp(freeridge_build_info(), expected, strlen(expected)) == 0);
  CHECK(strchr(freeridge_build_info(), '\n') == NULL);
}

static void threads(void) {
  int32_t before = -1, count = -1;
  OK(freeridge_get_threads(&before));
  CHECK(before >= 1);
  OK(freeridge_set_threads(2));
  OK(freeridge_get_threads(&count));
  CHECK(count == 2);
  OK(freeridge_set_threads(0));
  OK(freeridge_get_threads(&count));
  CHECK(count == before);
}

int main(void) {
  names();
  words();
  versions();
  threads();
  return report();
}
