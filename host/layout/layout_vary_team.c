/* Variable steps by teams of work-items (kernels/vary/team.clh): which methods have them, and their local memory. */
#include "layout.h"

/* Numbers of local memory that every device has: 32 KiB. */
enum { LOCAL_MOST = 32768 / 8 };

/* Rows that team.clh does not compute. */
static bool wants_others(const struct cs_layout *l) {
  static const enum cs_rows others[] = {CS_ROWS_MONITOR,
                                        CS_ROWS_LOCAL_ERROR,
                                        CS_ROWS_LOCAL_ESTIMATE,
                                        CS_ROWS_OUTPUT_DEFECT_TRUE,
                                        CS_ROWS_INTEGRATION_DEFECT,
                                        CS_ROWS_BOND_ENERGY};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (l->map.wanted[others[i]]) return true;
  return l->sweep->metric[CS_MONITOR_PREDICTED];
}

/* Whether team.clh has the method: jacobi with exact solvers, whole steps without events. */
static bool is_served(const struct cs_layout *l) {
  const struct cs_method *m = &l->method;
  return cs_layout_is_across(l) && l->model->events == 0 && !l->kind.eventful && !l->kind.halves && !l->kind.records &&
         m->control < CS_USER_CONTROL && (m->hold == CS_TAYLOR || m->hold == CS_LAGRANGE) &&
         m->feedthrough != CS_REFRESH && m->continuity == 0 && l->master.parts == 1 && l->master.memory == 0 &&
         cs_layout_latest(l) == 0 && l->step.pieces == 1 && l->dims.inputs > 0 && l->dims.outputs > 0 &&
         !wants_others(l);
}

size_t cs_layout_vary_team_arrays(const struct cs_layout *l, struct cs_team_array list[CS_TEAM_ARRAYS]) {
  const size_t r = l->dims.exact, x = l->dims.states, u = l->dims.inputs, y = l->dims.outputs, q = l->dims.powers;
  const bool outputs = l->map.inside_rows > 0, states = l->map.wanted[CS_ROWS_STATE_ERROR];
  const struct cs_team_array all[] = {{"T_Z", l->dims.coordinates},
                                      {"T_START", l->dims.coordinates},
                                      {"T_NEXT", l->dims.coordinates},
                                      {"T_BAD", 1},
                                      {"T_ROW", l->map.rows},
                                      {"T_INSIDE", l->map.inside_rows},
                                      {"T_SUM", l->measures.sums},
                                      {"T_TOP", l->measures.tops},
                                      {"T_FINAL", l->measures.finals},
                                      {"T_R", 2 * r},
                                      {"T_X", 2 * x},
                                      {"T_FR", r},
                                      {"T_FX", x},
                                      {"T_DR", r},
                                      {"T_DX", x},
                                      {"T_C0", q * u},
                                      {"T_Q", q * y},
                                      {"T_EXACT0", q * y},
                                      {"T_EXACT", q * y},
                                      {"T_MID_X", x},
                                      {"T_MID_C", u},
                                      {"T_MID_Q", y},
                                      {"T_SLOPES", cs_layout_derivatives(l) * x},
                                      {"T_C1", q * u},
                                      {"T_Y", q * y},
                                      {"T_SENT", q * y},
                                      {"T_C", q * u},
                                      {"T_G0", q * y},
                                      {"T_G", q * y},
                                      {"T_O0", q * y},
                                      {"T_GAP", q * y},
                                      {"T_RHO", y},
                                      {"T_OUTPUTS", outputs ? CS_MOST_POWERS * y : 0},
                                      {"T_STATES", states ? CS_MOST_POWERS * x : 0},
                                      {"T_U", u},
                                      {"T_VALUES", y},
                                      {"T_TAIL", q * y},
                                      {"T_PIECE", q * u},
                                      {"T_NODES", 16},
                                      {"T_FACTORS", 4},
                                      {"T_SEEN_Y", y},
                                      {"T_SEEN_U", u}};
  _Static_assert(sizeof all / sizeof *all == CS_TEAM_ARRAYS, "as many arrays as there is room for");
  size_t room = 0;
  for (size_t i = 0; i < CS_TEAM_ARRAYS; i++) {
    list[i] = all[i];
    room += all[i].count;
  }
  return room;
}

struct cs_vary_team cs_layout_vary_team(const struct cs_layout *l) {
  enum { LEAST = 8, MOST = 32 };
  struct cs_team_array list[CS_TEAM_ARRAYS];
  struct cs_vary_team team = {LEAST, 0, false};
  if (!is_served(l)) return (struct cs_vary_team){0};
  team.room = cs_layout_vary_team_arrays(l, list);
  if (team.room > LOCAL_MOST) return (struct cs_vary_team){0};
  const size_t side = l->dims.exact + l->dims.states;
  while (team.items < side && team.items < MOST)
    team.items *= 2;
  team.near = team.room + l->coefficients.count <= LOCAL_MOST;
  if (team.near) team.room += l->coefficients.count;
  return team;
}
