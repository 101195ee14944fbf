#include "define.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "facts.h"
#include "list.h"

void cs_define_number(struct cs_define *to, const char *name, long value) {
  if (to->text != NULL)
    cs_text_add(to->text, "#define %s %ld\n", name, value);
  else
    to->number(to->context, name, value);
}

void cs_define_size(struct cs_define *to, const char *name, size_t value) {
  cs_define_number(to, name, (long)value);
}

void cs_define_count(struct cs_define *to, const char *name, size_t count) {
  char other[64];
  snprintf(other, sizeof other, "%s1", name);
  cs_define_size(to, name, count);
  cs_define_size(to, other, count > 0 ? count : 1);
}

void cs_define_sizes(struct cs_define *to, const struct cs_size *list, size_t sizes) {
  for (size_t i = 0; i < sizes; i++)
    cs_define_size(to, list[i].name, list[i].value);
}

void cs_define_facts(struct cs_define *to, enum cs_facts which) {
  struct fact {
    const char *name;
    long value;
  };
#define ROW(name, value) {#name, value},
#define FACTS(LIST)       \
  (const struct fact[]) { \
    LIST(ROW) {           \
      NULL, 0             \
    }                     \
  }
  const struct fact *const lists[] = {
      [CS_FACTS_LANE] = FACTS(CS_LANE_FACTS),         [CS_FACTS_STEP] = FACTS(CS_STEP_FACTS),
      [CS_FACTS_DOUBLING] = FACTS(CS_DOUBLING_FACTS), [CS_FACTS_SOLVER] = FACTS(CS_SOLVER_FACTS),
      [CS_FACTS_DOPRI5] = FACTS(CS_DOPRI5_FACTS),     [CS_FACTS_SPECTRUM] = FACTS(CS_SPECTRUM_FACTS),
      [CS_FACTS_VARY] = FACTS(CS_VARY_FACTS),         [CS_FACTS_PI_DEFECT] = FACTS(CS_PI_DEFECT_FACTS),
      [CS_FACTS_PI_ECCO] = FACTS(CS_PI_ECCO_FACTS),   [CS_FACTS_REPEATED] = FACTS(CS_REPEATED_FACTS)};
  for (const struct fact *fact = lists[which]; to->text != NULL && fact->name != NULL; fact++)
    cs_define_number(to, fact->name, fact->value);
}

void cs_define_integers(struct cs_define *to, const char *name, size_t count, const size_t *values) {
  static const size_t none[] = {0};
  if (count == 0) {
    cs_define_integers(to, name, 1, none);
  } else if (to->text == NULL) {
    to->integers(to->context, name, count, values);
  } else {
    cs_text_add(to->text, "__constant int %s[] = {", name);
    for (size_t i = 0; i < count; i++)
      cs_text_add(to->text, "%s%ld", i > 0 ? ", " : "", (long)values[i]);
    cs_text_add(to->text, "};\n");
  }
}

/* "{1.0, 0.5}" */
static void print_reals(struct cs_text *t, size_t count, const double *values) {
  cs_text_append(t, "{", 1);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) cs_text_append(t, ", ", 2);
    if (values[i] == 0.0 && !signbit(values[i])) /* most of them: printing is slow */
      cs_text_append(t, "0.0", 3);
    else
      cs_text_add(t, values[i] == floor(values[i]) && fabs(values[i]) < 1e15 ? "%.17g.0" : "%.17g", values[i]);
  }
  cs_text_append(t, "}", 1);
}

void cs_define_reals(struct cs_define *to, const char *name, size_t count, const double *values) {
  static const double none[] = {0.0};
  if (count == 0) {
    cs_define_reals(to, name, 1, none);
  } else if (to->text == NULL) {
    to->reals(to->context, name, count, values);
  } else {
    cs_text_add(to->text, "__constant double %s[] = ", name);
    print_reals(to->text, count, values);
    cs_text_add(to->text, ";\n");
  }
}

void cs_define_matrix(struct cs_define *to, const char *name, size_t rows, size_t columns, const double *values) {
  if (to->text == NULL) {
    to->reals(to->context, name, rows * columns, values);
    return;
  }
  cs_text_add(to->text, "__constant double %s[%zu][%zu] = {", name, rows, columns);
  for (size_t i = 0; i < rows; i++) {
    cs_text_add(to->text, "%s", i > 0 ? ", " : "");
    print_reals(to->text, columns, values + i * columns);
  }
  cs_text_add(to->text, "};\n");
}

void cs_define_add(struct cs_define_list *list, long value) {
  list->failed = list->failed || !cs_list_grow(&list->value, list->count, sizeof *list->value);
  if (!list->failed) list->value[list->count++] = (size_t)value;
}

void cs_define_list(struct cs_define *to, const char *name, struct cs_define_list *list, long none) {
  if (list->count == 0) cs_define_add(list, none);
  if (list->failed)
    to->failed = true;
  else
    cs_define_integers(to, name, list->count, list->value);
  free(list->value);
  *list = (struct cs_define_list){0};
}

void cs_define_lists(struct cs_define *to, const char *const *name, struct cs_define_list *list, size_t lists) {
  for (size_t i = 0; i < lists; i++)
    cs_define_list(to, name[i], &list[i], 0);
}

void cs_define_text(struct cs_define *to, const char *format, ...) {
  if (to->text == NULL) return;
  va_list arguments;
  va_start(arguments, format);
  cs_text_add_list(to->text, format, arguments);
  va_end(arguments);
}
