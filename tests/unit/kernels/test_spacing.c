/* Numbers of a macro step that the kernel computes with variable steps: its quadrature rule inside a step is that of
 * the host. The fragment as C11, with the variant's sizes as variables. */
#include <criterion/criterion.h>

#include "facts.h"
#include "layout.h"

static int pieces, panels_most, nodes_few, inexact;
#define INSIDE_ROWS 1
#define POINTS 0
#define WANT_OUTPUT_DEFECT 0
#define NQ 1
#define PIECES pieces
#define PANELS_MOST panels_most
#define NODES_FEW nodes_few
#define GRADED 0
#define MODE_OCTAVE 0
#define MODE_OCTAVE_ALWAYS 0
#define MODE_TURN 0
#define INEXACT inexact
#define ADAPTIVES 0
#define NORM_FEW CS_NORM_FEW
#define CHAIN_FEW CS_CHAIN_FEW
enum {
  CS_LANE_FACTS(CS_FACT_ENUMERATOR) K_RATE = K_X0,
  K_INVERSE,
  K_NODE = K_INVERSE + 4,
  K_FACTOR = K_NODE + 16,
  K_RATIO = K_FACTOR + 4,
  NUMBERS = K_RATIO + 4,
  GAUSS_NODES = 1
};
static const double GAUSS_NODE[GAUSS_NODES] = {0.5}, GAUSS_WEIGHT[GAUSS_NODES] = {1.0};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
/* clang-format off */
#include "kernels/lanes/lanes.clh"
#include "kernels/step/points.clh"
#include "kernels/step/spacing.clh"
/* clang-format on */
#pragma GCC diagnostic pop

static void compare(const struct cs_layout *layout, double norm, double chain) {
  V k[NUMBERS] = {0}, spacing[3] = {1, 2, 3};
  double panels, levels, first, nodes;
  cs_layout_quadrature(layout, norm, chain, 1.0, &panels, &levels, &first, &nodes);
  k[K_RATE] = norm;
  k[K_CHAIN] = chain;
  spacing_set(k, 1, spacing);
  cr_expect_eq(k[K_NORM], norm);
  cr_expect(k[K_PANELS] == panels && k[K_LEVELS] == levels && k[K_FIRST_PANEL] == first && k[K_NODES] == nodes,
            "norm %.17g, %d pieces: %g panels, %g levels, first %.17g, %g nodes; the host has %g, %g, %.17g, %g", norm,
            pieces, k[K_PANELS], k[K_LEVELS], k[K_FIRST_PANEL], k[K_NODES], panels, levels, first, nodes);
}

Test(spacing, quadrature_is_the_hosts) {
  static const int cut[] = {1, 2, 3, 7, 16, 40};
  for (int exact = 0; exact < 2; exact++) {
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
      const struct cs_layout layout = {
          .step.pieces = (size_t)cut[i], .step.few = 5, .kind.inexact = !exact, .map.inside_rows = 1};
      pieces = cut[i];
      panels_most = (int)cs_layout_panels_most(&layout);
      nodes_few = (int)layout.step.few;
      inexact = !exact;
      for (double norm = 1e-3; norm < 1e14; norm *= 1.37)
        compare(&layout, norm, 0);
      for (double chain = 0x1p-16; chain <= 1; chain *= 2)
        compare(&layout, 0.1, chain);
      for (double norm = 0.03125; norm < 1e14; norm *= 2)
        compare(&layout, norm, 0);
    }
  }
}
