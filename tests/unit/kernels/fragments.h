/* The fragments of kernels/ as C11 with one lane, for a small hand-written network: the tables that emission prints for
 * a variant are written out here. Included by test_fragments.c and test_dopri5.c.
 *
 * Subsystem 1: one state, solver heun with two micro steps; subsystem 2: two states, solver trapezoidal with one. No
 * feed-through: y = (2 x_1, x_2 - x_3), u = (y_2 + b, y_1), constant e. Hold lagrange, carried to degree 2. */
#ifndef COSWEEP_TESTS_FRAGMENTS_H
#define COSWEEP_TESTS_FRAGMENTS_H

#include "dopri5.h"
#include "facts.h"

#define NR 4
#define STIFF 0
#define HIGHER 0
#define NX 3
#define NU 2
#define NU1 2
#define NY 2
#define NY1 2
#define NZ 1
#define NQ 3
#define DERIVATIVES 1
#define VARIES 0
#define CYCLE 0
#define ACROSS 0
#define FOLLOWS_MODEL 0
#define FOLLOWS_THROUGHOUT 0
#define INTERPOLATES 0
#define JOINS 0
#define BLOCKS 1
#define PARTS 1
#define COEFFICIENTS (K_X0 + 2)
#define SEGMENTS 2
#define PIECES 2
#define INEXACT 1
#define ANY_IMPLICIT 1
#define ANY_FROZEN 0
#define INSIDE_ROWS 2
#define POINT_ITEMS 3
#define INSIDE_ITEMS 2
#define ROW_INPUT_ERROR 0
#define ROW_STATE_ERROR -1
#define ROW_OUTPUT_ERROR -1
#define ROW_OUTPUT_DEFECT_TRUE -1
#define ROW_INTEGRATION_DEFECT -1
#define WANT_INPUT_ERROR 1
#define WANT_STATE_ERROR 0
#define WANT_OUTPUT_ERROR 0
#define WANT_OUTPUT_DEFECT_TRUE 0
#define WANT_INTEGRATION_DEFECT 0
#define WANT_BOND_ENERGY 0
#define SIZE_MAX_ 2
#define SERIES_REACH CS_SERIES_REACH
#define NODES_FEW 7
#define GRADED 0
#define MODE_OCTAVE 0
#define K_NODE 0
#define K_SOLVER_TOLERANCE K_X0
#ifndef ADAPTIVES
#define ADAPTIVES 0
#endif

enum {
  CS_LANE_FACTS(CS_FACT_ENUMERATOR) CS_SOLVER_FACTS(CS_FACT_ENUMERATOR) CS_DOPRI5_FACTS(CS_FACT_ENUMERATOR) ROWS_ =
      CS_DOPRI5_ROWS
};

/* Tables of dopri5, which its test fills. */
static const int ADAPTIVE[NX] = {1, 1, 1}, SUBSYSTEM[NX] = {0, 1, 1}, FROZEN[NX] = {0};
static double DOPRI5_A[DOPRI5_STAGES * DOPRI5_STAGES], DOPRI5_B[ROWS_ * DOPRI5_STAGES], DOPRI5_C[DOPRI5_STAGES];
static double DOPRI5_WEIGHT[ROWS_ * DOPRI5_STAGES * (SERIES + 1)];

static const int INPUT_ORDER[NU] = {2, 1}, OUTPUT_ORDER[NY] = {2, 1}, JOINT_AT[NU] = {-1, -1};
static const int BLOCK[NZ] = {0}, BLOCK_FIRST[BLOCKS + 1] = {0, 1}, ENTRY[] = {0}, INSIDE_ENTRY[INSIDE_ROWS] = {0, 1};
static const int SLOT[NX] = {0, 1, 1}, LENGTH[NX] = {1, 2, 2}, FIRST[NX] = {0, 1, 1}, SIZE[NX] = {1, 2, 2};
static const int HERMITE[2] = {1, 1};
static const double IMPLICIT[2] = {0, 0.5};
static const double STAGE_A[2 * STAGES_MAX * STAGES_MAX] = {[4] = 1}, STAGE_B[2 * STAGES_MAX] = {0.5, 0.5};
static const double STAGE_C[2 * STAGES_MAX] = {0, 1};
/* heun: (n/2 - 1) X_n - hHA X_n / 2 from n = 2; trapezoidal: (n/2 - 1) X_n from n = 3 */
static const double WEIGHT[2 * STAGES_MAX * (SERIES + 1)] = {0,
                                                             0,
                                                             0,
                                                             0.5,
                                                             1,
                                                             1.5,
                                                             2,
                                                             2.5,
                                                             3,
                                                             3.5,
                                                             4,
                                                             4.5,
                                                             5,
                                                             5.5,
                                                             6,
                                                             6.5,
                                                             7,
                                                             7.5,
                                                             8,
                                                             8.5,
                                                             9,
                                                             9.5,
                                                             10,
                                                             10.5,
                                                             11,
                                                             11.5,
                                                             12,
                                                             12.5,
                                                             13,
                                                             0,
                                                             0,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             -0.5,
                                                             [STAGES_MAX * (SERIES + 1) + 3] = 0.5,
                                                             1,
                                                             1.5,
                                                             2,
                                                             2.5,
                                                             3,
                                                             3.5,
                                                             4,
                                                             4.5,
                                                             5,
                                                             5.5,
                                                             6,
                                                             6.5,
                                                             7,
                                                             7.5,
                                                             8,
                                                             8.5,
                                                             9,
                                                             9.5,
                                                             10,
                                                             10.5,
                                                             11,
                                                             11.5,
                                                             12,
                                                             12.5,
                                                             13};
/* Gauss-Legendre nodes and weights on [0, 1] */
static const double NODE_FEW[NODES_FEW] = {0.025446043828620736, 0.12923440720030277, 0.29707742431130141, 0.5,
                                           0.70292257568869854,  0.87076559279969723, 0.9745539561713793};
static const double WEIGHT_FEW[NODES_FEW] = {0.064742483084434851, 0.13985269574463832, 0.19091502525255946,
                                             0.2089795918367347,   0.19091502525255946, 0.13985269574463832,
                                             0.064742483084434851};
static const double NODE_FULL[NODES_FULL] = {0.019855071751231884, 0.10166676129318664, 0.2372337950418355,
                                             0.40828267875217511,  0.59171732124782495, 0.7627662049581645,
                                             0.89833323870681336,  0.98014492824876809};
static const double WEIGHT_FULL[NODES_FULL] = {0.050614268145188129, 0.11119051722668724, 0.15685332293894363,
                                               0.181341891689181,    0.181341891689181,   0.15685332293894363,
                                               0.11119051722668724,  0.050614268145188129};

/* x' = A x + B u + e, y = C x, u = L y + b; exact: M = (A + B L C, B b + e), Y = (C, 0). */
static const double matrix_A[NX][NX] = {{-1.5, 0, 0}, {0, -0.5, 2}, {0, -1, -0.75}};
static const double matrix_B[NX][NU] = {{1.25, 0}, {0, 0.5}, {0, -1}};
static const double matrix_C[NY][NX] = {{2, 0, 0}, {0, 1, -1}};
static const double matrix_L[NU][NY] = {{0, 1}, {1, 0}};
static const double matrix_M[NR][NR] = {{-1.5, 1.25, -1.25, 0.5}, {1, -0.5, 2, -0.5}, {-2, -1, -0.75, 0}, {0, 0, 0, 0}};
static const double vector_e[NX] = {0, -0.5, 0}, vector_b[NU] = {0.4, 0};

/* The fragments share signatures, and a test calls only some of them. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#include "kernels/lanes/lanes.clh"

static void add_product(int rows, int columns, const double *matrix, const V *x, V *y) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      y[i] += matrix[i * columns + j] * x[j];
}

static void product(int rows, int columns, const double *matrix, const V *x, V *y) {
  for (int i = 0; i < rows; i++)
    y[i] = 0;
  add_product(rows, columns, matrix, x, y);
}

#define mul_M(k, x, y) product(NR, NR, &matrix_M[0][0], x, y)
#define mul_A(k, x, y) product(NX, NX, &matrix_A[0][0], x, y)
#define add_B(k, x, y) add_product(NX, NU, &matrix_B[0][0], x, y)
#define mul_C(k, x, y) product(NY, NX, &matrix_C[0][0], x, y)
#define mul_Y(k, x, y) product(NY, NX, &matrix_C[0][0], x, y)
#define mul_L(k, x, y) product(NU, NY, &matrix_L[0][0], x, y)
#define add_D(k, x, y) ((void)(x))
#define mul_L_part(k, part, x, y) mul_L(k, x, y)
#define add_bias(k, r, y) add_product(NU, 1, vector_b, (r) + NR - 1, y)
#define add_E(k, r, y) add_product(NX, 1, vector_e, (r) + NR - 1, y)

static int min(int a, int b) {
  return a < b ? a : b;
}

/* In the order of emission. */
/* clang-format off */
#include "kernels/lanes/sink.clh"
#include "kernels/lanes/elementary.clh"
#include "kernels/flow/types.clh"
#include "kernels/flow/states.clh"
#include "kernels/flow/flow.clh"
#include "kernels/flow/series.clh"
#include "kernels/flow/solvers.clh"
#include "kernels/flow/dopri5.clh"
#include "kernels/hold/hold_points.clh"
#include "kernels/hold/hold_lagrange.clh"
#include "kernels/hold/held_derivatives.clh"
#include "kernels/hold/feedthrough_explicit.clh"
#include "kernels/inside/defect_series.clh"
#include "kernels/inside/inside.clh"
/* clang-format on */

#pragma GCC diagnostic pop

#endif
