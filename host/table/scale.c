#include "scale.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"

#define ROUNDED 5e-4 /* relative, of values with 4 digits */

size_t cs_scale_position(size_t length, const double *values, char *const *labels, const char *text) {
  char *end = NULL;
  const double number = strtod(text, &end);
  double nearest = INFINITY;
  size_t found = length;
  for (size_t i = 0; i < length; i++) {
    if (labels != NULL) {
      if (strcmp(labels[i], text) == 0) return i;
      continue;
    }
    const double distance = fabs(values[i] - number);
    if (end == text || *end != '\0' || !(distance <= ROUNDED * fabs(values[i])) || distance >= nearest) continue;
    nearest = distance;
    found = i;
  }
  return found;
}

/* Numbers that are listed one by one. */
enum { LISTED = 24 };

void cs_scale_list(size_t length, const double *values, char *const *labels, struct cs_text *text) {
  if (labels == NULL && length > LISTED) {
    cs_text_add(text, "the %zu values from %.6g to %.6g", length, values[0], values[length - 1]);
    return;
  }
  for (size_t i = 0; i < length; i++) {
    cs_text_add(text, i > 0 ? ", " : "");
    if (labels != NULL)
      cs_text_add(text, "%s", labels[i]);
    else
      cs_text_add(text, "%.6g", values[i]);
  }
}

const char *cs_scale_value(const char *said, const char *axis) {
  const size_t length = strlen(axis);
  return strncmp(said, axis, length) == 0 && said[length] == '=' ? said + length + 1 : NULL;
}

/* `word`: what is not among the names. */
static int fail(const char *option, const char *said, const char *word, const char *want, struct cs_text *names,
                struct cs_error *error) {
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "--%s \"%s\"; want %s: %s", option, said, want,
              names->data != NULL ? names->data : "(the file has none)");
  if (!names->failed) cs_near_suggest(&wrong, word);
  const int code = names->failed || wrong.failed ? cs_error_memory(error)
                                                 : cs_error_set(error, CS_USAGE, "%s", cs_text_string(&wrong));
  cs_text_free(&wrong);
  cs_text_free(names);
  return code;
}

int cs_scale_fail(const char *option, const char *said, struct cs_text *names, struct cs_error *error) {
  const char *equals = strchr(said, '=');
  return fail(option, said, equals != NULL ? equals + 1 : said, "one of", names, error);
}

int cs_scale_fail_axis(const char *option, const char *said, struct cs_text *axes, struct cs_error *error) {
  struct cs_text axis = {0};
  cs_text_append(&axis, said, strcspn(said, "="));
  const int code = fail(option, said, cs_text_string(&axis), "AXIS=VALUE with AXIS one of", axes, error);
  cs_text_free(&axis);
  return code;
}

/* ", near it 0.001 and 0.00147": the neighbours of a number among many. */
static void add_neighbours(size_t length, const double *values, const char *value, struct cs_text *text) {
  char *end = NULL;
  const double number = strtod(value, &end);
  double below = -INFINITY, above = INFINITY;
  if (end == value || *end != '\0' || isnan(number)) return;
  for (size_t i = 0; i < length; i++) {
    if (values[i] < number) below = fmax(below, values[i]);
    if (values[i] > number) above = fmin(above, values[i]);
  }
  cs_text_add(text, ", near it ");
  if (isfinite(below)) cs_text_add(text, "%.6g%s", below, isfinite(above) ? " and " : "");
  if (isfinite(above)) cs_text_add(text, "%.6g", above);
}

int cs_scale_choose(size_t length, const double *values, char *const *labels, const char *value, const char *option,
                    const char *said, size_t *at, struct cs_error *error) {
  struct cs_text names = {0};
  *at = cs_scale_position(length, values, labels, value);
  if (*at < length) return CS_OK;
  cs_scale_list(length, values, labels, &names);
  if (labels == NULL && length > LISTED) add_neighbours(length, values, value, &names);
  return cs_scale_fail(option, said, &names, error);
}

/* An end of a range, which may be left out. */
static bool read_end(const char *text, size_t length, double otherwise, double *value) {
  char *end = NULL;
  *value = length == 0 ? otherwise : strtod(text, &end);
  return length == 0 || (end == text + length && !isnan(*value));
}

bool cs_scale_range(const char *value, double *from, double *to) {
  const char *colon = strchr(value, ':');
  return colon != NULL && read_end(value, (size_t)(colon - value), -INFINITY, from) &&
         read_end(colon + 1, strlen(colon + 1), INFINITY, to);
}

int cs_scale_take(const struct cs_dimension *d, const char *value, const char *option, const char *said,
                  int (*take)(void *of, size_t at, struct cs_error *error), void *of, struct cs_error *error) {
  double from, to;
  size_t at, taken = 0;
  if (d->labels != NULL || !cs_scale_range(value, &from, &to)) {
    const int code = cs_scale_choose(d->length, d->values, d->labels, value, option, said, &at, error);
    return code == CS_OK ? take(of, at, error) : code;
  }
  for (at = 0; at < d->length; at++) {
    const double room = ROUNDED * fabs(d->values[at]);
    if (!(d->values[at] >= from - room) || !(d->values[at] <= to + room)) continue;
    const int code = take(of, at, error);
    if (code != CS_OK) return code;
    taken++;
  }
  if (taken > 0) return CS_OK;
  struct cs_text names = {0};
  cs_scale_list(d->length, d->values, NULL, &names);
  return fail(option, said, value, "a range with one of", &names, error);
}
