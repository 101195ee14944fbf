/* Patterns of two step sizes: a region of equal steps does not certify a coupling whose steps vary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain_private.h"
#include "result.h"

/* More than all patterns: 2 + 1 + 2 + 3 + 6 + 9. */
enum { MOST = 32 };

/* Whether a word of a and b comes before all its rotations: neither a rotation nor a repetition of another one. */
static bool is_first(const char *word, size_t length) {
  for (size_t by = 1; by < length; by++) {
    size_t i = 0;
    while (i < length && word[i] == word[(i + by) % length])
      i++;
    if (i == length || word[i] > word[(i + by) % length]) return false;
  }
  return true;
}

static size_t list_patterns(struct cs_explain_pattern *pattern) {
  size_t count = 0;
  for (size_t length = 1; length <= CS_EXPLAIN_STEPS; length++)
    for (unsigned bits = 0; bits < 1U << length; bits++) {
      struct cs_explain_pattern *to = &pattern[count];
      *to = (struct cs_explain_pattern){.radius = NAN};
      for (size_t i = 0; i < length; i++)
        to->name[i] = (bits >> (length - 1 - i) & 1) != 0 ? 'b' : 'a';
      if (is_first(to->name, length)) count++;
    }
  return count;
}

static void write_sweep(const struct cs_explanation *e, const struct cs_explain_pattern *pattern, size_t count,
                        struct cs_text *text) {
  static const char *const metrics[] = {"spectral_radius", "growth_rate"};
  struct cs_writer w = {.text = text};
  cs_experiment_begin(&w, "stability", &e->wish->approach, &e->network, 0.0);
  cs_writer_count(&w, "order", e->wish->order);
  cs_writer_object(&w, "step");
  cs_writer_string(&w, "control", "cycle");
  cs_writer_number(&w, "size", e->wish->steps[0]);
  cs_writer_end(&w);
  cs_experiment_axes(&w);
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "name", "pattern");
  cs_writer_string(&w, "path", "method.step.ratios");
  cs_writer_list(&w, "values");
  for (size_t i = 0; i < count; i++) {
    cs_writer_object(&w, NULL);
    cs_writer_string(&w, "label", pattern[i].name);
    cs_writer_list(&w, "value");
    for (const char *step = pattern[i].name; *step != '\0'; step++)
      cs_writer_number(&w, NULL, *step == 'a' ? 1.0 : e->wish->steps[1] / e->wish->steps[0]);
    cs_writer_end(&w);
    cs_writer_end(&w);
  }
  cs_writer_end(&w);
  cs_writer_end(&w);
  cs_experiment_end_axes(&w);
  cs_experiment_metrics(&w, metrics, sizeof metrics / sizeof *metrics);
  cs_writer_end(&w);
}

/* The one that grows fastest; of those that do alike, within rounding, the shortest. */
static struct cs_explain_pattern find_worst(const struct cs_table *table, double shortest,
                                            struct cs_explain_pattern *pattern, size_t count) {
  const struct cs_array *radius = cs_table_find(table, "spectral_radius"), *rate = cs_table_find(table, "growth_rate");
  size_t worst = 0;
  for (size_t i = 0; i < count; i++) {
    pattern[i].radius = cs_table_number(radius, i);
    pattern[i].rate = cs_table_number(rate, i);
    const double excess = 1e-9 * fabs(pattern[worst].rate) + 1e-12 / shortest;
    if (isnan(pattern[worst].rate) || pattern[i].rate > pattern[worst].rate + excess) worst = i;
  }
  return pattern[worst];
}

/* Patterns that were not analysed must not count as patterns that do not grow. */
static int check_patterns(const struct cs_explanation *e, const struct cs_explain_pattern *pattern, size_t count,
                          struct cs_error *error) {
  for (size_t i = 0; i < count; i++)
    if (isnan(pattern[i].radius))
      return cs_error_set(error, CS_NO_RESULT,
                          "--steps %g:%g: the eigenvalues of pattern %s cannot be computed; want steps nearer to the "
                          "model's time scales",
                          e->wish->steps[0], e->wish->steps[1], pattern[i].name);
  return CS_OK;
}

int cs_explain_fill_steps(struct cs_explanation *e, struct cs_error *error) {
  struct cs_explain_pattern pattern[MOST];
  struct cs_text text = {0};
  struct cs_table *table = NULL;
  if (!(e->wish->steps[0] > 0.0)) return CS_OK;
  const size_t count = list_patterns(pattern);
  write_sweep(e, pattern, count, &text);
  int code = cs_experiment_run(&e->wish->experiment, &e->network, CS_SNAPSHOT_BARE, &text, &table, error);
  if (code == CS_OK) {
    e->worst = find_worst(table, fmin(e->wish->steps[0], e->wish->steps[1]), pattern, count);
    e->patterns = count;
    code = check_patterns(e, pattern, count, error);
  }
  cs_table_free(table);
  return code;
}

void cs_explain_add_steps(const struct cs_explanation *e, struct cs_text *text) {
  const struct cs_explain_wish *wish = e->wish;
  const struct cs_explain_pattern *p = &e->worst;
  double time = 0.0;
  for (const char *step = p->name; *step != '\0'; step++)
    time += wish->steps[*step == 'b'];
  cs_explain_add_setting(e, text);
  cs_text_add(text, " with steps a = %g s and b = %g s in turn: ", wish->steps[0], wish->steps[1]);
  if (cs_result_stable(p->radius))
    cs_text_add(text,
                "no pattern of up to %d steps grows, which proves nothing for longer ones; the largest |lambda| is "
                "%.6g, of %s",
                CS_EXPLAIN_STEPS, p->radius, p->name);
  else
    cs_text_add(text, "%s grows fastest of all patterns of up to %d steps, by %.4g 1/s: |lambda| %.6g in %g s", p->name,
                CS_EXPLAIN_STEPS, p->rate, p->radius, time);
}
