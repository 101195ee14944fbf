/* The plain reference in quadruple precision: its tables of flows against its series, and stiff networks against 70
 * digits by eigenvectors (mpmath). Needs no device. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <tgmath.h>

#include "plain_quad.h"
#include "plain_step.h"
#include "plain_tables.h"
#include "random_cases.h"

/* Both lose 1e-34 times the length of the way. */
static void compare_flows(const struct plain_network *n, struct plain_tables *tables, struct harness_check *check) {
  const real H = 2;
  for (size_t i = 0; i < n->model->subsystems; i++) {
    const struct cs_subsystem *sub = &n->model->subsystem[i];
    real v[PLAIN_POWERS][PLAIN_MAX] = {{0}}, tabled[PLAIN_MAX], series[PLAIN_MAX];
    for (size_t j = 0; j < PLAIN_POWERS; j++)
      for (size_t q = 0; q < sub->states; q++)
        v[j][q] = 1 / (real)(1 + j + 2 * q);
    plain_tables_subsystem(tables, i, H * 3 / 4, H, v, n->x0 + sub->first_state, tabled);
    plain_exact_flow(NULL, n, i, H, (real)3 / 4, v, n->x0 + sub->first_state, series);
    for (size_t q = 0; q < sub->states; q++)
      harness_compare(check, (double)(tabled[q] - series[q]), 0, 0, 1e-28, "subsystem %zu", i);
  }
  real tabled[PLAIN_MAX] = {0}, series[PLAIN_MAX] = {0};
  for (size_t q = 0; q <= n->states; q++)
    tabled[q] = series[q] = q < n->states ? n->x0[q] : 1;
  plain_tables_exact(tables, H, tabled);
  plain_flow(&n->M, n->states + 1, H, series);
  for (size_t q = 0; q <= n->states; q++)
    harness_compare(check, (double)(tabled[q] - series[q]), 0, 0, 1e-28, "network");
}

Test(quad, tables_are_the_series) {
  struct random_cases cases;
  struct harness harness;
  struct harness_check check = {0};
  struct cs_error error;
  struct plain_network *network = malloc(sizeof *network);
  double parameters[64];
  cr_assert_not_null(network);
  random_cases_load(&cases);
  harness_directory(&harness);
  for (size_t i = 0; i < cases.count; i += 7) {
    random_cases_open(&cases, i, &harness);
    struct cs_model *model = harness.sweep->model;
    unsigned char given[64] = {0};
    cr_assert_leq(model->parameters, 64);
    cr_assert_eq(cs_model_parameters(model, NULL, given, parameters, &error), CS_OK);
    plain_network_read(model, parameters, network);
    struct plain_tables *tables = plain_tables_new(network);
    compare_flows(network, tables, &check);
    plain_tables_free(tables);
  }
  harness_finish(&check, "flows by tables");
  free(network);
  harness_close(&harness);
  random_cases_free(&cases);
}

/* ---- a fast mode mixed into a subsystem, A = S diag(-L, -1) S^-1, with a forcing and an input as fast */

static const char model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"mixed\", \"parameters\": {\"L\": 1},\n"
    "\"subsystems\": [\n"
    "{\"name\": \"a\", \"states\": [\"p\", \"q\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "\"A\": [[\"-3*L+2\", \"2*L-2\"], [\"-3*L+3\", \"2*L-3\"]], \"B\": [[\"L\"], [\"L+1\"]], \"C\": [[0.5, -0.25]],\n"
    "\"e\": [\"L/2\", \"L/2\"], \"x0\": [1, 0.5]},\n"
    "{\"name\": \"b\", \"states\": [\"z\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "\"A\": [[-2]], \"B\": [[1]], \"C\": [[1]], \"x0\": [-0.25]}],\n"
    "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\", \"gain\": 0.25}]}\n";

static const char sweep[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"mixed\", \"model\": \"model.json\", \"t_end\": 0.375,\n"
    "\"method\": {\"hold\": \"lagrange\", \"start\": \"ramp\", \"step\": {\"size\": 0.125}},\n"
    "\"axes\": [{\"name\": \"L\", \"path\": \"parameters.L\", \"values\": [1e3, 1e6, 1e8]},\n"
    "{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1, 3]}]}\n";

/* RMS of the errors of a.p, b.z and a.u, final errors of a.p and b.z. */
static const double stiff[9][5] = {
    {0.00625543836007675660, 0.03019527345299112980, 0.00622963273413123267, 0.00069079542988087336,
     0.02366771504931425132},
    {0.01149603490696873799, 0.02345580501532985801, 0.01109343395717987957, 0.00155369400092331090,
     0.00883231293609549341},
    {0.01319640523439885724, 0.02465655609882999324, 0.01316724497077553613, 0.02462550509894203597,
     0.02829568922593957683},
    {0.00632199602851337502, 0.03045035873914100476, 0.00622593595234856168, 0.00066886479229130957,
     0.02385273092581720553},
    {0.01158680691797996756, 0.02370231727206691403, 0.01110881760652427983, 0.00151515518095529876,
     0.00902677149043790191},
    {0.01331578719339477551, 0.02490771918003425591, 0.01316948291607077327, 0.02488354830668411368,
     0.02849516292298708227},
    {0.00632206291246416056, 0.03045061129548968938, 0.00622593268540775885, 0.00066884311398790070,
     0.02385291392600434571},
    {0.01158689663803235371, 0.02370256151713861482, 0.01110883303023418706, 0.00151511701114045542,
     0.00902696386434838560},
    {0.01331590546019196100, 0.02490796796627548301, 0.01316948531365518867, 0.02488380591254810928,
     0.02849536027149528821},
};

/* Quadrature of the transient's square: 1e-14. */
Test(quad, stiff_networks_match_seventy_digits) {
  struct harness harness;
  struct harness_check check = {0};
  struct plain_result *result = malloc(sizeof *result);
  cr_assert_not_null(result);
  harness_directory(&harness);
  harness_write(&harness, "model.json", model);
  harness_load(&harness, sweep);
  for (size_t run = 0; run < 9; run++) {
    plain_run(harness.sweep, run, NULL, NULL, result);
    const double values[] = {(double)result->metric[CS_STATE_ERROR][0], (double)result->metric[CS_STATE_ERROR][2],
                             (double)result->metric[CS_INPUT_ERROR][0], (double)result->metric[CS_STATE_ERROR_FINAL][0],
                             (double)result->metric[CS_STATE_ERROR_FINAL][2]};
    for (size_t i = 0; i < 5; i++)
      harness_compare(&check, values[i], stiff[run][i], 1e-14, 0, "run %zu, value %zu", run, i);
  }
  harness_finish(&check, "stiff networks");
  free(result);
  harness_close(&harness);
}
