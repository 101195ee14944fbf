#include "emit_course.h"

#include "course.h"

/* Entries of operators over states, inputs, outputs and a constant as terms: row, kind, signal and coefficient. */
enum { ROW, KIND, SIGNAL, AT, TERM_TABLES };

static void terms(const struct cs_layout *l, const enum cs_operator *of, size_t kinds,
                  const char *const names[TERM_TABLES], const char *count, struct cs_define *t) {
  struct cs_define_list tables[TERM_TABLES] = {0};
  for (size_t kind = 0; kind < kinds; kind++) {
    const struct cs_pattern *p = &l->pattern[of[kind]];
    size_t place = cs_layout_first_coefficient(l, of[kind]);
    for (size_t i = 0; i < p->rows * p->columns; i++) {
      if (!p->set[i]) continue;
      cs_define_add(&tables[ROW], (long)(i / p->columns));
      cs_define_add(&tables[KIND], (long)kind);
      cs_define_add(&tables[SIGNAL], (long)(i % p->columns));
      cs_define_add(&tables[AT], (long)place++);
    }
  }
  cs_define_size(t, count, tables[AT].count);
  cs_define_lists(t, names, tables, TERM_TABLES);
}

/* Views of the state events, and what their conditions are made of. */
static void guards(const struct cs_layout *l, struct cs_define *t) {
  static const enum cs_operator of[] = {CS_OP_WHEN_X, CS_OP_WHEN_U, CS_OP_WHEN_Y, CS_OP_WHEN_BOUND};
  static const char *const names[] = {"GUARD_ROW", "GUARD_KIND", "GUARD_SIGNAL", "GUARD_AT"};
  const struct cs_model *m = l->model;
  enum { EVENT, VIEW, FIRST, END, OF, LOOKS, BEYOND, TABLES };
  static const char *const tabled[TABLES] = {"TRIGGER_EVENT", "TRIGGER_VIEW", "VIEW_FIRST", "VIEW_END",
                                             "VIEW_OF",       "VIEW_LOOKS",   "VIEW_BEYOND"};
  struct cs_define_list tables[TABLES] = {0};
  bool searches = false;
  for (size_t e = 0; e < m->events; e++) {
    const struct cs_event *event = &m->event[e];
    const size_t end = event->first_condition + event->conditions;
    if (event->timed) continue;
    cs_define_add(&tables[EVENT], (long)e);
    cs_define_add(&tables[VIEW], (long)tables[FIRST].count);
    for (size_t g = event->first_condition; g < end;) {
      const size_t subsystem = m->condition[g].subsystem, first = g;
      while (g < end && m->condition[g].subsystem == subsystem)
        g++;
      cs_define_add(&tables[FIRST], (long)first);
      cs_define_add(&tables[END], (long)g);
      cs_define_add(&tables[OF], (long)subsystem);
      for (size_t f = 0; f < l->master.leaders; f++) {
        searches = searches || cs_course_looks(l, f, subsystem);
        cs_define_add(&tables[LOOKS], cs_course_looks(l, f, subsystem));
        cs_define_add(&tables[BEYOND], (long)cs_course_beyond(l, f, subsystem));
      }
    }
  }
  cs_define_add(&tables[VIEW], (long)tables[FIRST].count);
  cs_define_size(t, "VIEWS", tables[FIRST].count);
  cs_define_size(t, "SEARCHES", searches);
  cs_define_lists(t, tabled, tables, TABLES);
  terms(l, of, sizeof of / sizeof *of, names, "GUARD_TERMS", t);
}

/* What events change. */
static void changes(const struct cs_layout *l, struct cs_define *t) {
  static const enum cs_operator of[] = {CS_OP_CHANGE_X, CS_OP_CHANGE_U, CS_OP_CHANGE_Y};
  static const char *const names[] = {"FORM_CHANGE", "FORM_KIND", "FORM_SIGNAL", "FORM_AT"};
  const struct cs_model *m = l->model;
  enum { EVENT, STATE, ADDS, CONSTANT, TABLES };
  static const char *const tabled[TABLES] = {"CHANGE_EVENT", "CHANGE_STATE", "CHANGE_ADDS", "CHANGE_CONSTANT"};
  struct cs_define_list tables[TABLES] = {0};
  for (size_t c = 0; c < m->changes; c++) {
    const struct cs_change *change = &m->change[c];
    cs_define_add(&tables[EVENT], (long)change->event);
    cs_define_add(&tables[STATE], (long)change->state);
    cs_define_add(&tables[ADDS], change->adds);
    cs_define_add(&tables[CONSTANT], (long)cs_layout_coefficient(l, change->adds ? CS_OP_EVENT_ADD : CS_OP_EVENT_SET,
                                                                 change->event, change->state));
  }
  cs_define_size(t, "CHANGES", m->changes);
  cs_define_lists(t, tabled, tables, TABLES);
  terms(l, of, sizeof of / sizeof *of, names, "FORM_TERMS", t);
}

/* Where every event can happen, and where it leads to. */
static void configurations(const struct cs_layout *l, struct cs_define *t) {
  static const char *const tabled[] = {"ALLOWED", "LEADS_TO"};
  struct cs_define_list tables[2] = {0};
  for (size_t c = 0; c < l->configurations.count; c++)
    for (size_t e = 0; e < l->model->events; e++) {
      const long to = cs_course_after(l, c, e);
      cs_define_add(&tables[0], to >= 0);
      cs_define_add(&tables[1], to >= 0 ? to : (long)c);
    }
  cs_define_lists(t, tabled, tables, 2);
}

static void numbers(const struct cs_layout *l, struct cs_define *t) {
  static const char *const names[CS_EVENT_NUMBERS] = {
      [CS_EVENT_INTERRUPTION] = "K_INTERRUPTION", [CS_EVENT_HORIZON] = "K_HORIZON",
      [CS_EVENT_RESTART] = "K_RESTART",           [CS_EVENT_WINDOW] = "K_WINDOW",
      [CS_EVENT_AT_ONCE] = "K_AT_ONCE",           [CS_EVENT_MOST] = "K_EVENTS_MOST"};
  for (size_t i = 0; i < CS_EVENT_NUMBERS; i++)
    cs_define_size(t, names[i], l->coefficients.events_at + i);
  cs_define_size(t, "K_CONFIGURATION", l->coefficients.events_at + CS_EVENT_NUMBERS);
}

void cs_emit_course(const struct cs_layout *l, struct cs_define *t) {
  cs_define_count(t, "COURSE", l->kind.eventful ? cs_course_place(l, CS_COURSE_PARTS) : 0);
  cs_define_size(t, "CONFIGURATIONS", l->kind.eventful ? l->configurations.count : 1);
  cs_define_size(t, "STATE_COURSE", l->state.course);
  cs_define_count(t, "TRIGGERS", l->model->state_events);
  cs_define_count(t, "SIGNALS", l->dims.states + l->dims.inputs + l->dims.outputs);
  cs_define_size(t, "SUBSYSTEMS", l->model->subsystems);
  if (!l->kind.eventful) return;
  cs_define_text(t, "\n/* state events */\n");
  if (l->master.together) cs_define_size(t, "PARALLEL", 1);
  for (int i = 0; i < (l->master.together ? CS_COURSE_PARTS : CS_COURSE_TOGETHER); i++)
    cs_define_size(t, cs_course_name((enum cs_course_part)i), cs_course_place(l, (enum cs_course_part)i));
  cs_define_size(t, "COURSE_NORM", (size_t)cs_layout_norm_most(l));
  cs_define_size(t, "TABLE_LENGTH", cs_course_table(l));
  cs_define_count(t, "GUARDS", l->model->conditions);
  cs_define_size(t, "SOLVES", l->method.feedthrough == CS_SOLVED);
  cs_define_size(t, "EXTRAPOLATES", l->method.reset == CS_RESET_EXTRAPOLATED);
  cs_define_size(t, "GRID_KEEPS", l->method.grid == CS_GRID_KEEP);
  const bool integrates = l->method.control == CS_PI_DEFECT;
  cs_define_size(t, "INTEGRATES", integrates);
  cs_define_size(t, "INTEGRAL_PLACE", integrates ? CS_PI_DEFECT_INTEGRAL : 0);
  cs_define_size(t, "SIZE_PLACE", integrates ? CS_PI_DEFECT_SIZE : 0);
  struct cs_define_list first = {0};
  for (size_t f = 0; f < l->master.leaders; f++)
    cs_define_add(&first, l->master.together && f == 1 ? -1 : (long)l->master.sequence[f * l->model->subsystems]);
  cs_define_list(t, "SEQUENCE", &first, 0);
  numbers(l, t);
  guards(l, t);
  changes(l, t);
  configurations(l, t);
  cs_define_text(t, "\n");
}
