/* Times the two-mass study by hand and prints one JSON line. */
#include "two_mass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* Ensembles fill the widest vectors, also where the loop is scalar: all implementations take the same ones. */
enum { RUNS_MULTIPLE = 8 };

static const double t_end = 100; /* s, as in two_mass_order1.json */

struct options {
  size_t runs;
  double smallest; /* step size, s */
  unsigned threads;
  const char *values; /* file for the results of every run, or NULL */
};

static int usage(const char *program) {
  fprintf(stderr,
          "usage: %s [--runs N] [--smallest H] [--threads N] [--values FILE]\n"
          "  --runs N      runs of the ensemble, a multiple of %d from %d to 1048576 (default 4096)\n"
          "  --smallest H  smallest step size, below 1 s (default 0.001); the largest one is 1 s\n"
          "  --threads N   threads, 1 to %d (default: every processor)\n"
          "  --values FILE write step size, steps and the six RMS results of every run\n",
          program, RUNS_MULTIPLE, RUNS_MULTIPLE, MAX_THREADS);
  return 2;
}

static int parse(int argc, char **argv, struct options *options) {
  *options = (struct options){.runs = 4096, .smallest = 1e-3, .threads = measure_processors()};
  for (int i = 1; i < argc; i += 2) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    long count = 0;
    if (strcmp(argv[i], "--runs") == 0) {
      count = measure_count(value, RUNS_MULTIPLE, 1 << 20);
      if (count % RUNS_MULTIPLE) count = -1;
      options->runs = (size_t)count;
    } else if (strcmp(argv[i], "--smallest") == 0) {
      options->smallest = strtod(value, NULL);
      if (!(options->smallest >= 1e-6 && options->smallest < 1)) count = -1;
    } else if (strcmp(argv[i], "--threads") == 0) {
      count = measure_count(value, 1, MAX_THREADS);
      options->threads = (unsigned)count;
    } else if (strcmp(argv[i], "--values") == 0 && *value) {
      options->values = value;
    } else {
      count = -1;
    }
    if (count < 0) return usage(argv[0]);
  }
  return 0;
}

static void run_vector(void *context, size_t item) {
  two_mass_run(context, item * two_mass_width);
}

static int write_values(const struct ensemble *ensemble, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  fputs(
      "H,steps,output_defect_tau1,output_defect_omega2,connection_defect_omega2,connection_defect_tau1,"
      "output_error_tau1,output_error_omega2\n",
      file);
  for (size_t run = 0; run < ensemble->runs; run++) {
    double result[RESULTS];
    two_mass_results(ensemble, run, result);
    fprintf(file, "%.17g,%ld", ensemble->step_size[run], ensemble->steps[run]);
    for (size_t i = 0; i < RESULTS; i++)
      fprintf(file, ",%.17g", result[i]);
    fputc('\n', file);
  }
  const int failed = ferror(file);
  return fclose(file) || failed ? -1 : 0;
}

static void print_case(const struct ensemble *ensemble, const struct options *options,
                       const struct measured *measured) {
  char device[256];
  double steps = 0, checksum = 0, result[RESULTS];
  measure_device(device, sizeof device);
  for (size_t run = 0; run < ensemble->runs; run++) {
    steps += (double)ensemble->steps[run];
    two_mass_results(ensemble, run, result);
    for (size_t i = 0; i < RESULTS; i++)
      checksum += result[i];
  }
  printf(
      "{\"case\": \"two_mass_order1\", \"implementation\": \"%s\", \"device\": \"%s\", \"threads\": %u, \"runs\": %zu, "
      "\"steps\": %.0f, \"step_operations\": %d, \"seconds\": %.6g, \"core_seconds\": %.6g, \"checksum\": %.12g}\n",
      two_mass_implementation, device, options->threads, ensemble->runs, steps, STEP_OPERATIONS, measured->seconds,
      measured->core_seconds, checksum);
}

int main(int argc, char **argv) {
  struct options options;
  struct ensemble ensemble = {0};
  struct measured measured;
  int status = parse(argc, argv, &options);
  if (status) return status;
  status = 1;
  if (ensemble_new(options.runs, options.smallest, t_end, &ensemble)) {
    fprintf(stderr, "%s: not enough memory for %zu runs\n", argv[0], options.runs);
    goto out;
  }
  if (measure_threads(options.threads, options.runs / two_mass_width, run_vector, &ensemble, &measured)) {
    fprintf(stderr, "%s: could not start %u threads\n", argv[0], options.threads);
    goto out;
  }
  if (options.values && write_values(&ensemble, options.values)) {
    fprintf(stderr, "%s: %s: could not be written\n", argv[0], options.values);
    goto out;
  }
  print_case(&ensemble, &options, &measured);
  status = 0;
out:
  ensemble_free(&ensemble);
  return status;
}
