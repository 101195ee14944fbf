/* Sizes needed for variable steps and their control. */
#include <math.h>
#include <string.h>

#include "course.h"
#include "layout_private.h"
#include "source.h"
#include "tableau.h"

/* Steps after which orders that alternate repeat, too: an even number of them. */
static void repeat_in_pairs(struct cs_layout *l) {
  static const struct cs_ratio_list equal = {.ratios = 1, .ratio = {1.0}};
  const struct cs_ratio_list *given = l->control.cycle != NULL ? l->control.cycle : &equal;
  struct cs_ratio_list *own = &l->control.pairs;
  own->ratios = given->ratios * (1 + given->ratios % 2);
  for (size_t i = 0; i < own->ratios; i++)
    own->ratio[i] = given->ratio[i % given->ratios];
  l->control.cycle = own;
}

void cs_layout_control(struct cs_layout *l) {
  /* numbers that control_*.clh keep from step to step */
  static const size_t memory[CS_USER_CONTROL] = {
      [CS_PI_DEFECT] = CS_PI_DEFECT_MEMORY, [CS_PI_ECCO] = CS_PI_ECCO_MEMORY};
  if (l->method.control == CS_CYCLE) l->control.cycle = &l->sweep->controls->cycle[l->method.ratios];
  if (l->kind.alternates && l->kind.stability) repeat_in_pairs(l);
  if (!l->kind.varies) return;
  l->kind.halves = l->method.control == CS_RICHARDSON;
  l->kind.sees_defects =
      l->method.control == CS_PI_DEFECT ||
      (l->kind.records && !cs_layout_has_rates(l) && (l->method.control == CS_FIXED || l->method.control == CS_CYCLE));
  const struct cs_bond_list *list = &l->sweep->controls->list[l->method.bonds];
  if (l->sweep->metric[CS_BOND_ENERGY] && !l->kind.records) l->control.energies = list->bonds;
  if (l->method.control == CS_PI_ECCO) l->control.bonds = list->bonds;
  if (l->method.control < CS_USER_CONTROL) {
    l->control.memory = memory[l->method.control];
    return;
  }
  static const char asks[] = "largest_defect";
  const struct cs_user_fragment *user = &l->sweep->controls->user.item[l->method.user_control];
  l->control.memory = user->memory;
  l->kind.sees_defects = cs_source_count(user->text, asks, strlen(asks)) > 0;
}

double cs_layout_longest(const struct cs_layout *l) {
  const struct cs_ratio_list *cycle = l->control.cycle;
  double most = cycle != NULL ? 0.0 : 1.0;
  for (size_t i = 0; cycle != NULL && i < cycle->ratios; i++)
    most = fmax(most, cycle->ratio[i]);
  return most;
}

double cs_layout_period(const struct cs_layout *l) {
  const struct cs_ratio_list *cycle = l->control.cycle;
  double sum = cycle != NULL ? 0.0 : 1.0;
  for (size_t i = 0; cycle != NULL && i < cycle->ratios; i++)
    sum += cycle->ratio[i];
  return sum;
}

size_t cs_layout_phases(const struct cs_layout *l) {
  return l->control.cycle != NULL ? l->control.cycle->ratios : 1;
}

bool cs_layout_knows_steps(const struct cs_layout *l) {
  return l->model->events == 0 && (l->method.control == CS_FIXED || l->method.control == CS_CYCLE);
}

double cs_layout_steps(const struct cs_layout *l, double H, double t_end) {
  const struct cs_ratio_list *cycle = l->control.cycle;
  const double wanted = t_end / H * (1.0 - CS_STEP_ROUNDING);
  if (cycle == NULL) return fmax(1.0, ceil(wanted));
  const double whole = fmax(0.0, ceil(wanted / cs_layout_period(l)) - 1.0);
  double left = wanted - whole * cs_layout_period(l);
  size_t last = 0;
  while (last < cycle->ratios && (left > 0.0 || last == 0))
    left -= cycle->ratio[last++];
  return whole * (double)cycle->ratios + (double)last;
}

bool cs_layout_is_across(const struct cs_layout *l) {
  return l->kind.varies && !l->kind.stiff && !l->kind.inexact && !l->kind.adaptive && l->master.user == NULL &&
         !cs_layout_interpolates(l) && !cs_layout_has_rates(l) && !l->kind.compensates &&
         !cs_method_waves(&l->method) && l->control.energies == 0;
}

size_t cs_layout_lane_numbers(const struct cs_layout *l) {
  return l->coefficients.count * (l->kind.eventful ? l->configurations.count : 1);
}

size_t cs_layout_private_bytes(const struct cs_layout *l) {
  /* struct macro of macro.clh with, for inexact solvers, that of solvers.clh; three of them with half steps */
  const size_t q = l->dims.powers, signals = l->dims.inputs + l->dims.outputs;
  const size_t step = 8 * l->dims.exact + (12 + q) * l->dims.states + 8 * q * signals + 2 * l->dims.coordinates +
                      l->map.rows + l->map.inside_rows + cs_layout_latest(l) * q * l->dims.inputs +
                      (cs_layout_has_rates(l) ? l->dims.coordinates + 3 * q * l->dims.outputs : 0);
  const size_t solver =
      l->kind.inexact || l->kind.adaptive ? (CS_SERIES + (l->kind.remembers ? 16 : 13) + q) * l->dims.states : 0;
  const size_t series = cs_layout_is_across(l) ? l->coefficients.count : 0; /* multiplied by H, for across.clh */
  /* struct hop of stiff.clh twice, and exponentials */
  const size_t stiff =
      l->kind.stiff ? 2 * 17 * l->dims.states * l->dims.largest + 3 * l->dims.exact * l->dims.exact : 0;
  /* numbers of the exact solution's configuration, conditions, pieces, copies of the state of events */
  const size_t eventful = l->kind.eventful
                              ? l->coefficients.count + 24 * l->model->conditions +
                                    18 * (2 * l->dims.states + l->dims.exact) + 3 * cs_course_place(l, CS_COURSE_PARTS)
                              : 0;
  return sizeof(double) * ((l->kind.halves ? 3 : 1) * (step + solver) + l->coefficients.count + series + stiff +
                           eventful + l->state.items);
}
