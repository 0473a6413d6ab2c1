/*
 * The library loaded at run time, as other languages do it: every name of the export list is found, and the line from
 * kernel to answer runs through the pointers.
 *     dynamic_loading path/to/libfreeridge.so path/to/exports.txt
 */
#include <dlfcn.h>
#include <freeridge.h>
#include <stdio.h>
#include <string.h>

static void* library;

/* ISO C has no conversion from an object pointer to a function pointer: the bytes are copied. */
static int find(const char* name, void* function, size_t size) {
  void* symbol = dlsym(library, name);
  if (!symbol) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
  memcpy(function, &symbol, size);
  return 1;
}

static int every_name_is_found(const char* list) {
  char name[256];
  int found = 0, missing = 0;
  FILE* file = fopen(list, "r");
  if (!file) {
    perror(list);
    return 0;
  }
  while (fgets(name, sizeof name, file)) {
    name[strcspn(name, "\n")] = '\0';
    if (dlsym(library, name)) {
      ++found;
    } else {
      fprintf(stderr, "%s\n", dlerror());
      ++missing;
    }
  }
  fclose(file);
  printf("%d names found, %d missing\n", found, missing);
  return found > 0 && missing == 0;
}

/* Two points, linear kernel, no intercept: w = x'y / (x'x + lambda) = 8 / (5 + 3) = 1. */
static int the_line_runs(void) {
  freeridge_status (*kernel_linear)(freeridge_kernel**);
  void (*kernel_destroy)(freeridge_kernel*);
  freeridge_status (*create)(const freeridge_kernel*, freeridge_model**);
  void (*destroy)(freeridge_model*);
  freeridge_status (*set_data)(freeridge_model*, freeridge_layout, int64_t, int64_t, const double*, int64_t, int64_t,
                               const double*, int64_t);
  freeridge_status (*set_intercept)(freeridge_model*, int32_t);
  freeridge_status (*factorize)(freeridge_model*);
  freeridge_status (*set_lambda)(freeridge_model*, double);
  freeridge_status (*get_hyperplane)(const freeridge_model*, double*, int64_t);
  const char* (*last_error)(void);
  static const double x[] = {1.0, 2.0}, y[] = {2.0, 3.0};
  freeridge_kernel* kernel = NULL;
  freeridge_model* model = NULL;
  double w = 0.0;
  int passed;
#define FIND(function) find("freeridge_" #function, &function, sizeof function)
  if (!FIND(kernel_linear) || !FIND(kernel_destroy) || !FIND(create) || !FIND(destroy) || !FIND(set_data) ||
      !FIND(set_intercept) || !FIND(factorize) || !FIND(set_lambda) || !FIND(get_hyperplane) || !FIND(last_error)) {
    return 0;
  }
  passed = !kernel_linear(&kernel) && !create(kernel, &model) &&
           !set_data(model, FREERIDGE_COL_MAJOR, 2, 1, x, 2, 1, y, 2) && !set_intercept(model, 0) &&
           !factorize(model) && !set_lambda(model, 3.0) && !get_hyperplane(model, &w, 1);
  if (!passed) fprintf(stderr, "%s\n", last_error());
  destroy(model);
  kernel_destroy(kernel);
  if (!(w > 1.0 - 1e-14 && w < 1.0 + 1e-14)) {
    fprintf(stderr, "w is %.17g, expected 1\n", w);
    return 0;
  }
  return passed;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s library exports.txt\n", argv[0]);
    return 2;
  }
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  return every_name_is_found(argv[2]) && the_line_runs() ? 0 : 1;
}
