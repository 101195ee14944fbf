/* Tables as bytes, and tables that are like a right one but for something. */
#ifndef COSWEEP_TESTS_EDIT_TABLE_H
#define COSWEEP_TESTS_EDIT_TABLE_H

#include "table.h"
#include "text.h"

/* Appends the table as the process that reads files passes it on (stream.h). */
void edit_table_put(const struct cs_table *table, struct cs_text *bytes);
/* The table of such bytes; NULL if they are none. */
struct cs_table *edit_table_take(const char *bytes, size_t size);

/* Changes a name, a type, dimensions, lengths, values, a text, or leaves out a variable. below(n): a number below n by
 * chance, 0 for 0. */
void edit_table(struct cs_table *table, size_t (*below)(size_t count));

#endif
