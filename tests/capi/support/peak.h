/* What the memory programs share: a check, the peak of the process and what it has at this moment. */
#ifndef FREERIDGE_TESTS_PEAK_H
#define FREERIDGE_TESTS_PEAK_H

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "freeridge.h"

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "%s does not hold; last error: %s\n", what, freeridge_last_error());
  exit(1);
}
#define REQUIRE(condition) require(condition, #condition)

/* Gives freed arrays back to the system at once, so that the peak is that of the arrays held at one time: glibc else
 * raises this threshold with each array freed, and keeps what lies below it in its heap, with gaps. */
static void measure_arrays_held(void) {
  REQUIRE(mallopt(M_MMAP_THRESHOLD, 128 * 1024) == 1);
}

static double peak_bytes(void) {
  struct rusage usage;
  REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
  return 1024.0 * (double)usage.ru_maxrss;
}

static inline double resident_bytes(void) {
  long pages = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  REQUIRE(file != NULL && fscanf(file, "%*d %ld", &pages) == 1 && fclose(file) == 0);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

#endif
