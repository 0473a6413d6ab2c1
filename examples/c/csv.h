/*
 * csv.h - what the examples need to read files: numbers with commas between them, one header line, no quotes.
 * And CHECK: every call of the library returns a status; the words of the last failure are in freeridge_last_error().
 */
#ifndef EXAMPLES_CSV_H
#define EXAMPLES_CSV_H

#include <freeridge_classical.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const freeridge_status of_call = (call);                                               \
    if (of_call != FREERIDGE_OK) {                                                         \
      fprintf(stderr, "%s: %s\n", freeridge_status_name(of_call), freeridge_last_error()); \
      exit(EXIT_FAILURE);                                                                  \
    }                                                                                      \
  } while (0)

enum { LONGEST_LINE = 65536 };

static void stop(const char* what, const char* which) {
  fprintf(stderr, "%s: %s\n", which, what);
  exit(EXIT_FAILURE);
}

static void* allocate(int64_t count, size_t size) {
  void* memory = count > 0 ? calloc((size_t)count, size) : NULL;
  if (memory == NULL) stop("no memory", "malloc");
  return memory;
}

/* A file whose header line has been read: how many columns it has, and its name for messages. */
typedef struct {
  FILE* file;
  const char* name;
  int64_t columns, lines;
} csv_file;

static csv_file csv_open(const char* name) {
  static char line[LONGEST_LINE];
  csv_file csv = {fopen(name, "r"), name, 1, 1};
  if (csv.file == NULL) stop("cannot be opened", name);
  if (fgets(line, LONGEST_LINE, csv.file) == NULL) stop("is empty", name);
  for (const char* c = line; *c != '\0'; ++c) csv.columns += *c == ',';
  return csv;
}

/* The next row: `columns` numbers. 0 at the end of the file. */
static int csv_row(csv_file* csv, double* row) {
  static char line[LONGEST_LINE];
  if (fgets(line, LONGEST_LINE, csv->file) == NULL) return 0;
  ++csv->lines;
  char* at = line;
  for (int64_t j = 0; j < csv->columns; ++j) {
    char* end = NULL;
    row[j] = strtod(at, &end);
    const char expected = j + 1 < csv->columns ? ',' : '\n';
    if (end == at || (*end != expected && !(expected == '\n' && (*end == '\r' || *end == '\0')))) {
      fprintf(stderr, "line %lld: ", (long long)csv->lines);
      stop("not the numbers that the header announces", csv->name);
    }
    at = end + 1;
  }
  return 1;
}

static void csv_close(csv_file* csv) {
  fclose(csv->file);
}

/* A whole file, row-major. */
typedef struct {
  int64_t rows, columns;
  double* values;
} csv_table;

static inline csv_table csv_read(const char* name) {
  csv_file csv = csv_open(name);
  csv_table table = {0, csv.columns, NULL};
  int64_t room = 64;
  table.values = allocate(room * csv.columns, sizeof(double));
  while (csv_row(&csv, table.values + table.rows * csv.columns)) {
    if (++table.rows == room) {
      room *= 2;
      table.values = realloc(table.values, (size_t)(room * csv.columns) * sizeof(double));
      if (table.values == NULL) stop("no memory", name);
    }
  }
  csv_close(&csv);
  if (table.rows == 0) stop("has no rows", name);
  return table;
}

#endif
