#include "emit_course.h"

#include "course.h"
#include "define.h"

/* A table whose numbers are added one by one. */
struct table {
  const char *name;
  struct cs_text text;
  size_t count;
};

static void add(struct table *table, long value) {
  cs_text_add(&table->text, "%s%ld", table->count++ > 0 ? ", " : "", value);
}

static void print(struct table *tables, size_t count, struct cs_text *t) {
  for (size_t i = 0; i < count; i++) {
    cs_text_add(t, "__constant int %s[] = {%s};\n", tables[i].name,
                tables[i].count > 0 ? cs_text_string(&tables[i].text) : "0");
    t->failed |= tables[i].text.failed;
    cs_text_free(&tables[i].text);
  }
}

/* Entries of operators over states, inputs, outputs and a constant as terms: row, kind, signal and coefficient. */
enum { ROW, KIND, SIGNAL, AT, TERM_TABLES };

static void terms(const struct cs_layout *l, const enum cs_operator *of, size_t kinds,
                  const char *const names[TERM_TABLES], const char *count, struct cs_text *t) {
  struct table tables[TERM_TABLES] = {0};
  for (int i = 0; i < TERM_TABLES; i++)
    tables[i].name = names[i];
  for (size_t kind = 0; kind < kinds; kind++) {
    const struct cs_pattern *p = &l->pattern[of[kind]];
    size_t place = cs_layout_first_coefficient(l, of[kind]);
    for (size_t i = 0; i < p->rows * p->columns; i++) {
      if (!p->set[i]) continue;
      add(&tables[ROW], (long)(i / p->columns));
      add(&tables[KIND], (long)kind);
      add(&tables[SIGNAL], (long)(i % p->columns));
      add(&tables[AT], (long)place++);
    }
  }
  cs_define_size(t, count, tables[AT].count);
  print(tables, TERM_TABLES, t);
}

/* Views of the state events, and what their conditions are made of. */
static void guards(const struct cs_layout *l, struct cs_text *t) {
  static const enum cs_operator of[] = {CS_OP_WHEN_X, CS_OP_WHEN_U, CS_OP_WHEN_Y, CS_OP_WHEN_BOUND};
  static const char *const names[] = {"GUARD_ROW", "GUARD_KIND", "GUARD_SIGNAL", "GUARD_AT"};
  const struct cs_model *m = l->model;
  enum { EVENT, VIEW, FIRST, END, OF, LOOKS, BEYOND, TABLES };
  struct table tables[TABLES] = {{.name = "TRIGGER_EVENT"}, {.name = "TRIGGER_VIEW"}, {.name = "VIEW_FIRST"},
                                 {.name = "VIEW_END"},      {.name = "VIEW_OF"},      {.name = "VIEW_LOOKS"},
                                 {.name = "VIEW_BEYOND"}};
  bool searches = false;
  for (size_t e = 0; e < m->events; e++) {
    const struct cs_event *event = &m->event[e];
    const size_t end = event->first_condition + event->conditions;
    if (event->timed) continue;
    add(&tables[EVENT], (long)e);
    add(&tables[VIEW], (long)tables[FIRST].count);
    for (size_t g = event->first_condition; g < end;) {
      const size_t subsystem = m->condition[g].subsystem, first = g;
      while (g < end && m->condition[g].subsystem == subsystem)
        g++;
      add(&tables[FIRST], (long)first);
      add(&tables[END], (long)g);
      add(&tables[OF], (long)subsystem);
      for (size_t f = 0; f < l->master.leaders; f++) {
        searches = searches || cs_course_looks(l, f, subsystem);
        add(&tables[LOOKS], cs_course_looks(l, f, subsystem));
        add(&tables[BEYOND], (long)cs_course_beyond(l, f, subsystem));
      }
    }
  }
  add(&tables[VIEW], (long)tables[FIRST].count);
  cs_define_size(t, "VIEWS", tables[FIRST].count);
  cs_define_size(t, "SEARCHES", searches);
  print(tables, TABLES, t);
  terms(l, of, sizeof of / sizeof *of, names, "GUARD_TERMS", t);
}

/* What events change. */
static void changes(const struct cs_layout *l, struct cs_text *t) {
  static const enum cs_operator of[] = {CS_OP_CHANGE_X, CS_OP_CHANGE_U, CS_OP_CHANGE_Y};
  static const char *const names[] = {"FORM_CHANGE", "FORM_KIND", "FORM_SIGNAL", "FORM_AT"};
  const struct cs_model *m = l->model;
  enum { EVENT, STATE, ADDS, CONSTANT, TABLES };
  struct table tables[TABLES] = {
      {.name = "CHANGE_EVENT"}, {.name = "CHANGE_STATE"}, {.name = "CHANGE_ADDS"}, {.name = "CHANGE_CONSTANT"}};
  for (size_t c = 0; c < m->changes; c++) {
    const struct cs_change *change = &m->change[c];
    add(&tables[EVENT], (long)change->event);
    add(&tables[STATE], (long)change->state);
    add(&tables[ADDS], change->adds);
    add(&tables[CONSTANT],
        (long)cs_layout_coefficient(l, change->adds ? CS_OP_EVENT_ADD : CS_OP_EVENT_SET, change->event, change->state));
  }
  cs_define_size(t, "CHANGES", m->changes);
  print(tables, TABLES, t);
  terms(l, of, sizeof of / sizeof *of, names, "FORM_TERMS", t);
}

/* Where every event can happen, and where it leads to. */
static void configurations(const struct cs_layout *l, struct cs_text *t) {
  struct table tables[] = {{.name = "ALLOWED"}, {.name = "LEADS_TO"}};
  for (size_t c = 0; c < l->configurations.count; c++)
    for (size_t e = 0; e < l->model->events; e++) {
      const long to = cs_course_after(l, c, e);
      add(&tables[0], to >= 0);
      add(&tables[1], to >= 0 ? to : (long)c);
    }
  print(tables, 2, t);
}

static void numbers(const struct cs_layout *l, struct cs_text *t) {
  static const char *const names[CS_EVENT_NUMBERS] = {
      [CS_EVENT_INTERRUPTION] = "K_INTERRUPTION", [CS_EVENT_HORIZON] = "K_HORIZON",
      [CS_EVENT_RESTART] = "K_RESTART",           [CS_EVENT_WINDOW] = "K_WINDOW",
      [CS_EVENT_AT_ONCE] = "K_AT_ONCE",           [CS_EVENT_MOST] = "K_EVENTS_MOST"};
  for (size_t i = 0; i < CS_EVENT_NUMBERS; i++)
    cs_define_size(t, names[i], l->coefficients.events_at + i);
  cs_define_size(t, "K_CONFIGURATION", l->coefficients.events_at + CS_EVENT_NUMBERS);
}

void cs_emit_course(const struct cs_layout *l, struct cs_text *t) {
  cs_define_count(t, "COURSE", l->kind.eventful ? cs_course_place(l, CS_COURSE_PARTS) : 0);
  cs_define_size(t, "CONFIGURATIONS", l->kind.eventful ? l->configurations.count : 1);
  cs_define_size(t, "STATE_COURSE", l->state.course);
  cs_define_count(t, "TRIGGERS", l->model->state_events);
  cs_define_count(t, "SIGNALS", l->dims.states + l->dims.inputs + l->dims.outputs);
  cs_define_size(t, "SUBSYSTEMS", l->model->subsystems);
  if (!l->kind.eventful) return;
  cs_text_add(t, "\n/* state events */\n");
  for (int i = 0; i < CS_COURSE_PARTS; i++)
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
  cs_define_integers(t, "SEQUENCE", l->model->subsystems, l->master.sequence);
  numbers(l, t);
  guards(l, t);
  changes(l, t);
  configurations(l, t);
  cs_text_add(t, "\n");
}
