#define _XOPEN_SOURCE 700
#include "edit_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

/* ---- as bytes */

static void put_contents(FILE *to, const struct cs_table *table) {
  for (size_t i = 0; i < table->dimensions; i++)
    cs_stream_put_dimension(to, &table->dimension[i]);
  for (size_t i = 0; i < table->arrays; i++) {
    cs_stream_put_array(to, &table->array[i]);
    if (table->array[i].count > 0)
      cs_stream_put_items(to, table->array[i].type, table->array[i].data.uint8, table->array[i].count);
  }
}

void edit_table_put(const struct cs_table *table, struct cs_text *bytes) {
  char *data = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&data, &size);
  cs_stream_put_table(to, table);
  put_contents(to, table);
  for (size_t i = 0; i < table->notes; i++)
    cs_stream_put_note(to, &table->note[i]);
  if (table->group != NULL) {
    cs_stream_put_group(to, table->group);
    put_contents(to, table->group);
  }
  cs_stream_put_end(to, CS_OK, NULL);
  fclose(to);
  cs_text_append(bytes, data, size);
  free(data);
}

struct cs_table *edit_table_take(const char *bytes, size_t size) {
  FILE *from = size > 0 ? fmemopen((char *)bytes, size, "rb") : NULL; /* it is only read */
  struct cs_table *table = NULL;
  struct cs_error error;
  int code = CS_OK;
  if (from == NULL) return NULL;
  cs_stream_take(from, &table, &code, &error);
  fclose(from);
  return table;
}

/* ---- edits */

typedef size_t chance(size_t count);

static const char *const wild[] = {"",     "status",    "accepted", "output",   "H",  "a'b",   "\x1b[31mred",
                                   "a\nb", "<&>",       "{",        "%s%n",     "''", "=",     "_order",
                                   ",",    "1e999",     "t",        "mode",     "x",  "steps", "refined",
                                   "s",    "order_fit", "d1",       "d2_stable"};

/* Another name or text, of the table or not. */
static void edit_text(char **text, const struct cs_table *table, chance *below) {
  const char *other = wild[below(sizeof wild / sizeof *wild)];
  struct cs_text new = {0};
  if (below(3) == 0 && table->arrays > 0) other = table->array[below(table->arrays)].name;
  if (below(4) == 0) cs_text_add(&new, "%s_", cs_text_string(&(struct cs_text){.data = *text}));
  cs_text_add(&new, "%s", other);
  free(*text);
  *text = new.data;
}

static void free_items(struct cs_array *a) {
  for (size_t i = 0; a->type == CS_TEXT && i < a->count; i++)
    free(a->data.text[i]);
  free(a->data.uint8);
}

/* New items, all the same, for the type and the dimensions that it has now. */
static void renew(const struct cs_table *table, struct cs_array *a) {
  enum { MOST = 1 << 16 };
  a->count = 1;
  for (size_t i = 0; i < a->dimensions; i++)
    a->count *= table->dimension[a->dimension[i]].length;
  if (a->count > MOST) a->dimensions = 0, a->count = 1;
  a->data.uint8 = calloc(a->count + 1, sizeof(double));
  for (size_t i = 0; i < a->count && a->type == CS_TEXT; i++)
    a->data.text[i] = cs_text_copy("x");
}

static void edit_shape(const struct cs_table *table, struct cs_array *a, chance *below) {
  free_items(a);
  switch (below(4)) {
    case 0:
      a->type = (enum cs_type)below(4);
      break;
    case 1:
      if (a->dimensions > 0) a->dimension[below(a->dimensions)] = below(table->dimensions);
      break;
    case 2:
      if (a->dimensions > 0) a->dimensions--;
      break;
    default:
      if (a->dimensions < CS_MAX_DIMENSIONS && table->dimensions > 0)
        a->dimension[a->dimensions++] = below(table->dimensions);
  }
  renew(table, a);
}

static void edit_items(struct cs_array *a, chance *below) {
  const double numbers[] = {NAN, INFINITY, -INFINITY, 0.0, -1.0, 5e-324, 1.7e308, -1.7e308, 1.0};
  const int64_t integers[] = {0, 1, -1, INT64_MIN, INT64_MAX, 255, 7};
  const bool one = below(2) == 0;
  const size_t first = one ? below(a->count) : 0, last = one && a->count > 0 ? first + 1 : a->count;
  const double number = numbers[below(sizeof numbers / sizeof *numbers)];
  const int64_t integer = integers[below(sizeof integers / sizeof *integers)];
  for (size_t i = first; i < last; i++) {
    if (a->type == CS_FLOAT64) a->data.float64[i] = number;
    if (a->type == CS_INT64) a->data.int64[i] = integer;
    if (a->type == CS_UINT8) a->data.uint8[i] = (uint8_t)integer;
    if (a->type == CS_TEXT && a->data.text[i][0] != '\0') a->data.text[i][0] = (char)integer;
  }
}

/* Of another length, with all arrays over it. */
static void edit_length(struct cs_table *table, size_t which, chance *below) {
  struct cs_dimension *d = &table->dimension[which];
  const size_t old = d->length, new = below(3) == 0 ? below(9) : old > 0 ? old - 1 : 0;
  double *values = calloc(new + 1, sizeof *values);
  char **labels = calloc(new + 1, sizeof *labels);
  for (size_t i = 0; i < new; i++) {
    values[i] = d->values != NULL && i < old ? d->values[i] : (double)i;
    if (d->labels != NULL) labels[i] = cs_text_copy(i < old ? d->labels[i] : "x");
  }
  for (size_t i = 0; i < old && d->labels != NULL; i++)
    free(d->labels[i]);
  free(d->values != NULL ? (void *)d->values : (void *)d->labels);
  free(d->values != NULL ? (void *)labels : (void *)values);
  if (d->values != NULL)
    d->values = values;
  else
    d->labels = labels;
  for (size_t i = 0; i < table->arrays; i++)
    free_items(&table->array[i]);
  d->length = new;
  for (size_t i = 0; i < table->arrays; i++)
    renew(table, &table->array[i]);
}

static void edit_scale(struct cs_table *table, struct cs_dimension *d, chance *below) {
  const double numbers[] = {NAN, INFINITY, 0.0, -1.0, 1.7e308, 5e-324};
  if (d->length > 0 && d->values != NULL)
    d->values[below(d->length)] = numbers[below(sizeof numbers / sizeof *numbers)];
  else if (d->length > 0 && d->labels != NULL)
    edit_text(&d->labels[below(d->length)], table, below);
}

static void leave_out(struct cs_table *table, size_t which) {
  free_items(&table->array[which]);
  free(table->array[which].name);
  free(table->array[which].unit);
  free(table->array[which].long_name);
  free(table->array[which].flag_meanings);
  table->array[which] = table->array[--table->arrays];
}

static void edit_note(struct cs_table *table, chance *below) {
  struct cs_note *note = table->notes > 0 ? &table->note[below(table->notes)] : NULL;
  if (note != NULL && note->count > 0 && below(4) > 0) {
    char *text = note->text[below(note->count)];
    const size_t length = strlen(text);
    if (length > 0) text[below(length)] = "{}[]\",:0x"[below(9)];
  } else if (note != NULL) {
    edit_text(&note->name, table, below);
  }
}

void edit_table(struct cs_table *root, chance *below) {
  struct cs_table *table = root->group != NULL && below(4) == 0 ? root->group : root;
  struct cs_array *a = table->arrays > 0 ? &table->array[below(table->arrays)] : NULL;
  struct cs_dimension *d = table->dimensions > 0 ? &table->dimension[below(table->dimensions)] : NULL;
  const size_t way = below(12);
  if (a == NULL || d == NULL || way == 0)
    edit_note(root, below);
  else if (way == 1)
    edit_text(below(2) == 0 ? &a->name : &d->name, table, below);
  else if (way == 2)
    edit_text(below(2) == 0 ? &a->unit : &a->long_name, table, below);
  else if (way == 3)
    edit_text(&a->flag_meanings, table, below);
  else if (way == 4)
    edit_length(table, (size_t)(d - table->dimension), below);
  else if (way == 5)
    edit_scale(table, d, below);
  else if (way == 6)
    leave_out(table, (size_t)(a - table->array));
  else if (way < 9)
    edit_shape(table, a, below);
  else
    edit_items(a, below);
}
