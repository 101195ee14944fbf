/* Numbers of the plain reference in quadruple precision for every run of a sweep, beside those of the engine:
 *
 *   judge SWEEP.json [--alone] [--set PATH=VALUE ...]
 *
 * prints CSV: run, its values along the axes, status, metric, signal, engine, right, size of the signals, difference by
 * the right value, and by 2^-52 of the size. --alone: without the engine. A trouble of the input aborts it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "plain_judge.h"

struct row {
  size_t run;
  double status;
  const char *axes;
};

static void print_row(void *context, const struct plain_verdict *v) {
  const struct row *row = context;
  printf("%zu,\"%s\",%g,%s,%s,%.17g,%.17g,%.3g,%.3g,%.3g\n", row->run, row->axes, row->status,
         cs_metric_table[v->metric].name, v->signal, v->actual, v->expected, v->size, v->relative, v->units);
}

static void print_run(const struct harness *harness, size_t run, struct plain_result *result) {
  struct cs_text axes = {0};
  size_t index[PLAIN_MAX_AXES];
  plain_position(harness->sweep, run, index);
  cs_sweep_describe_run(harness->sweep, run, &axes);
  const double status = harness->table == NULL ? 0 : harness_value(harness->table, "status", index, NULL);
  struct row row = {run, status, axes.data};
  plain_run(harness->sweep, run, NULL, NULL, result);
  plain_judge(harness->sweep, harness->table, run, result, print_row, &row);
  cs_text_free(&axes);
}

int main(int argc, char **argv) {
  struct harness harness = {0};
  struct cs_error error;
  struct cs_device *device = NULL;
  const char *set[64];
  size_t sets = 0;
  bool alone = false;
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "--alone") == 0) alone = true;
    if (strcmp(argv[i], "--set") == 0 && i + 1 < argc && sets < 64) set[sets++] = argv[++i];
  }
  int code = argc < 2 ? CS_INPUT : cs_sweep_load(argv[1], set, sets, &harness.sweep, &error);
  if (argc < 2) snprintf(error.message, sizeof error.message, "usage: judge SWEEP.json [--alone] [--set PATH=VALUE]");
  if (code == CS_OK && !alone) code = cs_device_open(NULL, &device, &error);
  harness.device = device;
  if (code == CS_OK && !alone) harness_run(&harness);
  struct plain_result *result = malloc(sizeof *result);
  if (code == CS_OK && result != NULL) {
    printf("run,axes,status,metric,signal,engine,right,size,relative,units\n");
    for (size_t run = 0; run < harness.sweep->runs; run++)
      print_run(&harness, run, result);
  } else {
    fprintf(stderr, "%s\n", error.message);
  }
  free(result);
  cs_table_free(harness.table);
  cs_sweep_free(harness.sweep);
  cs_device_close(device);
  return code == CS_OK ? 0 : 1;
}
