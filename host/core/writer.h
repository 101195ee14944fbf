/* JSON text item by item: the writer puts commas, quotes, brackets, line breaks and indentation. */
#ifndef COSWEEP_WRITER_H
#define COSWEEP_WRITER_H

#include <stdbool.h>

#include "text.h"

enum { CS_WRITER_DEPTH = 80 }; /* containers within each other; more than JSON files may have */

struct cs_writer_level {
  bool object, filled, lines, broken; /* broken: something in it begins a line */
  int indent;                         /* of lines in it */
};

/* {.text = text} is ready to write one value. Where memory is short, or containers go deeper than CS_WRITER_DEPTH,
 * text->failed is set. */
struct cs_writer {
  struct cs_text *text;
  /* false: one blank for every container that a line stands in, brackets close behind the last item.
   * true: two blanks, and the bracket of a container with lines closes on a line of its own. */
  bool spread;
  bool line; /* the next item begins a line */
  int indent;
  size_t depth;
  struct cs_writer_level level[CS_WRITER_DEPTH];
};

/* `key` is NULL but in objects. */
void cs_writer_object(struct cs_writer *writer, const char *key);
void cs_writer_list(struct cs_writer *writer, const char *key);
/* Closes the innermost container. */
void cs_writer_end(struct cs_writer *writer);
/* The next item begins a line; every further item of the innermost container does. */
void cs_writer_line(struct cs_writer *writer);
void cs_writer_lines(struct cs_writer *writer);

/* Bytes that are no UTF-8 become U+FFFD. */
void cs_writer_string(struct cs_writer *writer, const char *key, const char *string);
void cs_writer_number(struct cs_writer *writer, const char *key, double value);   /* 17 digits; null if not finite */
void cs_writer_shortest(struct cs_writer *writer, const char *key, double value); /* as cs_text_add_number */
void cs_writer_count(struct cs_writer *writer, const char *key, size_t count);
void cs_writer_bool(struct cs_writer *writer, const char *key, bool value);
void cs_writer_null(struct cs_writer *writer, const char *key);
/* What `format` gives has to be a value of JSON. */
void cs_writer_token(struct cs_writer *writer, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
