/* Eigenvalues in the kernel: the fragment as C11 and through OpenCL with 1, 4 and 8 lanes, for 10^4 matrices of all
 * kinds. Every eigenvalue has a certificate; well conditioned ones are also compared with LAPACK's. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "define.h"
#include "device.h"
#include "facts.h"
#include "fragment.h"
#include "harness.h"
#include "layout.h"
#include "linalg.h"
#include "opencl.h"
#include "spectrum_case.h"
#include "text.h"

#define get_global_size(d) 1
enum { CS_SPECTRUM_FACTS(CS_FACT_ENUMERATOR) };

/* In the order of emission. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* of OpenCL compilers */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* clang-format off */
#include "kernels/lanes/lanes.clh"
#include "kernels/spectrum/matrix.clh"
#include "kernels/spectrum/rows.clh"
#include "kernels/spectrum/spectrum.clh"
#include "kernels/spectrum/spectrum.cl"
/* clang-format on */
#pragma GCC diagnostic pop

enum { LARGEST = 64 };

/* ---- matrices ---- */

static const struct {
  size_t n, count;
} sizes[] = {{1, 100}, {2, 860},  {3, 860},  {4, 860},  {5, 860},  {6, 860},  {7, 860}, {8, 860},
             {9, 860}, {10, 860}, {11, 860}, {12, 860}, {16, 200}, {24, 120}, {33, 80}, {64, 40}};

/* Matrices of one size, and their computed eigenvalues [count][n]. */
struct batch {
  size_t n, count;
  double *a, *re, *im;
  int *converged;
};

static void batch_open(size_t n, size_t count, struct batch *b) {
  uint64_t state = 1000 + n;
  *b = (struct batch){.n = n, .count = count};
  b->a = malloc(count * n * n * sizeof *b->a);
  b->re = calloc(count * n, sizeof *b->re);
  b->im = calloc(count * n, sizeof *b->im);
  b->converged = calloc(count, sizeof *b->converged);
  cr_assert(b->a && b->re && b->im && b->converged);
  for (size_t i = 0; i < count; i++)
    spectrum_matrix((enum spectrum_kind)(i % SPECTRUM_KINDS), n, &state, b->a + i * n * n);
}

static void batch_close(struct batch *b) {
  free(b->a);
  free(b->re);
  free(b->im);
  free(b->converged);
}

/* ---- checks ---- */

/* Whether lambda is an exact eigenvalue of a matrix within `allowed` of A, or of A balanced. */
static void expect_certificates(const struct batch *b, size_t number, const char *who, double *condition) {
  const size_t n = b->n;
  const double *a = b->a + number * n * n, allowed = 4.0 * (double)(n + 4) * DBL_EPSILON;
  double balanced[LARGEST * LARGEST];
  memcpy(balanced, a, n * n * sizeof *a);
  struct cs_component *components;
  double scale[LARGEST];
  cr_assert_eq(cs_component_new(n, &components, NULL), CS_OK);
  cs_component_find(components, n, a);
  cs_linalg_balance(components, a, scale);
  for (size_t i = 0; i < n * n; i++)
    balanced[i] *= scale[i % n] / scale[i / n];
  cs_component_free(components);
  for (size_t i = 0; i < n; i++) {
    const double re = b->re[number * n + i], im = b->im[number * n + i];
    double error, other, unused;
    spectrum_certify(n, a, re, im, &error, &condition[i]);
    if (error <= allowed) continue;
    spectrum_certify(n, balanced, re, im, &other, &unused);
    cr_expect(other <= allowed, "%s: %zu rows, kind %zu, matrix %zu: %g%+gi is off by %g, balanced %g, allowed %g", who,
              n, number % SPECTRUM_KINDS, number, re, im, error, other, allowed);
  }
}

/* Distance from the others, relative to the norm: for close ones the condition number does not bound the error. */
static double separation(const struct batch *b, size_t number, size_t i) {
  const double *re = b->re + number * b->n, *im = b->im + number * b->n;
  double least = INFINITY;
  for (size_t j = 0; j < b->n; j++)
    if (j != i) least = fmin(least, hypot(re[j] - re[i], im[j] - im[i]));
  return least / spectrum_norm(b->n, b->a + number * b->n * b->n);
}

/* LAPACK finds every well conditioned and well separated eigenvalue, too. Returns their number. */
static size_t expect_same_as_lapack(const struct batch *b, size_t number, const char *who, const double *condition) {
  const size_t n = b->n;
  const double *re = b->re + number * n, *im = b->im + number * n;
  const double allowed = 8.0 * (double)(n + 4) * DBL_EPSILON * spectrum_norm(n, b->a + number * n * n);
  double copy[LARGEST * LARGEST], x[LARGEST], y[LARGEST];
  struct cs_error error;
  size_t compared = 0;
  memcpy(copy, b->a + number * n * n, n * n * sizeof *copy);
  cr_assert_eq(cs_linalg_eigenvalues(n, copy, x, y, &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < n; i++) {
    size_t best = 0;
    if (condition[i] > 1e4 || !(separation(b, number, i) > 1e-4)) continue;
    for (size_t j = 1; j < n; j++)
      if (hypot(x[j] - re[i], y[j] - im[i]) < hypot(x[best] - re[i], y[best] - im[i])) best = j;
    compared++;
    const double distance = hypot(x[best] - re[i], y[best] - im[i]);
    cr_expect(distance <= allowed * condition[i],
              "%s: %zu rows, kind %zu, matrix %zu: %.17g%+.17gi, LAPACK has %.17g%+.17gi, condition %g", who, n,
              number % SPECTRUM_KINDS, number, re[i], im[i], x[best], y[best], condition[i]);
  }
  return compared;
}

/* The sum of the eigenvalues is the trace, every complex one has its conjugate, and all are sorted. */
static void expect_trace_and_order(const struct batch *b, size_t number, const char *who) {
  const size_t n = b->n;
  const double *a = b->a + number * n * n, *re = b->re + number * n, *im = b->im + number * n;
  const double norm = spectrum_norm(n, a), allowed = 4.0 * (double)(n + 4) * sqrt((double)n) * DBL_EPSILON * norm;
  double trace = 0.0, imaginary = 0.0;
  for (size_t i = 0; i < n; i++) {
    trace += a[i * n + i] - re[i];
    imaginary += im[i];
  }
  cr_expect(fabs(trace) <= allowed, "%s: %zu rows, kind %zu, matrix %zu: trace off by %g, allowed %g", who, n,
            number % SPECTRUM_KINDS, number, trace, allowed);
  cr_expect_eq(imaginary, 0.0, "%s: %zu rows, matrix %zu", who, n, number);
  for (size_t i = 0; i < n; i++) {
    size_t here = 0, conjugate = 0;
    cr_expect(im[i] != 0.0 || !signbit(im[i]), "%s: %zu rows, matrix %zu: -0 i", who, n, number);
    for (size_t j = 0; j < n; j++) {
      here += re[j] == re[i] && im[j] == im[i];
      conjugate += re[j] == re[i] && im[j] == -im[i];
    }
    cr_expect_eq(here, conjugate, "%s: %zu rows, matrix %zu: eigenvalue %zu", who, n, number, i);
    if (i > 0) cr_expect_geq(hypot(re[i - 1], im[i - 1]) * (1.0 + 1e-15), hypot(re[i], im[i]));
  }
}

/* Returns the number of eigenvalues compared with LAPACK's. */
static size_t expect_batch(const struct batch *b, const char *who) {
  double condition[LARGEST];
  size_t compared = 0;
  for (size_t i = 0; i < b->count; i++) {
    cr_expect(b->converged[i], "%s: %zu rows, kind %zu, matrix %zu did not converge", who, b->n, i % SPECTRUM_KINDS, i);
    if (!b->converged[i]) continue;
    expect_certificates(b, i, who, condition);
    compared += expect_same_as_lapack(b, i, who, condition);
    expect_trace_and_order(b, i, who);
  }
  return compared;
}

/* ---- as C11 ---- */

static void run_plainly(size_t n, const double *a, double *re, double *im, int *converged) {
  static V room[SPECTRUM_ITEMS(LARGEST)];
  for (size_t i = 0; i < n * n; i++)
    room[i / n * SPECTRUM_ROW(n) + i % n] = a[i];
  *converged = spectrum(room, 1, (int)n);
  sort_spectrum(room, 1, (int)n);
  for (size_t i = 0; i < n; i++) {
    re[i] = room[SPECTRUM_RE(n, i)];
    im[i] = room[SPECTRUM_IM(n, i)];
  }
}

Test(spectrum, certified_and_as_lapack_has_them) {
  size_t compared = 0, all = 0;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    struct batch b;
    all += sizes[s].n * sizes[s].count;
    batch_open(sizes[s].n, sizes[s].count, &b);
    for (size_t i = 0; i < b.count; i++)
      run_plainly(b.n, b.a + i * b.n * b.n, b.re + i * b.n, b.im + i * b.n, &b.converged[i]);
    compared += expect_batch(&b, "C11");
    batch_close(&b);
  }
  cr_expect_gt(3 * compared, all, "%zu of %zu are compared with LAPACK's", compared, all);
}

/* Triangular up to the order of rows: the diagonal itself, whatever the other entries. */
Test(spectrum, triangular_matrices_are_solved_exactly) {
  uint64_t state = 5;
  double a[LARGEST * LARGEST], re[LARGEST], im[LARGEST];
  int converged;
  for (size_t n = 1; n <= 24; n++) {
    for (int which = 0; which < 2; which++) {
      spectrum_matrix(which ? SPECTRUM_NILPOTENT : SPECTRUM_TRIANGULAR, n, &state, a);
      run_plainly(n, a, re, im, &converged);
      cr_expect(converged);
      for (size_t i = 0; i < n; i++) {
        int found = 0;
        for (size_t j = 0; j < n; j++)
          found += a[j * n + j] == re[i];
        cr_expect(found && im[i] == 0.0, "%zu rows: %.17g%+gi is not on the diagonal", n, re[i], im[i]);
      }
    }
  }
}

/* Three dense rows and a chain of eight memories before or after them: zeros, not eighth roots of the rounding unit. */
Test(spectrum, memories_beside_a_dense_block_decay_at_once) {
  enum { DENSE = 3, N = 11 };
  uint64_t state = 8;
  double a[N * N], re[N], im[N];
  int converged;
  for (int which = 0; which < 100; which++) {
    memset(a, 0, sizeof a);
    for (size_t i = 0; i < N; i++)
      for (size_t j = 0; j < DENSE; j++)
        a[which % 2 ? i * N + j : j * N + i] = spectrum_random(&state);
    for (size_t i = DENSE + 1; i < N; i++)
      a[which % 2 ? i * N + i - 1 : (i - 1) * N + i] = 1.0;
    spectrum_shuffle(N, &state, a);
    run_plainly(N, a, re, im, &converged);
    cr_expect(converged);
    for (size_t i = DENSE; i < N; i++)
      cr_expect_leq(hypot(re[i], im[i]), 1e-15, "matrix %d: eigenvalue %zu is %g%+gi", which, i, re[i], im[i]);
  }
}

/* Undamped: nothing grows or decays. */
Test(spectrum, orthogonal_matrices_keep_to_the_unit_circle) {
  uint64_t state = 6;
  double a[LARGEST * LARGEST], re[LARGEST], im[LARGEST];
  int converged;
  for (size_t n = 1; n <= LARGEST; n++) {
    spectrum_matrix(SPECTRUM_ORTHOGONAL, n, &state, a);
    run_plainly(n, a, re, im, &converged);
    cr_expect(converged);
    for (size_t i = 0; i < n; i++)
      cr_expect_float_eq(hypot(re[i], im[i]), 1.0, 2e-15 * (double)(n + 4), "%zu rows: %.17g%+.17gi", n, re[i], im[i]);
  }
}

Test(spectrum, what_is_not_finite_ends_and_does_not_converge) {
  static const double odd[] = {NAN, INFINITY, -INFINITY};
  uint64_t state = 7;
  double a[LARGEST * LARGEST], re[LARGEST], im[LARGEST];
  int converged;
  for (size_t n = 1; n <= 20; n++) {
    for (size_t which = 0; which < 3 * n * n; which += n) {
      spectrum_matrix(SPECTRUM_DENSE, n, &state, a);
      a[which / 3] = odd[which % 3];
      run_plainly(n, a, re, im, &converged);
      cr_expect_not(converged, "%zu rows, entry %zu", n, which / 3);
      for (size_t i = 0; i < n; i++)
        cr_expect(isnan(re[i]) && isnan(im[i]));
      cr_expect_eq(cs_linalg_eigenvalues(n, a, re, im, NULL), CS_INPUT);
    }
  }
}

/* The host's workspace of a work-item is what the fragment uses. */
Test(spectrum, workspace_is_what_the_host_gives) {
  for (size_t n = 0; n <= LARGEST; n++) {
    const struct cs_layout layout = {.kind.stability = true, .dims.modes = n};
    cr_expect_eq(cs_layout_workspace(&layout, 1), SPECTRUM_ITEMS(n) * sizeof(double), "%zu rows", n);
  }
}

/* ---- the entry point ---- */

/* z = (r1, r2, 1 | x1, memory, x2), the memory's row of the map without entries: the places of the block's entries
 * among the map's 18, the rows of Psi - I, the places of M's entries among the coefficients. */
enum { ROWS = 3, STATES = 2, ITEMS = 18, COEFFICIENTS = K_NEUTRAL + 1, STATE_ITEMS = STATE_EIGENVALUES + 2 * ROWS };
static const int64_t table[] = {9, 10, 11, -1, -1, -1, 15, 16, 17, 1, 0, 1, 1, 2, 3, 4};

/* Psi's rows of x1 and x2 for the coordinates (x1, memory, x2), eigenvalues of M taken for 0 and how far rounding moves
 * theirs, and what is to come of it. */
static const struct {
  double x1[3], x2[3], zeros, neutral, radius, decaying, re[3], im[3];
} examples[] = {
    {{1, 9, 0}, {3, 9, 0.5}, 0, 1e-9, 1, 0.5, {1, 0.5, 0}, {0}},
    {{1 - 5e-10, 0, 0}, {0, 0, 0.5}, 1, 1e-9, 1 - 5e-10, 0.5, {1 - 5e-10, 0.5, 0}, {0}},
    {{1 + 2e-9, 0, 0}, {0, 0, 1}, 0, 1e-9, 1 + 2e-9, 1 + 2e-9, {1 + 2e-9, 1, 0}, {0}},
    {{0.6, -2, 0.8}, {-0.8, 1, 0.6}, 1, 1e-9, 1, 1, {0.6, 0.6, 0}, {0.8, -0.8, 0}},
    {{0, 0, -4}, {1, 0, 0}, 0, 1e-9, 2, 2, {0, 0, 0}, {2, -2, 0}},
    {{-3, 0, 0}, {0, 0, 3}, 1, 1e-9, 3, 3, {3, -3, 0}, {0}},
    {{0, 1, 0}, {0, 1, 0}, 0, 1e-9, 0, 0, {0, 0, 0}, {0}},
    {{0, 1, NAN}, {0, 1, 0}, 1, 1e-9, NAN, NAN, {NAN, NAN, NAN}, {NAN, NAN, NAN}},
    /* separated by rounding, as real numbers or as a pair; one of them beyond that, within reach and out of it */
    {{1 + 1e-8, 0, 0}, {0, 0, 1 - 1e-8}, 2, 3e-7, 1, 0, {1 + 1e-8, 1 - 1e-8, 0}, {0}},
    {{1, 0, 1e-7}, {-1e-7, 0, 1}, 2, 3e-7, 1, 0, {1, 1, 0}, {1e-7, -1e-7, 0}},
    {{1 + 2e-8, 0, 0}, {0, 0, 1 - 1e-8}, 2, 3e-7, 1 + 1e-8, 1 + 1e-8, {1 + 2e-8, 1 - 1e-8, 0}, {0}},
    {{1, 0, 0}, {0, 0, 1 + 2e-7}, 2, 3e-7, 1 + 2e-7, 1 + 2e-7, {1 + 2e-7, 1, 0}, {0}},
    {{1, 0, 0}, {0, 0, 1 + 4e-7}, 2, 3e-7, 1 + 4e-7, 1 + 4e-7, {1 + 4e-7, 1, 0}, {0}},
    {{1, 0, 0}, {0, 0, 1 - 2e-7}, 2, 3e-7, 1, 0, {1, 1 - 2e-7, 0}, {0}},
    {{1, 0, 0}, {0, 0, 1 - 4e-7}, 2, 3e-7, 1, 1 - 4e-7, {1, 1 - 4e-7, 0}, {0}},
    {{1 - 2e-7, 0, 0}, {0, 0, 1 + 1e-7}, 1, 3e-7, 1 + 1e-7, 1 + 1e-7, {1 + 1e-7, 1 - 2e-7, 0}, {0}},
};

enum { EXAMPLES = sizeof examples / sizeof *examples };
_Static_assert(EXAMPLES % 8 == 0, "whole vectors");

/* M = ((-1, 4), (-4, -1)). */
static void put_coefficients(size_t number, double *k) {
  static const double m[] = {NAN, -1, 4, -4, -1};
  for (size_t i = 0; i < COEFFICIENTS; i++)
    k[i] = i < sizeof m / sizeof *m ? m[i] : NAN;
  k[K_ZEROS] = examples[number].zeros;
  k[K_NEUTRAL] = examples[number].neutral;
}

/* Entries outside the block are NaN. */
static void put_example(size_t number, double *data) {
  for (size_t i = 0; i < ITEMS; i++)
    data[i] = NAN;
  for (size_t j = 0; j < 3; j++) {
    data[9 + j] = examples[number].x1[j] - (j == 0);
    data[15 + j] = examples[number].x2[j] - (j == 2);
  }
  const double repetition[] = {0, 3, -3, 0}; /* eigenvalues +-3i */
  memcpy(data + 2, repetition, sizeof repetition);
}

static int is_near(double value, double want) {
  return isnan(want) ? isnan(value) : fabs(value - want) <= 1e-15 * (1.0 + fabs(want));
}

static void expect_example(size_t number, const double *state) {
  const int failed = isnan(examples[number].radius);
  cr_expect(is_near(state[STATE_RADIUS], examples[number].radius), "%zu: %.17g", number, state[STATE_RADIUS]);
  cr_expect(is_near(state[STATE_DECAYING], examples[number].decaying), "%zu: %.17g", number, state[STATE_DECAYING]);
  cr_expect(is_near(state[STATE_GROWTH_EXACT], examples[number].zeros == 0 ? -1.0 : 0.0), "%zu: %.17g", number,
            state[STATE_GROWTH_EXACT]);
  cr_expect_eq(state[STATE_FAILED], failed);
  cr_expect(is_near(state[STATE_CONTRACTION], 3), "%zu: contraction %.17g", number, state[STATE_CONTRACTION]);
  for (size_t i = 0; i < 3; i++) {
    const double re = state[STATE_EIGENVALUES + i], im = state[STATE_EIGENVALUES + 3 + i];
    cr_expect(is_near(re, examples[number].re[i]), "%zu: eigenvalue %zu: %.17g", number, i, re);
    cr_expect(is_near(im, examples[number].im[i]), "%zu: eigenvalue %zu: %.17g i", number, i, im);
  }
}

Test(spectrum, entry_point_leaves_radius_growth_and_eigenvalues) {
  double room[SPECTRUM_ITEMS(ROWS)], state[STATE_ITEMS], data[ITEMS], coefficients[COEFFICIENTS];
  for (size_t i = 0; i < EXAMPLES; i++) {
    put_example(i, data);
    put_coefficients(i, coefficients);
    spectrum_lanes(coefficients, data, state, room, table, ITEMS, 1, 0, 1, ROWS, STATES, COEFFICIENTS, STATE_ITEMS, 1,
                   2, 2);
    expect_example(i, state);
  }
}

/* ---- through OpenCL ---- */

static struct cs_device *device;
static struct cs_error error;

static void open_device(void) {
  opencl_needed();
  setenv("POCL_KERNEL_CACHE", "0", 1);
  setenv("COSWEEP_DEVICE", "cpu", 1);
  cr_assert_eq(cs_device_open(NULL, &device, &error), CS_OK, "%s", error.message);
}

static void close_device(void) {
  cs_device_close(device);
}

TestSuite(opencl, .init = open_device, .fini = close_device);

static const char *const test_kernel =
    "__kernel void find(__global const double *a, __global double *found, __global double *room, const long n,\n"
    "                   const long groups) {\n"
    "  const long g = get_global_id(0);\n"
    "  const size_t stride = LANE_STRIDE(groups);\n"
    "  __global const double *from = LANE_SCOPE(a, n * n, g, groups);\n"
    "  __global double *w = LANE_SCOPE(room, SPECTRUM_ITEMS(n), g, groups);\n"
    "  __global double *to = LANE_SCOPE(found, 2 * n + 1, g, groups);\n"
    "  for (int i = 0; i < n * n; i++) PUT(w, i / n * SPECTRUM_ROW(n) + i % n, AT(from, i));\n"
    "  const M converged = spectrum(w, stride, (int)n);\n"
    "  sort_spectrum(w, stride, (int)n);\n"
    "  for (int i = 0; i < 2 * n; i++) PUT(to, i, AT(w, SPECTRUM_RE(n, i)));\n"
    "  PUT(to, 2 * n, SEL(converged, (V)1.0, (V)0.0));\n"
    "}\n";

/* lanes.clh, the fragments of spectrum/ and `last`. */
static void build(unsigned lanes, const char *last, const char *name, struct cs_program **program,
                  struct cs_kernel **kernel) {
  struct cs_text text = {0};
  cs_text_add(&text, "#define VW %u\n", lanes);
  cs_define_facts(&(struct cs_define){.text = &text}, CS_FACTS_SPECTRUM);
  const char *part[] = {cs_fragment("lanes/lanes.clh"), cs_fragment("spectrum/matrix.clh"),
                        cs_fragment("spectrum/rows.clh"), cs_fragment("spectrum/spectrum.clh"), last};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    cs_text_append(&text, part[i], strlen(part[i]));
    cs_text_add(&text, "\n");
  }
  cr_assert_eq(cs_device_program_build(device, text.data, NULL, program, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_kernel_open(*program, name, kernel, &error), CS_OK, "%s", error.message);
  cs_text_free(&text);
}

/* Runs a kernel on buffers of these sizes: writes those that have `in`, reads those that have `out`. */
struct argument {
  size_t count;
  const void *in;
  double *out;
};

static void run_kernel(struct cs_kernel *kernel, unsigned buffers, const struct argument *argument, unsigned numbers,
                       const int64_t *number, size_t groups) {
  const size_t global[] = {groups, 1}, local[] = {1, 1}; /* PoCL compiles for every size of a group */
  struct cs_buffer *buffer[5];
  struct cs_span span;
  for (unsigned i = 0; i < buffers; i++) {
    const size_t bytes = argument[i].count * sizeof(double);
    cr_assert_eq(cs_device_buffer_new(device, bytes, &buffer[i], &error), CS_OK, "%s", error.message);
    if (argument[i].in != NULL)
      cr_assert_eq(cs_device_buffer_write(buffer[i], 0, bytes, argument[i].in, &error), CS_OK, "%s", error.message);
    cr_assert_eq(cs_device_kernel_set_buffer(kernel, i, buffer[i], &error), CS_OK, "%s", error.message);
  }
  for (unsigned i = 0; i < numbers; i++)
    cr_assert_eq(cs_device_kernel_set_long(kernel, buffers + i, number[i], &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_kernel_run(kernel, 1, global, local, &span, &error), CS_OK, "%s", error.message);
  for (unsigned i = 0; i < buffers; i++) {
    const size_t bytes = argument[i].count * sizeof(double);
    if (argument[i].out != NULL)
      cr_assert_eq(cs_device_buffer_read(buffer[i], 0, bytes, argument[i].out, &error), CS_OK, "%s", error.message);
    cs_device_buffer_free(buffer[i]);
  }
}

/* Position of an item of a lane, see lanes.clh. */
static size_t place(unsigned lanes, size_t groups, size_t items, size_t lane, size_t item) {
  return lanes == 1 ? item * groups + lane : ((lane / lanes) * items + item) * lanes + lane % lanes;
}

/* Matrix i of the batch in lane slot[i]; the other lanes hold `fill`. */
static void run_slots(struct cs_kernel *kernel, unsigned lanes, size_t groups, const size_t *slot, double fill,
                      struct batch *b) {
  const size_t n = b->n, all = groups * lanes;
  double *in = malloc(all * n * n * sizeof *in), *out = malloc(all * (2 * n + 1) * sizeof *out);
  cr_assert(in && out);
  for (size_t i = 0; i < all * n * n; i++)
    in[i] = fill;
  for (size_t i = 0; i < b->count; i++)
    for (size_t j = 0; j < n * n; j++)
      in[place(lanes, groups, n * n, slot[i], j)] = b->a[i * n * n + j];
  const struct argument argument[] = {
      {all * n * n, in, NULL}, {all * (2 * n + 1), NULL, out}, {all * SPECTRUM_ITEMS(n), NULL, NULL}};
  run_kernel(kernel, 3, argument, 2, (const int64_t[]){(int64_t)n, (int64_t)groups}, groups);
  for (size_t i = 0; i < b->count; i++) {
    for (size_t j = 0; j < n; j++) {
      b->re[i * n + j] = out[place(lanes, groups, 2 * n + 1, slot[i], j)];
      b->im[i * n + j] = out[place(lanes, groups, 2 * n + 1, slot[i], n + j)];
    }
    b->converged[i] = out[place(lanes, groups, 2 * n + 1, slot[i], 2 * n)] == 1.0;
  }
  free(in);
  free(out);
}

/* With neighbours, every seventh of them NaN, and alone in a vector of zeros: the same bytes. */
static void expect_batch_through_opencl(struct cs_kernel *kernel, unsigned lanes, size_t n, size_t count) {
  struct batch company, alone;
  char who[32];
  size_t *slot = malloc(count * sizeof *slot);
  cr_assert_not_null(slot);
  snprintf(who, sizeof who, "%u lanes", lanes);
  batch_open(n, count, &company);
  batch_open(n, count, &alone);
  for (size_t i = 0; i < count; i++)
    slot[i] = i + i / 6;
  run_slots(kernel, lanes, (slot[count - 1] + lanes) / lanes, slot, NAN, &company);
  for (size_t i = 0; i < count; i++)
    slot[i] = i * lanes + i % lanes;
  run_slots(kernel, lanes, count, slot, 0.0, &alone);
  expect_batch(&company, who);
  for (size_t i = 0; i < count; i++) {
    const int same = memcmp(company.re + i * n, alone.re + i * n, n * sizeof(double)) == 0 &&
                     memcmp(company.im + i * n, alone.im + i * n, n * sizeof(double)) == 0;
    cr_expect(same && alone.converged[i] == company.converged[i],
              "%s: %zu rows, kind %zu, matrix %zu: neighbours change it", who, n, i % SPECTRUM_KINDS, i);
  }
  batch_close(&company);
  batch_close(&alone);
  free(slot);
}

static void expect_all_through_opencl(unsigned lanes) {
  struct cs_program *program;
  struct cs_kernel *kernel;
  build(lanes, test_kernel, "find", &program, &kernel);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    expect_batch_through_opencl(kernel, lanes, sizes[s].n, sizes[s].count);
  cs_device_kernel_free(kernel);
  cs_device_program_free(program);
}

Test(opencl, one_lane) {
  expect_all_through_opencl(1);
}

Test(opencl, four_lanes) {
  expect_all_through_opencl(4);
}

Test(opencl, eight_lanes) {
  expect_all_through_opencl(8);
}

Test(opencl, entry_point_with_lanes) {
  static const unsigned width[] = {1, 4, 8};
  for (size_t v = 0; v < 3; v++) {
    const unsigned lanes = width[v];
    const size_t groups = EXAMPLES / lanes;
    double k[EXAMPLES * COEFFICIENTS], data[EXAMPLES * ITEMS], state[EXAMPLES * STATE_ITEMS], one[ITEMS],
        coefficients[COEFFICIENTS];
    struct cs_program *program;
    struct cs_kernel *kernel;
    for (size_t i = 0; i < EXAMPLES; i++) {
      put_example(i, one);
      for (size_t j = 0; j < ITEMS; j++)
        data[place(lanes, groups, ITEMS, i, j)] = one[j];
      put_coefficients(i, coefficients);
      for (size_t j = 0; j < COEFFICIENTS; j++)
        k[place(lanes, groups, COEFFICIENTS, i, j)] = coefficients[j];
    }
    const struct argument argument[] = {{EXAMPLES * COEFFICIENTS, k, NULL},
                                        {EXAMPLES * ITEMS, data, NULL},
                                        {EXAMPLES * STATE_ITEMS, state, state},
                                        {lanes * SPECTRUM_ITEMS(ROWS), NULL, NULL},
                                        {sizeof table / sizeof *table, table, NULL}};
    const int64_t number[] = {ITEMS, (int64_t)groups, 0, (int64_t)groups, ROWS, STATES, COEFFICIENTS, STATE_ITEMS, 1, 2,
                              2};
    build(lanes, cs_fragment("spectrum/spectrum.cl"), "spectrum_lanes", &program, &kernel);
    memset(state, 0, sizeof state);
    run_kernel(kernel, 5, argument, 11, number, 1);
    for (size_t i = 0; i < EXAMPLES; i++) {
      for (size_t j = 0; j < STATE_ITEMS; j++)
        one[j] = state[place(lanes, groups, STATE_ITEMS, i, j)];
      expect_example(i, one);
    }
    cs_device_kernel_free(kernel);
    cs_device_program_free(program);
  }
}
