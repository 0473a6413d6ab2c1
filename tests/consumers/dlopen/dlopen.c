/*
 * A stranger's program that meets the library only while it runs: by its soname, twice, with nothing of it in sight of
 * the rest of the program.
 *     cc dlopen.c -o dlopen -ldl && LD_LIBRARY_PATH=where ./dlopen libfreeridge.so.0
 */
#include <dlfcn.h>
#include <freeridge.h>
#include <stdio.h>
#include <string.h>

/* ISO C has no conversion from an object pointer to a function pointer: the bytes are copied. */
static int find(void* library, const char* name, void* function, size_t size) {
  void* symbol = dlsym(library, name);
  if (!symbol) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
  memcpy(function, &symbol, size);
  return 1;
}

/* The line through (1, 2) and (3, 6), which lambda = 0 finds: w = 2, b = 0. */
static int answers(void* library) {
  freeridge_status (*version)(int32_t*, int32_t*, int32_t*);
  freeridge_status (*kernel_linear)(freeridge_kernel**);
  void (*kernel_destroy)(freeridge_kernel*);
  freeridge_status (*create)(const freeridge_kernel*, freeridge_model**);
  void (*destroy)(freeridge_model*);
  freeridge_status (*set_data)(freeridge_model*, freeridge_layout, int64_t, int64_t, const double*, int64_t, int64_t,
                               const double*, int64_t);
  freeridge_status (*factorize)(freeridge_model*);
  freeridge_status (*set_lambda)(freeridge_model*, double);
  freeridge_status (*hyperplane)(const freeridge_model*, int64_t, const double*, double*, int64_t, double*);
  static const double x[] = {1.0, 3.0}, y[] = {2.0, 6.0};
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  int32_t major = -1, minor = -1, patch = -1;
  double w = 0.0, b = 1.0;
  int done;
#define FIND(function) find(library, "freeridge_" #function, &function, sizeof function)
  if (!FIND(version) || !FIND(kernel_linear) || !FIND(kernel_destroy) || !FIND(create) || !FIND(destroy) ||
      !FIND(set_data) || !FIND(factorize) || !FIND(set_lambda) || !FIND(hyperplane)) {
    return 0;
  }
  done = !version(&major, &minor, &patch) && !kernel_linear(&kernel) && !create(kernel, &model) &&
         !set_data(model, FREERIDGE_COL_MAJOR, 2, 1, x, 2, 1, y, 2) && !factorize(model) && !set_lambda(model, 0.0) &&
         !hyperplane(model, 0, NULL, &w, 1, &b);
  destroy(model);
  kernel_destroy(kernel);
  if (!done || major != FREERIDGE_VERSION_MAJOR || !(w > 2 - 1e-13 && w < 2 + 1e-13) || !(b > -1e-13 && b < 1e-13)) {
    fprintf(stderr, "version %d.%d.%d, w = %.17g, b = %.17g\n", (int)major, (int)minor, (int)patch, w, b);
    return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  int round;
  if (argc != 2) {
    fprintf(stderr, "usage: %s libfreeridge.so.N\n", argv[0]);
    return 2;
  }
  for (round = 0; round < 2; ++round) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return 2;
    }
    if (dlsym(RTLD_DEFAULT, "freeridge_version")) {
      fprintf(stderr, "the library is in the program's own names\n");
      return 1;
    }
    if (!answers(library)) return 1;
    if (dlclose(library) != 0) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  printf("opened and closed twice\n");
  return 0;
}
