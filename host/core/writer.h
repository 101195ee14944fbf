/* Writes JSON text item by item, with commas, quotes, brackets, line breaks and indentation. */
#ifndef COSWEEP_WRITER_H
#define COSWEEP_WRITER_H

#include <stdbool.h>

#include "text.h"

enum { CS_WRITER_DEPTH = 80 }; /* nested containers; more than JSON files may have */

struct cs_writer_level {
  bool object, filled, lines, broken; /* broken: an item in it begins a line */
  int indent;                         /* of lines in it */
};

/* {.text = text} is ready to write one value. Running out of memory or nesting deeper than CS_WRITER_DEPTH sets
 * text->failed. */
struct cs_writer {
  struct cs_text *text;
  /* false: lines are indented by one blank per level, and brackets close after the last item. true: by two blanks, and
   * a container that spans lines closes on a line of its own. */
  bool spread;
  bool line; /* the next item begins a line */
  int indent;
  size_t depth;
  struct cs_writer_level level[CS_WRITER_DEPTH];
};

/* `key`: NULL except in objects. */
void cs_writer_object(struct cs_writer *writer, const char *key);
void cs_writer_list(struct cs_writer *writer, const char *key);
/* Closes the innermost container. */
void cs_writer_end(struct cs_writer *writer);
/* The next item begins a line; all further items of the innermost container do. */
void cs_writer_line(struct cs_writer *writer);
void cs_writer_lines(struct cs_writer *writer);

/* Bytes that are not UTF-8 become U+FFFD. */
void cs_writer_string(struct cs_writer *writer, const char *key, const char *string);
void cs_writer_number(struct cs_writer *writer, const char *key, double value);   /* 17 digits; null if not finite */
void cs_writer_shortest(struct cs_writer *writer, const char *key, double value); /* as cs_text_add_number */
void cs_writer_count(struct cs_writer *writer, const char *key, size_t count);
void cs_writer_bool(struct cs_writer *writer, const char *key, bool value);
void cs_writer_null(struct cs_writer *writer, const char *key);
/* `format` must give a JSON value of less than 400 bytes. */
void cs_writer_token(struct cs_writer *writer, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
